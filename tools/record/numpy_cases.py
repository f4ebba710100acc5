"""NumPy: subscripts and the functions that read, write, search and select by index."""

from literal import Gen, count, nest, text, text_shape

X = "x = np.arange(24).reshape(2, 3, 4)"
Y = "x = np.zeros((5, 6, 7, 8))"
NAMES = {
    "a": "a = np.array([0, 1])", "b": "b = np.array([[0], [1], [2]])", "m2": "m2 = np.array([True, True])", "m3": "m3 = np.array([True, False, True])", "m4": "m4 = np.array([False, True, False, True])",
    "m23": "m23 = np.array([[True, False, False], [False, True, False]])", "m34": "m34 = np.array([[True, False, False, True], [False, False, False, False], [True, True, False, True]])",
}
READS = """x[0, :, a]|x[:, 0, a]|x[a, :, 0]|x[True]|x[False]|x[:, True]|x[0, True]|x[0, :, True]|x[True, 0, :, 0]|x[True, a]|x[a, :, a]|x[a, a]|x[:, a, a]|x[a, 0, a]|x[0, a, a]|x[a, a, 0]|x[a, b]|x[b, a]|x[:, b]|x[..., a]|x[a, ..., a]|x[a, None, a]|x[None, a]|x[m23]|x[m23, 0]|x[m2, m3]|x[m2, :, m4]|x[0, m34]|x[:, m34]|x[m3]|x[:, m23]|x[m23, m4]
x[0]|x[-1]|x[2]|x[-3]|x[0, 3]|x[0, 0, 4]|x[0, 0, 0]|x[0, 0, 0, 0]|x[0, 0, 0, ...]|x[...]|x[()]|x[None]|x[..., None]|x[::-1]|x[:, ::-2]|x[::-1, ::-1, ::-1]|x[5:1:-1]|x[::0]|x[1:, ::2]|x[9:]|x[..., ...]|x[[0, 1]]|x[[[0, 1], [1, 0]]]|x[([[0, 1], [1, 0]],)]|x[[0, 1], [1, 0]]|x[[]]|x[np.array([])]|x[[1.0]]|x[1.0]|x['a']|x[[True, False]]|x[[True, False, True]]|x[(0, 1)]
x[np.int64(1)]|x[np.array(1)]|x[np.array(1), 0]|x[np.array([1], dtype=np.uint8)]|x[np.array([1], dtype=np.uint64)]|x[np.array([1], dtype=np.int8)]|x[np.array(True)]|x[np.array([1.0])]|x[[2]]|x[[-3]]|x[:, [3]]|x[:, :, [4]]|x[[0, 1], [0, 1, 2]]|x[[0, 1], []]|x[[0], [3]]|x[0, :, [4]]|x[x > 11]|x[x < 0]|x[~(x > 3)]|x[(x > 3) & (x < 9)]|x[(x < 3) | (x > 20)]|x[0:0, [0]]|x[0:0, [9]]|x[2**63]|x[1j]|x[None, 0, None]|x[[0, 1], 0, [0, 1]]|x[[True, False], 0]|x[0, [True, False, True]]"""
WRITES = """x[0] = 5|x[:] = 5|x[0] = [1, 2, 3, 4]|x[0] = [[1], [2], [3]]|x[0] = [1, 2, 3]|x[[0, 1]] = 5|x[[0, 0]] = np.array([[[1]], [[2]]])|x[[0, 1], [0, 1]] = [[1], [2]]|x[[0, 1], :, [0, 1]] = np.arange(6).reshape(2, 3)|x[[0, 1], :, [0, 1]] = np.arange(6).reshape(3, 2)|x[0, :, [0, 1]] = np.arange(6).reshape(2, 3)|x[[0, 5]] = 1|x[[0, 1], [0, 3]] = 7|x[:, [3]] = 1|x[x > 11] = 0|x[x > 21] = [7, 8]|x[x > 21] = [7, 8, 9]|x[x > 21] = [[7, 8]]|x[x > 21] = [7]|x[m23] = np.arange(8).reshape(2, 4)|x[m23] = 6
x[0] = 1.7|x[0] = float('nan')|x[0] = 1j|x[0] = 'a'|x[0] = None|x[0] = True|x[0] = 2**63|x[0, 0, 0] = 2**40|x[True] = 3|x[False] = [1, 2]|x[False] = 3|x[...] = np.arange(4)|x[()] = 2|x[::-1] = x|x[1:] = x[:-1]|x[:, ::-1] = x|x[:, 1:] = x[:, :-1]|x[0] = x[1]|x[[0, 1]] = x[::-1]|x[x > 3] = x[x > 3][::-1]|x[2] = 1|x[0, 0, 0, 0] = 1|x[[True, False, True]] = 1|x[[1.5]] = 1|x[1.5] = 1|x[[]] = 5|x[[], []] = [1, 2]|x[[0, 0, 0]] = 9|x[None, 0] = 4|x[5:] = [1, 2, 3]|x[..., [3, 0]] = [1, 2]|x[-1, -1] = [1, 2, 3, 4]|x[0] = np.array([1.9, -1.9, 2.5, 0.0])|x[m2, :, m4] = 5"""
OTHER_WRITES = [
    ("np.arange(6)", "x[1:] = x[:-1]|x[::-1] = x|x[::2] = x[:3]|x[x] = 5|x[x] = x[::-1]|x[2:5] = x[0:3]|x[[0, 1, 9, 2]] = [1, 2, 3, 4]|x[[3, 3, 3]] = [7, 8, 9]|x[-7] = 1|x[6] = 1"),
    ("np.zeros(3, dtype=np.uint8)", "x[0] = 300|x[0] = -1|x[0] = 255.5|x[0] = np.int64(300)|x[0] = np.array(300)|x[[0]] = 300|x[[0]] = np.array([300])|x[x == 0] = 300|x[0] = 1.7|x[0] = float('nan')|x[:] = [1, 2, 300]|x[:] = [1.5, 2.5, 3.5]|x[:] = np.array([300, -1, 5])"),
    ("np.zeros(3, dtype=np.float16)", "x[0] = 1e6|x[0] = 65519|x[0] = 2**70|x[0] = 1j|x[:] = np.array([1e6, 0.1, -1e6])"), ("np.zeros(3, dtype=np.int32)", "x[0] = 2**31|x[0] = 2**40|x[0] = -2**31|x[0] = 1.5|x[0] = np.float64(2.9)"),
    ("np.zeros(3, dtype=bool)", "x[0] = 5|x[0] = 0.5|x[0] = float('nan')|x[0] = 1j|x[[0, 2]] = [1, 0]"), ("np.zeros(2, dtype=np.complex64)", "x[0] = 1 + 2j|x[0] = 3|x[[1]] = 2j"), ("np.array(7)", "x[()] = 1|x[...] = 2|x[None] = 3|x[True] = 4|x[0] = 5|x[:] = 6|x[False] = 6|x[x > 5] = 9"),
]
FUNCTIONS = """np.take(x, [0, 5])|np.take(x, [0, -1, -24])|np.take(x, [24])|np.take(x, [-25])|np.take(x, [0, 1], axis=0)|np.take(x, [0, 2], axis=1)|np.take(x, 1, axis=1)|np.take(x, [[0, 1], [2, 0]], axis=-1)|np.take(x, [3], axis=1)|np.take(x, [6, 7, -7], axis=1, mode='wrap')|np.take(x, [6, 7, -7, -1], axis=1, mode='clip')|np.take(x, [24, 25, -25], mode='wrap')|np.take(x, [24, -1], mode='clip')|np.take(x, [0], mode='bad')|np.take(x, [0], axis=3)|np.take(x, [0.0])|np.take(x, np.array([0.0]))|np.take(x, [])|np.take(x, True)|x.take([1, 2])|x.take([1], axis=2)|np.take(np.zeros((2, 0)), [0], axis=1)|np.take(np.zeros((2, 0)), [0], axis=0)|np.take(np.zeros(0), [0])|np.take(np.array(5), [0, -1])|np.take(np.array(5), [1])|np.take(x, np.array([1, 2], dtype=np.uint8))|np.take(x, np.array([1], dtype=np.uint64))
np.take_along_axis(x, np.array([[[3, 0]]]), 2)|np.take_along_axis(x, np.array([[[3, 0]]]), -1)|np.take_along_axis(x, np.array([[[3, 0]]]))|np.take_along_axis(x, np.array([[[-1]]]), axis=1)|np.take_along_axis(x, np.array([[[4]]]), 2)|np.take_along_axis(x, np.array([[[-5]]]), 2)|np.take_along_axis(x, np.array([0, 1]), 0)|np.take_along_axis(x, np.array([0, 23]), None)|np.take_along_axis(x, np.array([[0]]), None)|np.take_along_axis(x, np.array([[[0.0]]]), 2)|np.take_along_axis(x, np.array([[[True]]]), 2)|np.take_along_axis(x, np.array([[[0]]], dtype=np.uint8), 2)|np.take_along_axis(x, np.array([[[0], [1], [2]]]), 3)|np.take_along_axis(x[:1], np.array([[[0]], [[1]]]), 1)|np.take_along_axis(x, np.zeros((2, 2, 1), dtype=np.int64), 2)|np.take_along_axis(x, np.argsort(x, axis=2), 2)
np.searchsorted([1, 2, 3, float('nan')], [float('nan'), 0.0, 2.5, float('inf'), -float('inf')])|np.searchsorted([1, 2, 3, float('nan')], [float('nan')], side='right')|np.searchsorted([5, 1, 4, 2, 3], [1, 2, 3, 4, 5])|np.searchsorted(np.array([1, 3, 5], dtype=np.uint8), -1)|np.searchsorted(np.array([0.1, 0.2, 0.3], dtype=np.float32), 0.3, side='right')|np.searchsorted([1, 3, 5], 3)|np.searchsorted([1, 3, 5], 3, side='right')|np.searchsorted([1, 3, 5], [[0, 3], [4, 9]])|np.searchsorted([1, 3, 5], 3, side='middle')|np.searchsorted([[1, 3]], 3)|np.searchsorted([5, 1, 3], [2, 3], sorter=[1, 2, 0])|np.searchsorted([5, 1, 3], [2, 3], sorter=[1, 2])|np.searchsorted([5, 1, 3], [2], sorter=np.array([1, 2, 0], dtype=np.uint8))|np.searchsorted([5, 1, 3], [2], sorter=[1.0, 2.0, 0.0])|np.searchsorted([], [1])|np.searchsorted([1], [])|np.searchsorted([False, True], [True])|np.searchsorted([1j, 2j], [1j])|np.searchsorted([1, 3, 5], 3.5)|np.array([1, 3, 5]).searchsorted([2, 6])
np.digitize([0, 1, 2, 3], [1, 2, 3])|np.digitize([0, 1, 2, 3], [1, 2, 3], right=True)|np.digitize([0, 1, 2, 3], [3, 2, 1])|np.digitize([0, 1, 2, 3], [3, 2, 1], right=True)|np.digitize([1.5], [1, 3, 2])|np.digitize(2, [1, 2, 3])|np.digitize([float('nan')], [1, 2])|np.nonzero(x > 20)|np.nonzero(x)|np.nonzero(np.array(5))|np.argwhere(x > 20)|np.argwhere(np.array(5))|np.argwhere(np.array(0))|np.flatnonzero(x > 20)|np.flatnonzero(np.array([0.0, -0.0, float('nan'), 1e-320]))|x.nonzero()|np.where(x > 20)|np.where(x > 11, x, -1)|np.where(x > 11, x, 0.5)|np.where([True, False], 1, [10, 20])|np.where([1, 0, 2], 5, 6)|np.where([True, False], [1, 2, 3], 0)|np.where(True, np.array([1], dtype=np.int8), 2)|np.compress([True, False, True], x, axis=1)|np.compress([True, False], x, axis=1)|np.compress([True, False, True, True], x)|np.compress([True] * 25, x)|np.compress([0, 0, 0, 1], x, axis=2)|x.compress([True, False], axis=0)|np.extract(x > 20, x)|np.extract([True, False, True], x)|np.extract([0, 0], [5, 6])
np.flip(x)|np.flip(x, 0)|np.flip(x, axis=(0, 2))|np.flip(x, 3)|x.T|x.transpose(1, 0, 2)|np.transpose(x, (2, 1, 0))|x.reshape(4, -1)|x.reshape(5, 5)|x[0].T[1:]|np.diagonal(x, 0, 1, 2)|x.diagonal(1)|np.squeeze(x[:1])|np.expand_dims(x, 1)|np.argsort([3, 1, 2])|x.shape|x.ndim|x.dtype|x.size"""
EFFECTS = """np.put(x, [0, 5], [10, 20])|np.put(x, [0, 1, 2], [7, 8])|np.put(x, [0], [7, 8])|np.put(x, [0, 1], [])|np.put(x, [24], 1)|np.put(x, [0, 99], 1)|np.put(x, [-1, -24], [7, 8])|np.put(x, [25, -30], [7, 8], mode='wrap')|np.put(x, [99, -1], [7, 8], mode='clip')|np.put(x, [0], 1.7)|np.put(x, [2, 2, 2], [7, 8, 9])|x.put([1, 2], 9)|np.put(x, [[0, 1], [2, 3]], [[1, 2], [3, 4]])|np.put(x, 3, 77)|np.put(x, [0.0], 1)
np.put_along_axis(x, np.array([[[3, 0]]]), 9, 2)|np.put_along_axis(x, np.array([[[-1]]]), 9, axis=1)|np.put_along_axis(x, np.array([[[4]]]), 9, 2)|np.put_along_axis(x, np.array([[[0, 0]]]), np.array([[[1, 2]]]), 2)|np.put_along_axis(x, np.array([0, 23]), 5, None)|np.put_along_axis(x, np.array([0]), 5, 0)|np.put_along_axis(x, np.array([[[0.0]]]), 9, 2)|np.put_along_axis(x, np.array([[[0]]]), np.array([[1], [2], [3]]).reshape(1, 3, 1), 2)
np.add.at(x, [0, 0], 1)|np.add.at(x, ([0, 0, 1], [1, 1, 1]), 10)|np.add.at(x, [0, 1], np.arange(4))|np.add.at(x, [5], 1)|np.add.at(x, [0, -1], 1.5)|np.add.at(x, (0, [1, 1]), np.arange(8).reshape(2, 4))|np.add.at(x, x > 11, 100)|np.add.at(x, (slice_all, [0, 0]), 1)|np.maximum.at(x, ([0, 0], [0, 0]), [[9], [5]])|np.minimum.at(x, ([1, 1], [2, 2]), [[9], [5]])|np.multiply.at(x, [1, 1], 2)|np.subtract.at(x, [0, 0], 1)|np.add.at(x, [0, 0, 9], 1)
np.place(x, x > 11, [7, 8])|np.place(x, x > 11, [])|np.place(x, x > 100, [])|np.place(x, x > 20, [7, 8, 9, 10])|np.place(x, [True, False], [1])|np.putmask(x, x > 11, [7, 8])|np.putmask(x, x > 11, -x)|np.putmask(x, x > 11, x * 1)|np.putmask(x, [True, False], 1)|np.putmask(x, x > 20, 1.7)"""


def split(table):
    from torch_subscript import split as bars

    return bars(table)


def needs(expression):
    import re

    words = set(re.findall(r"\b[a-z]\w*\b", expression))
    return [line for name, line in NAMES.items() if name in words]


def tables():
    for i, e in enumerate(split(READS)):
        yield f"subscript/x{i:03}", [X, *needs(e), e]
    for i, e in enumerate(["x[:, 0, :, a]", "x[0, :, a, 0]", "x[a, 0, :, a]", "x[:, a, :, a]", "x[:, a, a]", "x[a, b]", "x[0, :, :, a]", "x[:, a, None, a]", "x[:, a, None, 0]", "x[np.array(0), :, a]", "x[:, a, np.array(0), a]", "x[a, :, b, :]", "x[:, a, :, b]", "x[[[0]] * 31].shape", "x[True, a, :, a]", "x[a, True, a]"]):
        yield f"subscript/y{i:03}", [Y, *needs(e), e if e.endswith("shape") else e + ".shape"]
    for i, e in enumerate(["x[()]", "x[...]", "x[None]", "x[0]", "x[:]", "x[True]", "x[False]", "x[[0]]", "x[True, None]", "x[x > 5]"]):
        yield f"subscript/zero{i:02}", ["x = np.array(7)", e]
    for i, e in enumerate(["x[:, [5]]", "x[[0]]", "x[0]", "x[:, 5]", "x[[]]", "x[x > 0]", "x[:, 1]", "x[::-1]"]):
        yield f"subscript/empty{i:02}", ["x = np.zeros((0, 3))", e]
    for i, e in enumerate(split(WRITES)):
        yield f"subscript/w{i:03}", [X, *needs(e), e, "x"]
    for k, (x, table) in enumerate(OTHER_WRITES):
        for i, e in enumerate(split(table)):
            yield f"subscript/o{k}_{i:02}", [f"x = {x}", e, "x"]
    for i, e in enumerate(split(FUNCTIONS)):
        yield f"functions/t{i:03}", [X, e]
    for i, e in enumerate(split(EFFECTS)):
        if "slice_all" not in e and "*" not in e:
            yield f"functions/e{i:03}", [X, e, "x"]
    for i, e in enumerate(["np.add.at(x, [0, 0, 2], 1)", "np.maximum.at(x, [0, 0, 1], [5.0, float('nan'), -1.0])", "np.minimum.at(x, [0, 0], [-5.0, 3.0])", "np.multiply.at(x, [1, 1, 2], [2.0, 3.0, 0.5])", "np.add.at(x, [3], 1.0)", "np.add.at(x, np.array([True, False, True]), 2.0)", "np.add.at(x, [], 1.0)", "np.put(x, [0, 1, 2, 0], [1.5, 2.5])", "np.put(x, [1], float('nan'))"]):
        yield f"functions/f{i:02}", ["x = np.ones(3)", e, "x"]
    for i, e in enumerate(["np.take([10, 20, 30], [0, 2], out=x)", "np.take([10, 20, 30], [0, 3], out=x)", "np.take([10, 20, 30], [0, 2, 1], out=x)", "np.take([1.5, 2.5], [0, 1], out=x)", "np.take([10, 20, 30], [0, 5], mode='clip', out=x)"]):
        for d in ("int64", "int32", "float64"):
            yield f"functions/out{i}_{d}", [f"x = np.zeros(2, dtype=np.{d})", e, "x"]
    dtypes = ["bool", "uint8", "int8", "int16", "uint16", "uint32", "uint64", "int32", "float16", "float32", "float64", "complex64", "complex128"]
    for d in dtypes:
        x = f"x = np.arange(6).reshape(2, 3).astype(np.{d})"
        for i, e in enumerate(["x[:, [2, 0]]", "x[::-1, 1]", "np.take(x, [5, 0])", "x[x > 2]", "np.take_along_axis(x, np.array([[2], [0]]), 1)"]):
            yield f"subscript/{d}{i}", [x, e]
        yield f"functions/at_{d}", [f"x = np.ones(3, dtype=np.{d})", f"np.add.at(x, [0, 0, 2], np.array([1, 2, 3], dtype=np.{d}))", "x"]


def array(g, shape, dtype="int64", values=None):
    if count(shape) == 0:
        return f"np.zeros({text_shape(shape)}, dtype=np.{dtype})"
    v = g.values(dtype, count(shape)) if values is None else values
    natural = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}[type(v[0])]
    return f"np.array({text(nest(v, shape))}" + ("" if natural == dtype else f", dtype=np.{dtype}") + ")"


def to_numpy(source):
    return source.replace("torch.tensor", "np.array").replace("torch.zeros", "np.zeros").replace("torch.arange", "np.arange").replace("torch.", "np.").replace(".permute", ".transpose").replace(".to(", ".astype(")


def random_subscripts(amount, result_shape):
    from torch_subscript import subscript

    g = Gen("numpy subscripts")
    g.backward = True
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = g.shape(0, 4)
        dtype = g.choice(["int64", "int64", "int64", "float64", "uint8", "bool", "float32"])
        while True:
            x = "x = " + to_numpy(g.twisted(shape, dtype))
            if "expand" not in x:
                break
        inner = to_numpy(subscript(g, shape))
        if i % 3:
            yield f"subscript/r{i:04}", [x, f"x[{inner}]"]
            continue
        into = result_shape([x, f"x[{inner}]"])
        if into is None or g.chance(0.3):
            v = text(g.values(dtype, 1)[0])
        else:
            s = tuple(1 if g.chance(0.15) else d for d in into)
            if g.fault(0.4):
                s = s + (3,)
            v = array(g, s, dtype if g.chance(0.8) else "int64")
        yield f"subscript/r{i:04}", [x, f"x[{inner}] = {v}", "x"]


def random_functions(amount):
    g = Gen("numpy functions")
    for i in range(amount):
        g.faults = g.chance(0.15)
        shape = tuple(max(1, s) for s in g.shape(1, 3, 36))
        axis = g.randrange(len(shape))
        n = shape[axis]
        dtype = g.choice(["int64", "int64", "float64", "float32", "uint8", "int16"])
        x = f"x = {array(g, shape, dtype)}"
        mode = g.choice(["", "", ", mode='wrap'", ", mode='clip'", ", mode='raise'"])
        wild = "wrap" in mode or "clip" in mode
        s = g.choice([(), (2,), (3,), (2, 2), (0,)])

        def index(size):
            v = [g.randint(-n if not wild else -3 * n, size - 1 if not wild else 3 * size) for _ in range(count(s))]
            if v and g.fault(0.5):
                v[g.randrange(len(v))] = size + 1
            return array(g, s, "int64", v) if v else array(g, s)

        op = g.choice(["take", "take", "takeflat", "put", "along", "putalong", "at", "search", "where", "select"])
        if op == "take":
            lines = [x, f"np.take(x, {index(n)}, axis={axis}{mode})"]
        elif op == "takeflat":
            lines = [x, f"np.take(x, {index(count(shape))}{mode})"]
        elif op == "put":
            lines = [x, f"np.put(x, {index(count(shape))}, {array(g, (g.randint(1, 3),), dtype)}{mode})", "x"]
        elif op in ("along", "putalong"):
            s = tuple(g.randint(1, 3) if d == axis else (1 if g.chance(0.2) else v) for d, v in enumerate(shape))
            wild = False
            idx = index(n)
            lines = [x, f"np.take_along_axis(x, {idx}, {axis})"] if op == "along" else [x, f"np.put_along_axis(x, {idx}, {array(g, s, dtype)}, {axis})", "x"]
        elif op == "at":
            wild, s = False, g.choice([(2,), (4,)])
            n = shape[0]
            u = g.choice(["add", "multiply", "maximum", "minimum", "subtract"])
            lines = [x, f"np.{u}.at(x, {index(n)}, {array(g, s + shape[1:], dtype)})", "x"]
        elif op == "search":
            row = g.values(dtype, g.randint(0, 6))
            if g.chance(0.85):
                row.sort()
            side = g.choice(["", ", side='right'", ", side='left'"])
            lines = [f"s = {array(g, (len(row),), dtype, row or None)}", f"np.searchsorted(s, {array(g, g.choice([(), (3,), (2, 2)]), dtype)}{side})"]
            if g.chance(0.3) and row:
                lines[-1] = f"np.digitize({array(g, (3,), dtype)}, s{g.choice(['', ', right=True'])})"
        elif op == "where":
            lines = [x, f"np.where({array(g, tuple(1 if g.chance(0.2) else v for v in shape), 'bool')}, x, {text(g.values(dtype, 1)[0])})"]
        else:
            lines = [x, g.choice([f"np.compress({text(g.values('bool', n))}, x, axis={axis})", "np.nonzero(x)", "np.argwhere(x)", "np.flatnonzero(x)", f"np.extract({array(g, shape, 'bool')}, x)", f"np.flip(x, {axis})"])]
        yield f"functions/r{i:04}", lines


def display():
    for k, e in enumerate(["5", "5.5", "True", "[1, 2, 3]", "[1.0, 2.5]", "[[1, 2], [3, 4]]", "[1e10, 1.0]", "[1e-10, 1.0]", "[float('nan'), 1.0]", "[float('inf'), -1.5]", "[-0.0, 0.0]", "[True, False]", "[1 + 2j, -1.5 + 0j]", "[]", "[[]]", "[0.1, 0.25, 100.0]", "[1e16, 1.0]", "[123456789.0]", "[1e-5]", "[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]", "[-1, 20, 300]", "[0.1 , 1000000.0]", "[1.0, 1001.0, 1e5]", "[3.14159265358979]"]):
        yield f"display/t{k:02}", [f"np.array({e})"]
    for k, d in enumerate(["bool", "uint8", "int8", "int16", "uint64", "int32", "float16", "float32", "complex64"]):
        yield f"display/d{k}", [f"np.arange(6).reshape(2, 3).astype(np.{d})"]
    for k, e in enumerate(["np.arange(30)", "np.arange(1001)", "np.zeros((7, 200))", "np.arange(40.0)", "np.arange(24).reshape(2, 3, 4)", "np.zeros((0, 3))", "np.zeros((2, 0), dtype=np.int32)", "np.arange(2000).reshape(2, 10, 100)", "np.array([0.1, 0.2], dtype=np.float32)", "np.array([0.1, 1 / 3])", "np.array([1e-3, 1e3], dtype=np.float16)", "np.arange(5)[::-1]", "np.arange(5)[2]", "np.arange(5.0)[2]", "np.arange(1200).reshape(1200, 1)"]):
        if "/" not in e:
            yield f"display/m{k:02}", [e]


def cases(result_shape):
    yield from tables()
    yield from random_subscripts(300, result_shape)
    yield from random_functions(250)
    yield from display()
