"""The calls of `takewise` on rows of different lengths, each with what it means in plain NumPy."""

import numpy as np
from rows import row
from rows_neutral import counted

M = "takewise"
EDGES = [0, 1, 1, 3]


def places(ids):
    """The positions of the rows that are named."""
    return np.concatenate([np.zeros(0, int), *(np.arange(EDGES[k], EDGES[k + 1]) for k in counted(ids).tolist())])


def ends(lengths):
    return np.cumsum([0, *(int(n) for n in lengths)])


def taken(x, ids):
    return x[places(ids)], ends(np.diff(EDGES)[counted(ids).tolist()])


def packed(x, lengths):
    return np.concatenate([x[0, :0], *(x[k, :n] for k, n in enumerate(counted(lengths).tolist()))]), ends(lengths)


def padded(x):
    made = np.zeros((3, 2, *x.shape[1:]), x.dtype)
    made[0, 0], made[2] = x[0], x[1:3]
    return made


def stored(x, ids, y):
    x[places(ids)] = y
    return x


def searched(s, w):
    return np.array([np.searchsorted(s[:2], w[0]), np.searchsorted(s[2:], w[1])])


row(M, "take_ranges", lambda f, x, i: f(x, EDGES, i), taken)
row(M, "range_positions", lambda f, i: f(EDGES, i), lambda i: (places(i), taken(np.arange(3), i)[1]))
row(M, "range_ids", lambda f, i: f(lengths=i), lambda i: np.repeat(np.arange(i.size), counted(i)))
row(M, "repeat_ranges", lambda f, x, h: f(x, lengths=h), lambda x, h: np.repeat(x, counted(h).astype("i8"), 0))
row(M, "reduce_ranges", lambda f, x, i: f(x, [0, 1, 2], "sum", i), lambda x, i: x[counted(i)])
row(M, "pad_ranges", lambda f, x: f(x, EDGES), padded)
row(M, "pack_ranges", lambda f, x, h: f(x, h), packed)
row(M, "offsets_of", lambda f, r: f(r, 3), lambda r: np.searchsorted(counted(r), [0, 1, 2, 3]))
row(M, "searchsorted_ranges", lambda f, s, w: f(s, [0, 2, 5], w), searched)
for _name in ("put_ranges", "put_ranges_"):
    row(M, _name, lambda f, x, i, y: f(x, EDGES, i, y), stored)
