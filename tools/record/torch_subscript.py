"""Reading and writing torch tensors by subscript: a table of known hard cases and seeded random ones."""

import re

from literal import Gen, count, nest, text

X = "x = torch.arange(24).reshape(2, 3, 4)"
Y = "x = torch.zeros(5, 6, 7, 8)"
AB = ["a = torch.tensor([0, 1])", "b = torch.tensor([[0], [1], [2]])"]
P = "x = torch.arange(24).reshape(2, 3, 4).permute(2, 1, 0)"
MASK23 = "torch.tensor([[True, False, False], [False, True, False]])"

SHAPES_X = """
x[0, :, a]|x[:, 0, a]|x[a, :, 0]|x[True]|x[False]|x[:, True]|x[0, True]|x[0, :, True]|x[:, 0, True]|x[True, :, 0]
x[True, 0, :, 0]|x[True, :, True]|x[True, a]|x[:, True, a]|x[True, :, a]|x[True, a, :, a]|x[True, :, a, a]
x[a, :, True]|x[False, [0]]|x[False, a]|x[True, False]|x[None, True]|x[0, 0, 0, True]|x[m23]|x[m23, 0]|x[m23, [0, 1]]
x[m2, m3]|x[m2, :, m4]|x[0, m34]|x[:, m34]|x[m23, m4]|x[m2]|x[:, m3]|x[..., m4]|x[m2, ..., m4]|x[m2, 0, m4]
x[None, m23]|x[:, None, m3]|x[m22]|x[0, m34, 0]|x[:, m23]|x[m23u]|x[m2u]|x[:, m3u]|x[()]|x[...]|x[:]|x[..., 0]
x[0, ...]|x[..., 0, :]|x[None]|x[:, None]|x[..., None]|x[None, ..., None]|x[0, None]|x[None, 0, None, :, None, 1]
x[..., ...]|x[..., 0, ...]|x[..., ..., 0]|x[..., ..., 0:1]|x[..., ..., None]|x[0, ..., ..., 1]|x[-1, -1, -1]|x[-2]
x[1:]|x[:1]|x[::2]|x[:, ::2, 1::2]|x[5:]|x[:-5]|x[2:1]|x[-1:]|x[:, -2:, -3:-1]|x[True:3]|x[torch.tensor(1):]
x[torch.tensor([1]):]|x[torch.tensor([[1]]):]|x[0:0]|x[::7]|x[:, ::100]|x[::-1]|x[::0]|x[:, ::-2]|x[0.5:]|x[torch.tensor(0.5):]
x[torch.tensor([0, 1]):]|x[2]|x[-3]|x[0, 3]|x[0, -4]|x[0, 0, 4]|x[:, 3]|x[0, 0, 0, 0]|x[0, 0, 0, :]|x[m23, 0, 0]|x[9, 9, 9, 9]
x[::-1, 0, 0, 0]|x[None, None, 0, 0, 0, 0]|x[1.0]|x[0, 1.5]|x[1j]|x['a']|x[0, 'a']|x[[1.9]]|x[[0, 1.5]]|x[[True, 0]]|x[[True, False]]
x[[[True, False, True], [False, True, False]]]|x[['a']]|x[[1j]]|x[[]]|x[[], []]|x[a, []]|x[[0], []]|x[:, []]|x[[[]]]|x[[], 0]
x[(0, 1)]|x[(0, 1),]|x[((0, 1), (1, 0))]|x[[0, 1]]|x[[[0, 1], [1, 0]]]|x[([[0, 1], [1, 0]],)]|x[[[0, 1], 0]]|x[[0, [1, 0]]]
x[[None, 0]]|x[[..., 0]]|x[[[0]]]|x[[[[0, 1]]]]|x[[torch.tensor(1)]]|x[[torch.tensor(1), 2]]|x[[torch.tensor([0, 1]), 2]]
x[[a, a]]|x[[np.int64(1), 0]]|x[np.array([0, 1])]|x[np.array([[0, 1], [1, 0]])]|x[np.array(1)]|x[np.int64(1)]|x[np.uint8(1)]
x[np.array([0.0, 1.9])]|x[np.array([])]|x[np.array([True, False])]|x[np.array(True)]|x[np.bool_(True)]|x[np.float64(1)]
x[np.array([0, 1], dtype=np.int32)]|x[np.array([0, 1], dtype=np.int16)]|x[np.array([0, 1], dtype=np.uint8)]
x[torch.tensor(1)]|x[torch.tensor(-1)]|x[torch.tensor(2)]|x[0, torch.tensor(1), a]|x[torch.tensor(1), :, a]|x[torch.tensor([1]), :, a]
x[torch.tensor(True)]|x[torch.tensor(False)]|x[torch.tensor(1, dtype=torch.uint8)]|x[torch.tensor(0, dtype=torch.uint8)]
x[torch.tensor(1, dtype=torch.int8)]|x[torch.tensor(1, dtype=torch.int16)]|x[torch.tensor(1, dtype=torch.int32)]
x[torch.tensor(1, dtype=torch.uint16)]|x[torch.tensor(1, dtype=torch.uint32)]|x[torch.tensor(1, dtype=torch.uint64)]|x[torch.tensor(1.0)]
x[torch.tensor([0, 1], dtype=torch.int32)]|x[torch.tensor([0, 1], dtype=torch.int16)]|x[torch.tensor([0, 1], dtype=torch.int8)]
x[torch.tensor([0, 1], dtype=torch.uint16)]|x[torch.tensor([0.0, 1.0])]|x[torch.tensor([0, 2], dtype=torch.uint8)]
x[torch.tensor([2, 255, 0], dtype=torch.uint8)]|x[:, torch.tensor([2, 255, 0], dtype=torch.uint8)]
x[[5]]|x[[-3]]|x[:, [3]]|x[:, :, [7]]|x[[0], [3]]|x[[0], :, [4]]|x[m2, [3]]|x[m23, [4]]|x[0, [3]]|x[0, :, [4]]|x[[-2, -1]]|x[:, [-3, 2]]
x[[0, 1], [0, 1, 2]]|x[[0, 1], [[0], [1]]]|x[a, b]|x[a, b, a]|x[b, a]|x[:, b]|x[:, a, b]|x[..., a, b]|x[a, ..., b]|x[a, None, a]
x[:, a, None, 0]|x[None, a, :, a]|x[a, :, a]|x[:, a, a]|x[a, a]|x[a, 0, a]|x[a, a, 0]|x[0, a, a]|x[a, True, a]|x[a, False, a]
x[True, True]|x[True, 0]|x[0, True, 0]|x[True, None]|x[True, ...]|x[..., True]|x[False, ...]|x[False, m2]|x[True, m2]|x[True, m23]
x[2**63]|x[-2**63]|x[2**62]|x[:2**62]|x[-2**62:]|x[x > 11]|x[x < 0]|x[~(x > 11)]|x[(x > 3) & (x < 9)]|x[(x < 3) | (x > 20)]
x[x == 5]|x[x != 5]|x[x >= 22]|x[x <= 1]|x[(x[..., 0] > 5)]
"""
TWISTED = "x[a]|x[:, a]|x[:, :, a]|x[True]|x[a, a]|x[a, :, a]|x[:, a, 0]|x[None, a]|x[x > 5]|x[[[0, 1], [1, 2]],]|x[1]|x[..., 1]|x[1:, ::2]|x[None]"
SHAPES_Y = """
x[:, 0, :, a]|x[0, :, a, 0]|x[a, 0, :, a]|x[a, :, a]|x[:, a, :, a]|x[:, a, a]|x[a, ..., a]|x[..., a, a]|x[a, b]
x[:, a, None, a]|x[:, a, None, 0]|x[None, a, :, a]|x[torch.tensor(0), :, a]|x[torch.tensor([0]), :, a]|x[:, a, torch.tensor(0), a]
x[:, b]|x[a, []]|x[[0], []]|x[[[0]] * 32]|x[[[0]] * 31]|x[[0] * 31]|x[[0] * 32]|x[a, :, b, :]|x[:, a, :, b]|x[a, b, :, a]
"""
ZERO_D = """
x[0]|x[-1]|x[:]|x[...]|x[()]|x[None]|x[None, None]|x[..., None]|x[True]|x[False]|x[[0]]|x[[True]]|x[torch.tensor(0)]|x[torch.tensor(True)]
x[torch.tensor([0])]|x[None, True]|x[True, False]|x[0, 0]|x[..., 0]|x[:, :]|x[x > 5]|x[x < 5]|x[[]]|x[1.5]|x[None, 0]
"""
EMPTY = [
    ("x = torch.zeros(0, 3)", "x[:, torch.tensor([5])]|x[torch.tensor([0])]|x[0]|x[[]]|x[:, 1]|x[:, 5]|x[:, [0, 1]]|x[x > 0]|x[1:]|x[torch.tensor([True])]"),
    ("x = torch.zeros(2, 0)", "x[torch.tensor([5])]|x[5]|x[torch.tensor([-9])]|x[:, [0]]|x[0]|x[[True, False]]|x[:, []]|x[[0, 1], []]|x[x > 0]|x[[0], [0]]"),
    ("x = torch.zeros(0)", "x[0]|x[[0]]|x[[]]|x[:]|x[x > 0]|x[None]|x[False]|x[True]|x[-1]"),
]


def numbered(name, prelude, expressions, start=0):
    for i, e in enumerate(expressions, start):
        yield f"{name}/{i:03}", [*prelude, e]


def split(table):
    """The entries of a table: a bar without spaces around it separates them."""
    return [e.strip() for line in table.strip().splitlines() for e in re.split(r"(?<! )\|(?! )", line)]


MASKS = {
    "m23u": "m23u = torch.tensor([[1, 0, 2], [0, 255, 0]], dtype=torch.uint8)",
    "m2u": "m2u = torch.tensor([0, 3], dtype=torch.uint8)",
    "m3u": "m3u = torch.tensor([1, 0, 1], dtype=torch.uint8)",
    "m34": "m34 = torch.tensor([[True, False, False, True], [False, False, False, False], [True, True, False, True]])",
    "m23": "m23 = " + MASK23,
    "m22": "m22 = torch.tensor([[True, False], [False, True]])",
    "m2": "m2 = torch.tensor([True, True])",
    "m3": "m3 = torch.tensor([True, False, True])",
    "m4": "m4 = torch.tensor([False, True, False, True])",
}


def needs(expression):
    """The index variables an expression mentions."""
    words = set(re.findall(r"\b[a-z]\w*\b", expression))
    lines = [line for line in AB if line[0] in words]
    return lines + [MASKS[w] for w in MASKS if w in words]


def read_table():
    for i, e in enumerate(split(SHAPES_X)):
        yield f"read/x{i:03}", [X, *needs(e), e]
    for i, e in enumerate(split(TWISTED)):
        yield f"read/p{i:03}", [P, *needs(e), e]
    for i, e in enumerate(split(SHAPES_Y)):
        yield f"read/y{i:03}", [Y, *needs(e), e + ".shape"]
    for i, e in enumerate(split(ZERO_D)):
        yield f"read/zero{i:03}", ["x = torch.tensor(7)", e]
    for k, (x, table) in enumerate(EMPTY):
        for i, e in enumerate(split(table)):
            yield f"read/empty{k}_{i:03}", [x, e]
    for i, d in enumerate(["bool", "uint8", "int8", "int16", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]):
        x = f"x = torch.arange(6).reshape(2, 3).to(torch.{d})"
        yield from numbered(f"read/{d}", [x], ["x[1]", "x[[1, 0]]", "x[:, [2, 0]]", "x[torch.tensor([[True, False, True], [False, False, True]])]", "x[..., ::2]"])


WRITES_X = """
x[0] = 5|x[:] = 5|x[...] = 5|x[()] = 5|x[None] = 5|x[0, 0, 0] = -7|x[1, ..., 2] = 3|x[:, 1:, ::2] = 0|x[True] = 4|x[False] = 4
x[0] = 2.9|x[0] = True|x[0] = 1j|x[0] = 1 + 0j|x[0] = float('nan')|x[0] = float('inf')|x[0] = 2**63|x[0] = -2**63|x[0] = 2**70|x[0] = np.float64(3.7)|x[0] = np.int32(3)
x[0] = [1, 2, 3, 4]|x[0] = (1, 2, 3, 4)|x[0] = np.array([1, 2, 3, 4])|x[0] = None|x[0] = 'a'|x[0] = np.float32(1)|x[0] = np.bool_(True)
x[0] = torch.tensor(9)|x[0] = torch.tensor([1, 2, 3, 4])|x[0] = torch.tensor([[1], [2], [3]])|x[0] = torch.tensor([[[1, 2, 3, 4]]])|x[0] = torch.tensor([1.9, -1.9, 2.5, 0.0])
x[0] = torch.tensor([1, 2, 3])|x[0, 0] = torch.tensor([[1, 2, 3, 4], [1, 2, 3, 4]])|x[0, 0, 0] = torch.tensor([[[5]]])|x[0, 0, 0] = torch.tensor([1, 2])|x[0, 0:0] = torch.tensor([1, 2, 3])
x[[0]] = 5|x[[0, 1]] = 5|x[[0, -1]] = 5|x[[0]] = 2.9|x[[0]] = 1j|x[[0]] = True|x[[0]] = float('nan')|x[[2]] = 5|x[[0, 5]] = 5|x[[0], [1]] = 5|x[[0], [1]] = 2.9|x[[0], [1]] = 1j|x[[0], [1]] = float('inf')
x[[0]] = torch.tensor(5)|x[[0]] = torch.tensor(5.0)|x[[0]] = torch.tensor(5, dtype=torch.int32)|x[[0, 1]] = torch.tensor([[1, 2, 3, 4]])|x[[0, 0]] = torch.tensor([[[1]], [[2]]])|x[[0, 0, 1]] = torch.arange(36).reshape(3, 3, 4)
x[[0, 1]] = torch.tensor([1, 2, 3])|x[[0, 1], [0, 1]] = torch.tensor([1, 2, 3, 4])|x[[0, 1], [0, 1]] = torch.tensor([[1], [2]])|x[[0, 1], [0, 1]] = torch.tensor([[[1, 2, 3, 4]]])|x[[0, 1], [0, 1], [0, 1]] = torch.tensor([7, 8])
x[[0, 1], :, [0, 1]] = torch.arange(6).reshape(2, 3)|x[[0, 1], :, [0, 1]] = torch.arange(6).reshape(3, 2)|x[0, :, [0, 1]] = torch.arange(6).reshape(3, 2)|x[[0, 1], 0, [0, 1]] = torch.tensor([5, 6])
x[:, [0, 2]] = torch.tensor([[1], [2]])|x[..., [3, 0]] = torch.tensor([1, 2])|x[:, [0, 0, 0]] = torch.arange(12).reshape(3, 4)|x[:, [3]] = 1|x[:, :, [0, 9]] = 1|x[[0, 1], [0, 3]] = torch.tensor([[1], [2]])
x[x > 11] = 0|x[x > 11] = 2.7|x[x > 100] = 5|x[x > 11] = torch.tensor(5)|x[x > 11] = torch.tensor([5.5])|x[x > 11] = torch.tensor([[[5]]])|x[x > 21] = torch.tensor([7, 8])|x[x > 21] = torch.tensor([7.0, 8.0])|x[x > 21] = torch.tensor([7, 8, 9])|x[x > 100] = torch.tensor([1, 2])
x[m23] = torch.arange(8).reshape(2, 4)|x[m23] = torch.tensor([[1], [2]])|x[m23] = 6|x[m22] = 6|x[m23, 0] = torch.tensor([5, 6])|x[m2, m3] = 4|x[m2, :, m4] = torch.arange(6).reshape(2, 3)|x[0, m34] = -1|x[m23u] = 3|x[m23u] = torch.tensor([3])|x[m23u] = torch.arange(12).reshape(3, 4)
x[m2] = 1j|x[m2] = float('nan')|x[m2] = torch.tensor([1, 2, 3, 4])|x[:, m3] = 5|x[:, m3] = torch.tensor(5)|x[:, m3] = torch.tensor([[5], [6]])|x[..., m4] = torch.tensor([5, 6])
x[True] = torch.arange(4)|x[False] = torch.tensor([1, 2, 3])|x[True] = torch.tensor([1, 2, 3])|x[True, 0] = 5|x[None, 0] = torch.tensor([1, 2, 3, 4])|x[torch.tensor(True)] = 3|x[torch.tensor(0)] = 3|x[torch.tensor([0, 1], dtype=torch.int32)] = 3
x[[]] = 5|x[[]] = torch.tensor([1, 2, 3])|x[[]] = torch.arange(4)|x[[], []] = 5|x[:, []] = torch.zeros(2, 0, 4)|x[5:] = 3|x[5:] = torch.arange(4)|x[5:] = torch.arange(3)
x[0, 0, 0, 0] = 1|x[2] = 1|x[0, 3] = 1|x[::-1] = 1|x[::0] = 1|x[1.5] = 1|x['a'] = 1|x[[5, 0]] = torch.zeros(2, 3, 4, dtype=torch.int64)|x[torch.tensor([0, 1], dtype=torch.int16)] = 1|x[[0, 1], [0, 1, 2]] = 1
x[0] = x[1]|x[:] = x|x[0:1] = x[0:1]|x[1:] = x[:-1]|x[:] = x[0]|x[0] = x[0].clone()|x[:, 1:] = x[:, :-1]|x[:, :, 1:] = x[:, :, :-1]|x[[0, 1]] = x|x[[1, 0]] = x.clone()|x[[0]] = x[0]|x[x > 3] = x[x > 3]
x[[0], True] = 5|x[[[0, 1], [1, 0]]] = 5|x[[0, 1],] = 5|x[(0, 1)] = 5|x[[True, False]] = 5|x[[1.9]] = 5|x[np.array([1])] = 5|x[np.array([True, False])] = 5
"""
MORE_WRITES = [
    ("overlap", "x = torch.arange(6)", "x[1:] = x[:-1]|x[:-1] = x[1:]|x[::2] = x[1::2]|x[::2] = x[:3]|x[2:4] = x[2:4]|x[:] = x|x[2:5] = x[0:3]|x[3:] = x[:3]|x[x] = 5|x[x] = x|x[x > 2] = x[3:]|x[[0, 1]] = x[4:]"),
    ("square", "x = torch.arange(9).reshape(3, 3)", "x[:] = x.t()|x[:] = x[0]|x[:] = x[:, :1]|x[0] = x[:, 0]|x[:, 1:] = x[:, :2]|x[1:] = x[:2]|x[:2, :2] = x[1:, 1:]|x[:] = x.t().clone()|x.t()[:] = x|x.t()[0] = 7|x.diagonal()[:] = torch.tensor([7, 8, 9])|x[x > 4] = x.t()[x > 4]"),
    ("expanded", "x = torch.zeros(1, 3).expand(2, 3)", "x[:] = 5|x[0] = 5|x[:] = torch.ones(2, 3)|x[0] = torch.ones(3)|x[0, 1] = 5|x[[0]] = torch.ones(1, 3)|x[[0, 1]] = 5"),
    ("u8", "x = torch.zeros(3, dtype=torch.uint8)", "x[0] = 300|x[0] = -1|x[0] = -255|x[0] = -256|x[0] = 255.5|x[0] = 256|x[0] = -0.5|x[0] = torch.tensor(300)|x[0] = torch.tensor(-1.5)|x[[0]] = 300|x[[0]] = -1|x[x > 7] = 300|x[x == 0] = -1|x[x == 0] = torch.tensor([300])|x[x == 0] = torch.tensor(300)|x[[0], ] = torch.tensor(300)|x[0:2] = torch.tensor([300, -1])|x[0] = float('nan')|x[...] = 1e10"),
    ("i8", "x = torch.zeros(3, dtype=torch.int8)", "x[0] = 127.9|x[0] = -128.5|x[0] = 128|x[0] = -128|x[0] = -129|x[0] = torch.tensor(200)|x[:] = torch.tensor([1.9, -1.9, 130.0])"),
    ("f16", "x = torch.zeros(3).half()", "x[0] = 65504|x[0] = 65520|x[0] = 1e6|x[:] = 1e6|x[0:1] = 1e6|x[[0]] = 1e6|x[0] = float('inf')|x[0] = torch.tensor(1e6)|x[x == 0] = 1e6|x[0:2] = 70000"),
    ("bf16", "x = torch.zeros(3).bfloat16()", "x[0] = 3e38|x[0] = 1e39|x[:] = 1e39|x[0:2] = 3.4e38|x[0] = 1.00390625|x[[0]] = 1e39"),
    ("f32", "x = torch.zeros(3)", "x[0] = 16777217|x[0] = 3.4028235e38|x[0] = 3.4028234e38|x[0] = 1e39|x[:] = 1e39|x[0] = 1j|x[0] = 2 + 0j|x[0] = torch.tensor(1e39, dtype=torch.float64)|x[0] = torch.tensor(1 + 2j)|x[[0]] = torch.tensor(2)|x[[0]] = 2|x[x == 0] = torch.tensor([2])|x[0] = -0.0"),
    ("bool", "x = torch.tensor([True, False, True])", "x[0] = 0|x[1] = 5|x[1] = 0.1|x[1] = float('nan')|x[1] = 1j|x[[1]] = 7|x[[1]] = 1j|x[x] = 0|x[~x] = 1j|x[1] = torch.tensor(3)|x[:] = torch.tensor([0.0, 0.5, -1.0])|x[[0]] = torch.tensor(1)"),
    ("complex", "x = torch.zeros(2, dtype=torch.complex64)", "x[0] = 1 + 2j|x[0] = 3|x[0] = True|x[[1]] = 2j|x[x == 0] = 1j|x[0] = torch.tensor(1.5)|x[[0]] = torch.tensor(1.5)|x[:] = torch.tensor([1j, 2 + 1j], dtype=torch.complex128)"),
    ("i32", "x = torch.zeros(3, dtype=torch.int32)", "x[0] = torch.tensor(3e9, dtype=torch.float64)|x[0] = 2**31|x[0] = 2147483647.5|x[0] = -2147483648.5|x[:] = torch.tensor([float('nan'), float('inf'), 1e20])|x[0] = 2**40|x[0] = torch.tensor(2**40)"),
    ("u64", "x = torch.zeros(3, dtype=torch.uint64)", "x[0] = 2**63|x[0] = 2**64|x[0] = -1|x[[0]] = 5|x[0] = torch.tensor(-1)|x[:] = torch.tensor([1, 2, 3])"),
    ("u16", "x = torch.zeros(3, dtype=torch.uint16)", "x[0] = 65536|x[0] = -1|x[0] = -65535|x[0] = -65536|x[[0]] = 5|x[[0]] = torch.tensor([5], dtype=torch.uint16)|x[0] = 65535.5"),
    ("zero_d", "x = torch.tensor(7)", "x[()] = 1|x[...] = 2|x[None] = 3|x[True] = 4|x[False] = 5|x[0] = 6|x[:] = 6|x[torch.tensor([0])] = 6|x[()] = torch.tensor([[5]])|x[()] = torch.tensor([1, 2])|x[x > 5] = 9|x[x > 5] = torch.tensor(9)|x[None, True] = 8"),
    ("rows", "x = torch.zeros(2, 3)", "x[False] = torch.tensor([1.0, 2.0])|x[[0, 0], [0, 0]] = torch.tensor([1.0, 2.0])|x[[1, 1, 1]] = torch.arange(9.0).reshape(3, 3)|x[:, [0, 0]] = torch.arange(4.0).reshape(2, 2)|x[0] = torch.tensor([1, 2, 3])|x[torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 1])] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])"),
    ("four", "x = torch.zeros(4, dtype=torch.int64)", "x[torch.tensor([0, 1, 9, 2])] = torch.tensor([1, 2, 3, 4])|x[torch.tensor([0, 1, 9, 2])] = 5|x[torch.tensor([0, 1, -9, 2])] = 5|x[torch.tensor([3, 3, 3])] = torch.tensor([1, 2, 3])"),
    ("empty", "x = torch.zeros(0, 3)", "x[:, [5]] = 1|x[[0]] = 1|x[:] = torch.zeros(2, 3)|x[:] = torch.zeros(3)|x[:] = torch.zeros(2)|x[[]] = 5|x[x > 0] = 5|x[x > 0] = torch.tensor([1.0, 2.0])|x[0] = 1"),
    ("windows", "x = torch.arange(5).as_strided((3, 3), (1, 1))", "x[:] = torch.tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])|x[:] = 4|x[1] = torch.tensor([7, 8, 9])"),
]


def write_table():
    for i, s in enumerate(split(WRITES_X)):
        yield f"write/x{i:03}", [X, *needs(s), s, "x"]
    for name, x, table in MORE_WRITES:
        for i, s in enumerate(split(table)):
            yield f"write/{name}{i:03}", [x, s, "x"]
    for i, s in enumerate(["v[0] = 9", "v[:, 0] = 9", "v[[1]] = 9", "v[v > 5] = 0", "v[...] = torch.arange(8).reshape(2, 4)"]):
        for j, v in enumerate(["x[0, 1:]", "x[:, 0]", "x[..., 1, :]", "x[1].t()[2:].t()[1:]", "x[[0]][0, 1:]"]):
            yield f"write/through{i}{j}", [X, f"v = {v}", s, "x"]


# Random subscripts ----------------------------------------------------------------------------------------------


def piece(g, shape, grown):
    """One index object for the leading axes of `shape`: (text, axes used)."""
    n = shape[0] if shape else None
    kinds = ["none", "bool"] if n is None else ["int"] * 5 + ["slice"] * 6 + ["array"] * 6 + ["mask"] * 3 + ["none", "bool", "zero"]
    kind = g.choice(kinds)
    if kind in ("int", "zero"):
        if n == 0 and not g.fault(1):
            return ":", 1
        i = g.randint(-n, n - 1) if n else 0
        if g.fault(0.3):
            i = g.choice([n, -n - 1, n + 5])
        if kind == "int":
            return str(i), 1
        return f"torch.tensor({i}{g.choice(['', '', ', dtype=torch.int32', ', dtype=torch.int8'])})", 1
    if kind == "slice":
        def bound():
            return "" if g.chance(0.4) else str(g.randint(-n - 1, n + 1))
        step = "" if g.chance(0.6) else ":" + str(g.choice([1, 2, 2, 3, -g.randint(1, 2) if g.backward or g.fault(0.5) else 1]))
        return f"{bound()}:{bound()}{step}", 1
    if kind == "none":
        return "None", 0
    if kind == "bool":
        return g.choice(["True", "True", "False"]) if g.chance(0.4) else "None", 0
    if kind == "mask":
        k = min(len(shape), g.choice([1, 1, 2]))
        block = list(shape[:k])
        if g.fault(0.3):
            block[-1] += 1
        total = count(block)
        wanted = grown[-1] if grown and g.chance(0.8) else 1
        on = set(g.sample(range(total), min(total, wanted)))
        return g.tensor(tuple(block), "bool", [i in on for i in range(total)]), k
    # an index array: a shape that broadcasts to `grown`
    s = tuple(1 if g.chance(0.2) else d for d in grown[g.randint(0, len(grown)) if g.chance(0.3) else 0 :])
    if not s:
        s = (1,)
    if n == 0:
        return (g.tensor(s), 1) if g.fault(1) else (":", 1)
    if g.fault(0.2):
        s = s[:-1] + (s[-1] + 1,)
    values = [g.randint(-n, n - 1) for _ in range(count(s))]
    if values and g.fault(0.3):
        values[g.randrange(len(values))] = g.choice([n, -n - 1])
    form = g.random()
    if form < 0.3 and values:
        literal = text(nest(values, s))
        return (literal if len(s) == 1 else f"torch.tensor({literal})"), 1
    if form < 0.36 and values and len(s) == 1 and n == count(s):
        return text([v % 2 == 0 for v in values]), 1
    if form < 0.45 and values:
        return f"np.array({text(nest(values, s))})", 1
    return g.tensor(s, g.choice(["int64", "int64", "int32"]), values), 1


def subscript(g, shape):
    """The text between the brackets, and its assignments of index variables."""
    grown = g.choice([(2,), (3,), (1,), (2, 2), (3, 2), (2, 1)] + ([(0,)] if g.chance(0.1) else []))
    parts, at, dots = [], 0, False
    while at < len(shape) or (not parts) or g.chance(0.12):
        if len(parts) >= 6:
            break
        if not dots and g.chance(0.1):
            dots = True
            parts.append("...")
            at = len(shape) - g.randint(0, len(shape) - at)
            continue
        if at >= len(shape) and parts and not g.chance(0.5):
            break
        p, used = piece(g, shape[at:], grown)
        parts.append(p)
        at += used
        if at < len(shape) and g.chance(0.22):
            break
    if g.fault(0.08):
        parts += ["0"] * (len(shape) + 1)
    inner = ", ".join(parts)
    if len(parts) == 1 and parts[0].startswith("["):
        inner += ","
    return inner


def random_reads(amount):
    g = Gen("torch subscript reads")
    for i in range(amount):
        g.faults = g.chance(0.2)
        shape = g.shape(0, 4)
        dtype = "int64" if g.chance(0.8) else g.choice(["float32", "uint8", "bool", "float64", "int16", "complex64", "bfloat16"])
        inner = subscript(g, shape)
        yield f"read/r{i:04}", [f"x = {g.twisted(shape, dtype)}", f"x[{inner}]"]


def random_writes(amount, result_shape):
    """`result_shape` tells what shape a read has, so that most values fit."""
    g = Gen("torch subscript writes")
    for i in range(amount):
        g.faults = g.chance(0.2)
        shape = g.shape(0, 4)
        dtype = g.choice(["int64"] * 4 + ["float32", "float32", "uint8", "int32", "float16", "bool", "complex64", "bfloat16", "float64"])
        while True:
            made = g.twisted(shape, dtype)
            if "expand" not in made:
                break
        x = f"x = {made}"
        inner = subscript(g, shape)
        into = result_shape([x, f"x[{inner}]"])
        if into is None or g.chance(0.35):
            value = text(g.values(dtype, 1)[0])
        else:
            s = tuple(1 if g.chance(0.15) else d for d in into)
            s = s[g.randint(0, len(s)):] if g.chance(0.2) else s
            if g.fault(0.3):
                s = s + (g.randint(2, 3),)
            vtype = dtype if g.chance(0.85) else g.choice(["int64", "float32", "int32"])
            value = g.tensor(s, vtype)
        lines = [x, f"x[{inner}] = {value}", "x"]
        if sum(map(len, lines)) < 1500:
            yield f"write/r{i:04}", lines


def cases(result_shape):
    yield from read_table()
    yield from write_table()
    yield from random_reads(1000)
    yield from random_writes(600, result_shape)
