"""Keys that people read in two ways: refused where that is asked for, with both readings and their shapes."""

import numpy as np
import pytest

import takewise

X = np.arange(24).reshape(2, 3, 4)
I, J = np.array([1, 2]), np.array([0, 1])
ALL = slice(None)
# A key, the shape of NumPy's reading, and that of the other; None where there is one reading.
KEYS = [
    ((0, ALL, I), [2, 3], [3, 2]),
    ((J, ALL, I), [2, 3], [2, 3, 2]),
    ((J, ..., I), [2, 3], [2, 3, 2]),
    ((ALL, None, J, None, I), [2, 2, 1, 1], [2, 1, 2, 1, 2]),
    ((X[:, 0, 0] == 0, ALL, I), [2, 3], [1, 3, 2]),
    ((0, ALL, 0), None, None),
    ((0, I), None, None),
    ((ALL, J, I), None, None),
    ((0, ALL, np.array(1)), None, None),
    (J, None, None),
    ((X > 3,), None, None),
]


@pytest.fixture
def refusing():
    takewise.set_mixed("refuse")
    yield
    takewise.set_mixed("front")


@pytest.mark.parametrize(("key", "front", "other"), KEYS)
def test_both_readings_are_shown(key, front, other):
    want = X[key]
    assert np.array_equal(takewise.index(X, key, mixed="front"), want)
    calls = [
        lambda **word: takewise.index(X, key, **word),
        lambda **word: takewise.index_put(X, key, 0, **word),
        lambda **word: takewise.index_put(X, key, 0, True, **word),
        lambda **word: takewise.index_set(X.copy(), key, 0, **word),
        lambda **word: takewise.explain("takewise.index(x, key)", x=X, key=key) if not word else takewise.index(X, key, **word),
    ]
    for call in calls:
        if front is None:
            call(mixed="refuse")
            continue
        with pytest.raises(ValueError, match="can be read in two ways") as caught:
            call(mixed="refuse")
        text = str(caught.value)
        assert list(want.shape) == front and f"shape {front}, written vindex(x, key)" in text and f"shape {other}" in text, text
        call()


def test_nothing_is_written_by_a_refused_key():
    x = X.copy()
    with pytest.raises(ValueError, match="two ways"):
        takewise.index_put_(x, (0, ALL, I), 99, mixed="refuse")
    assert np.array_equal(x, X)


def test_a_program_refuses_them_everywhere(refusing):
    key = (0, ALL, I)
    assert takewise.get_mixed() == "refuse"
    for call in (
        lambda: takewise.index(X, key),
        lambda: takewise.at(X)[key].get(),
        lambda: takewise.at(X)[key].add(1),
        lambda: takewise.at(X.copy())[key].set_(1),
    ):
        with pytest.raises(ValueError, match="two ways"):
            call()
    # Where a call says so, and where the rules are a library's, nothing changes.
    assert takewise.index(X, key, mixed="front").shape == (2, 3)
    assert takewise.vindex(X, key).shape == (2, 3) and takewise.oindex(X, key).shape == (3, 2)
    assert takewise.torch.arange(24).reshape(2, 3, 4)[key].shape == (3, 2)


def test_the_words():
    with pytest.raises(ValueError, match='mixed must be one of "front", "refuse"'):
        takewise.index(X, 0, mixed="both")
    with pytest.raises(ValueError, match='mixed must be one of "front", "refuse"'):
        takewise.set_mixed("both")
