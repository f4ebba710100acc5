"""Where an answer is meant to differ from the reference's, and why.

Each is a sort of finding, what its title looks like, and the reason. In a long run an entry that nothing matches is a
fault.
"""

KNOWN: list[tuple[str, str, str]] = []
