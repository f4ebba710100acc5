"""JAX (64-bit off): reading and updating by index, and the jnp functions that index."""

from literal import Gen, count, nest, text

X = "x = jnp.arange(24).reshape(2, 3, 4)"
V = "x = jnp.arange(5.0)"
NAMES = {
    "a": "a = jnp.array([0, 1])", "b": "b = jnp.array([[0], [1], [2]])", "m2": "m2 = jnp.array([True, True])", "m23": "m23 = jnp.array([[True, False, False], [False, True, False]])", "m3": "m3 = jnp.array([True, False, True])",
    "m4": "m4 = jnp.array([False, True, False, True])",
}
READS = """x[0, :, a]|x[:, 0, a]|x[a, :, 0]|x[True]|x[False]|x[0, True]|x[0, :, True]|x[True, a]|x[a, :, a]|x[a, a]|x[:, a, a]|x[a, 0, a]|x[0, a, a]|x[a, b]|x[:, b]|x[..., a]|x[None, a]|x[a, None, a]|x[m23]|x[m23, 0]|x[m2, m3]|x[m2, :, m4]|x[:, m23]|x[0]|x[-1]|x[2]|x[-3]|x[9]|x[-9]|x[0, 3]|x[0, 0, 0]|x[0, 0, 0, 0]|x[...]|x[None]|x[::-1]|x[:, ::-2]|x[1:, ::2]|x[..., ...]|x[[0, 1]]|x[[0, 1],]|x[[0, 1], [1, 0]]|x[([[0, 1], [1, 0]],)]|x[jnp.array([], dtype=jnp.int32)]|x[[]]|x[1.0]|x[jnp.array([1.0])]|x['a']|x[jnp.array([1], dtype=jnp.uint8)]|x[jnp.array([1], dtype=jnp.int16)]
x[jnp.array(1)]|x[jnp.array([2])]|x[jnp.array([-3])]|x[:, jnp.array([3, -4, 99])]|x[jnp.array([0, 1]), jnp.array([0, 1, 2])]|x[m3]|x[x > 11]|x[~(x > 3)]|x[np.array([0, 1])]|x[np.array(1)]|x[::0]|x[(0, 1)]"""
VECTOR = """x[jnp.array([0, 5, -1, -5, -6, 100])]|x[5]|x[-6]|x[100]|x.at[jnp.array([0, 5, -1, -6])].get()|x.at[jnp.array([0, 5, -1, -6])].get(mode='fill')|x.at[jnp.array([0, 5, -1, -6])].get(mode='drop')|x.at[jnp.array([0, 5, -1, -6])].get(mode='fill', fill_value=7)|x.at[jnp.array([0, 5, -1, -6])].get(mode='clip')|x.at[jnp.array([0, -1])].get(mode='promise_in_bounds')|x.at[jnp.array([0, 5])].get(mode='wrap')|x.at[jnp.array([0, 5, -1])].get(mode='fill', wrap_negative_indices=False)|x.at[jnp.array([0, 5, -1])].get(mode='clip', wrap_negative_indices=False)|x.at[7].get(mode='fill', fill_value=-1)
x.at[jnp.array([0, 5, -1, -6])].set(9)|x.at[jnp.array([0, 5, -1, -6])].set(9, mode='clip')|x.at[jnp.array([0, 5, -1, -6])].set(9, mode='drop')|x.at[jnp.array([0, 5, -1, -6])].set(9, mode='fill')|x.at[jnp.array([0, 1])].set(9, mode='promise_in_bounds')|x.at[jnp.array([0])].set(9, mode='wrap')|x.at[jnp.array([0, 0, 2])].add(1)|x.at[jnp.array([0, 0, 2])].add(jnp.array([1.0, 2.0, 3.0]))|x.at[jnp.array([0, 9, -9, -1])].add(5)|x.at[jnp.array([1, 1, 2])].mul(2)|x.at[jnp.array([1, 1, 2])].multiply(2)|x.at[jnp.array([1, 1, 2])].min(jnp.array([3.0, -1.0, 1.5]))|x.at[jnp.array([1, 1, 2])].max(jnp.array([3.0, -1.0, 1.5]))|x.at[jnp.array([1, 2])].max(float('nan'))|x.at[jnp.array([1, 2])].subtract(1)|x.at[jnp.array([1, 2])].divide(2)|x.at[jnp.array([2, 3])].power(2)|x.at[jnp.array([4])].mul(3, mode='clip')|x.at[jnp.array([7])].mul(3, mode='clip')
x.at[0].set(7)|x.at[9].set(7)|x.at[-6].set(7)|x.at[1:3].set(7)|x.at[::2].add(jnp.array([1.0, 2.0, 3.0]))|x.at[::-1].set(jnp.arange(5.0))|x.at[...].set(1)|x.at[True].set(3)|x.at[False].set(jnp.array([1.0, 2.0]))|x.at[x > 2].set(0)|x.at[x > 2].add(10)|x.at[jnp.array([True, False])].set(0)|x.at[jnp.array([0, 1])].set(jnp.array([1.0, 2.0, 3.0]))|x.at[[0, 1]].set(2)|x.at[1.0].set(2)|x.at[jnp.array([0, 1], dtype=jnp.uint8)].set(2)|x.at[jnp.array([], dtype=jnp.int32)].set(2)|x.at[jnp.array([0, -1])].set(5, wrap_negative_indices=False)|x.at[1].set(float('nan'))"""
TYPES = """jnp.arange(3).at[0].set(1.7)|jnp.arange(3).at[0].set(-1.7)|jnp.zeros(2, dtype=jnp.uint8).at[0].set(300)|jnp.zeros(2, dtype=jnp.uint8).at[0].set(-1)|jnp.zeros(2, dtype=jnp.uint8).at[0].set(jnp.array(300))|jnp.arange(3)[7]|jnp.arange(3).at[7].get(mode='fill')|jnp.arange(3, dtype=jnp.int8).at[7].get(mode='fill')|jnp.arange(3, dtype=jnp.uint8).at[7].get(mode='fill')|jnp.arange(3, dtype=jnp.uint16).at[7].get(mode='fill')|jnp.array([True, False]).at[7].get(mode='fill')|jnp.array([1j, 2j]).at[jnp.array([7])].get(mode='fill')|jnp.arange(3, dtype=jnp.float16).at[jnp.array([7, 0])].get(mode='fill')|jnp.arange(3, dtype=jnp.bfloat16).at[jnp.array([7, 0])].get(mode='fill')|jnp.zeros((0, 3))[jnp.array([0])]|jnp.zeros((0, 3))[0]|jnp.zeros((0, 3))[:, jnp.array([5])]|jnp.array(7)[True]|jnp.array(7)[None]|jnp.array(7)[0]|jnp.array(7)[()]"""
FUNCTIONS = """jnp.take(x, jnp.array([0, 5]))|jnp.take(x, jnp.array([0, -1, -24, 24, -25]))|jnp.take(x, jnp.array([0, 1]), axis=0)|jnp.take(x, jnp.array([0, 2, 3]), axis=1)|jnp.take(x, 1, axis=1)|jnp.take(x, jnp.array([6, 7, -7, -1]), axis=1, mode='wrap')|jnp.take(x, jnp.array([6, 7, -7, -1]), axis=1, mode='clip')|jnp.take(x, jnp.array([0]), mode='raise')|jnp.take(x, jnp.array([9, 0]), axis=0, fill_value=-5)|jnp.take(x, jnp.array([9]), axis=0, mode='fill')|jnp.take(x, jnp.array([0.0]))|jnp.take(x, [0, 1])|jnp.take(x, jnp.array([0]), axis=3)|jnp.take(x.astype(jnp.float32), jnp.array([99, 0]))|jnp.take(x, jnp.array([[0, 1], [2, 0]]), axis=-1)
jnp.take_along_axis(x, jnp.array([[[3, 0]]]), 2)|jnp.take_along_axis(x, jnp.array([[[-1]]]), axis=1)|jnp.take_along_axis(x, jnp.array([[[4, -5]]]), 2)|jnp.take_along_axis(x.astype(jnp.float32), jnp.array([[[4, 1]]]), 2)|jnp.take_along_axis(x, jnp.array([[[4, -5]]]), 2, mode='clip')|jnp.take_along_axis(x, jnp.array([0, 1]), 0)|jnp.take_along_axis(x, jnp.array([0, 23]), None)|jnp.take_along_axis(x, jnp.array([[[0.0]]]), 2)|jnp.take_along_axis(x[:1], jnp.array([[[0]], [[1]]]), 1)
jnp.searchsorted(jnp.array([1.0, 2.0, 3.0, float('nan')]), jnp.array([float('nan'), 0.0, 2.5, float('inf'), -float('inf')]))|jnp.searchsorted(jnp.array([1.0, 2.0, float('nan')]), jnp.array([float('nan')]), side='right')|jnp.searchsorted(jnp.array([1, 3, 5]), jnp.array([0, 3, 9]))|jnp.searchsorted(jnp.array([1, 3, 5]), jnp.array([0, 3, 9]), side='right')|jnp.searchsorted(jnp.array([1, 3, 5], dtype=jnp.uint8), -1)|jnp.searchsorted(jnp.array([1, 3, 5]), 3)|jnp.searchsorted(jnp.array([[1, 3]]), 3)|jnp.searchsorted(jnp.array([1, 3]), 3, side='middle')|jnp.searchsorted(jnp.array([5, 1, 3]), jnp.array([2, 3]), sorter=jnp.array([1, 2, 0]))|jnp.searchsorted(jnp.array([1, 3, 5]), jnp.array([[0, 3], [4, 9]]))|jnp.digitize(jnp.array([0, 1, 2, 3]), jnp.array([1, 2, 3]))|jnp.digitize(jnp.array([0, 1, 2, 3]), jnp.array([1, 2, 3]), right=True)|jnp.digitize(jnp.array([0, 1, 2, 3]), jnp.array([3, 2, 1]))
jnp.nonzero(x > 20)|jnp.nonzero(jnp.array(5))|jnp.argwhere(x > 20)|jnp.flatnonzero(x > 20)|jnp.nonzero(jnp.array([1, 0, 2, 0, 3]), size=2)|jnp.nonzero(jnp.array([1, 0, 2]), size=4)|jnp.nonzero(jnp.array([1, 0, 2]), size=4, fill_value=-1)|jnp.where(x > 11, x, -1)|jnp.where(x > 11, x, 0.5)|jnp.where(x > 20)|jnp.where(jnp.array([1, 0]), 1, 2)|jnp.where(jnp.array([True, False]), jnp.array([1, 2, 3]), 0)|jnp.compress(jnp.array([True, False, True]), x, axis=1)|jnp.extract(x > 20, x)|jnp.flip(x, 0)|jnp.flip(x)|jnp.put_along_axis(x, jnp.array([[[3, 0]]]), 9, 2, inplace=False)|jnp.put_along_axis(x, jnp.array([[[9, -1]]]), 9, 2, inplace=False)|jnp.put(x, jnp.array([0, 99, -1]), jnp.array([7, 8, 9]), inplace=False)|jnp.put(x, jnp.array([0, 1, 2]), jnp.array([7, 8]), inplace=False)|jnp.put(x, jnp.array([30]), 7, mode='wrap', inplace=False)
x.shape|x.dtype|x.ndim|x.T|x.reshape(4, 6)|x.transpose(1, 0, 2)|jnp.argsort(jnp.array([3, 1, 2]))"""


def needs(expression):
    import re

    words = set(re.findall(r"\b[a-z]\w*\b", expression))
    return [line for name, line in NAMES.items() if name in words]


def tables():
    from torch_subscript import split

    for i, e in enumerate(split(READS)):
        yield f"subscript/x{i:03}", [X, *needs(e), e]
    for i, e in enumerate(split(VECTOR)):
        yield f"at/v{i:03}", [V, e]
    for i, e in enumerate(split(TYPES)):
        yield f"at/t{i:03}", [e]
    for i, e in enumerate(split(FUNCTIONS)):
        yield f"functions/t{i:03}", [X, e]
    for i, e in enumerate(["x.at[a, :, a].set(jnp.arange(6).reshape(2, 3))", "x.at[0, :, a].set(jnp.arange(6).reshape(2, 3))", "x.at[:, a].add(100)", "x.at[m23].set(-1)", "x.at[..., jnp.array([3, 3])].add(1)", "x.at[jnp.array([0, 9])].set(-1)", "x.at[0, jnp.array([-1, 5])].mul(2)", "x.at[a, b].set(0)", "x.at[None, 0].set(jnp.arange(4))", "x.at[:, 1:, ::2].min(3)", "x.at[jnp.array([0, 1]), jnp.array([0, 1, 2])].set(0)", "x.at[0, 0, 0, 0].set(0)", "x.at[a].set(jnp.arange(3))"]):
        yield f"at/x{i:03}", [X, *needs(e), e]


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
            yield f"functions/r{i:03}", [x, f"jnp.take(x, {idx}, axis={axis}{g.choice(['', ', mode=' + repr('clip'), ', mode=' + repr('wrap')])})"]
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
    yield from tables()
    yield from random(110)
