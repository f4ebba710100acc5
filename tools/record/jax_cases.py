"""JAX (64-bit off): reading and updating by index, and the jnp functions that index."""

import tables
from literal import Gen, count, nest, text


def array(values, shape, dtype):
    if not values:
        return f"jnp.zeros({shape}, dtype=jnp.{dtype})"
    natural = {bool: "bool", int: "int32", float: "float32"}[type(values[0])]
    return f"jnp.array({text(nest(values, shape))}" + ("" if natural == dtype else f", dtype=jnp.{dtype}") + ")"


def random(amount):
    g = Gen("jax")
    for i in range(amount):
        shape = tuple(max(1, s) for s in g.shape(1, 3, 30))
        dtype = g.choice(["int32", "float32", "float32", "uint8", "int16"])
        x = f"x = {array(g.values(dtype, count(shape)), shape, dtype)}"
        axis = g.randrange(len(shape))
        n = shape[axis]
        s = g.choice([(2,), (3,), (2, 2)])
        stray = g.choice([0, 0, 2])
        raw = [g.randint(-n - stray, n - 1 + stray) for _ in range(count(s))]
        idx = array(raw, s, "int32")
        key = ", ".join([":"] * axis + [idx])
        mode = g.choice(["", "mode='fill'", "mode='clip'", "mode='drop'"])
        op = g.choice(["read", "get", "set", "add", "mul", "min", "max", "take", "along"])
        if op == "read":
            yield f"at/r{i:03}", [x, f"x[{key}]"]
        elif op == "get":
            yield f"at/r{i:03}", [x, f"x.at[{key}].get({mode})"]
        elif op == "take":
            yield (
                f"functions/r{i:03}",
                [
                    x,
                    f"jnp.take(x, {idx}, axis={axis}{g.choice(['', ', mode=' + repr('clip'), ', mode=' + repr('wrap')])})",
                ],
            )
        elif op == "along":
            t = tuple(g.randint(1, 3) if d == axis else v for d, v in enumerate(shape))
            raw = [g.randint(-n - stray, n - 1 + stray) for _ in range(count(t))]
            yield f"functions/r{i:03}", [x, f"jnp.take_along_axis(x, {array(raw, t, 'int32')}, {axis})"]
        else:
            # set with repeated places is unspecified: keep them distinct there
            if op == "set":
                raw = g.sample(range(n), min(n, 3))
                s = (len(raw),)
                key = ", ".join([":"] * axis + [array(raw, s, "int32")])
            into = shape[:axis] + s + shape[axis + 1 :]
            v = array(g.values(dtype, count(into)), into, dtype) if g.chance(0.6) else text(g.values(dtype, 1)[0])
            yield f"at/r{i:03}", [x, f"x.at[{key}].{op}({v}{', ' + mode if mode else ''})"]


def cases():
    yield from tables.load("jax")
    yield from random(110)
