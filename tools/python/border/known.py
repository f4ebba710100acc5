"""Where an answer is meant to differ from the reference's, and why.

Each is a sort of finding, what its title looks like, and the reason. In a long run an entry that nothing matches is a
fault.
"""

BIG = "numpy big-endian (u?int|float|complex)"

KNOWN: list[tuple[str, str, str]] = [
    ("accepted", rf"^takewise\.jax.*= {BIG}", "the same numbers in the other byte order; JAX refuses the order"),
    ("accepted", r"^takewise\.jax.*= class with __index__", "an object with __index__ is that integer everywhere here"),
    (
        "accepted",
        r"^takewise\.torch\..*= memoryview of",
        "a memoryview of several axes lends them; PyTorch reads memoryviews of one axis only",
    ),
    (
        "accepted",
        r"^takewise\.torch\..*= (ml_dtypes|jax) bfloat16",
        "PyTorch has the dtype, and does not know it in NumPy's arrays",
    ),
    (
        "accepted",
        r"^takewise\.mindspore\..*(where|\.to).*bfloat16",
        "MindSpore promotes bfloat16, which NumPy knows nothing of",
    ),
    (
        "refused",
        r"^takewise\.Tensor\.(index_|masked_scatter|put|scatter)",
        "methods of tensors want equal dtypes, as PyTorch's do; the functions convert",
    ),
    (
        "(accepted|wrong)",
        r"^takewise\.torch\.Tensor\.__(eq|ne|lt|le|gt|ge)__ with .*y = (numpy|ml_dtypes|jax)",
        "whoever of the two arrays knows the other compares them, and PyTorch leaves less to itself",
    ),
]
