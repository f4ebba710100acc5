"""The generators' choices, drawn by hypothesis: it varies what it has tried, and of a case that differs it keeps the smallest.

Slower than the seeded generators, as every choice is one of hypothesis's own.
"""

import itertools

import hypothesis
import literal
import replay
from hypothesis import strategies as st


class Drawn(literal.Gen):
    """A random source that hypothesis draws from, whose smallest choices are the first and what is left to chance not to be;
    `draw` is set while a case is made."""

    draw = None

    def random(self):
        return Drawn.draw(st.integers(0, 2**16 - 1)) / 2**16

    def chance(self, p):
        return 1 - self.random() <= p

    def _randbelow(self, n):
        return Drawn.draw(st.integers(0, n - 1))


@st.composite
def cases(draw, library):
    """The statements of a case."""
    Drawn.draw, literal.Gen.kind = draw, Drawn
    try:
        generator = draw(st.sampled_from(replay.sources(library, 1)[1]))
        # One generator makes a write of every third case and reads of the others.
        nth = draw(st.integers(0, 1))
        return next(itertools.islice(generator, nth, None))[1]
    finally:
        literal.Gen.kind = None


def smallest(library, count, seed, differs):
    """Holds `differs(statements)`, what differs if anything does, against that many cases: the smallest that does."""
    found = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(cases(library))
    def holds(statements):
        try:
            what = differs(statements)
        except SyntaxError:
            hypothesis.reject()
        found[:] = [(statements, what)] if what else []
        assert not what

    try:
        holds()
    except AssertionError:
        return found
    return []
