"""Where an answer is meant to differ from the reference's, and why.

Each is a sort of finding, what its title looks like, and the reason. In a long run an entry that nothing matches is a
fault.
"""

BIG = "numpy big-endian (u?int|float|complex)"
COMPARE = "(eq|ne|lt|le|gt|ge)"

KNOWN: list[tuple[str, str, str]] = [
    ("accepted", rf"^takewise\.jax.*= {BIG}", "the same numbers in the other byte order; JAX refuses the order"),
    ("(accepted|wrong)", r"= class with __index__", "an object with __index__ is that integer everywhere here"),
    (
        "accepted",
        r"^takewise\.jax\.at get fill with ",
        "JAX refuses a fill value that equals one it has refused before, such as a long double",
    ),
    (
        "accepted",
        r"^takewise\.torch\..*= (memoryview of|layout negative|layout field|numpy uint64|torch of 70 axes)",
        "PyTorch cannot make a tensor of these without a copy, or at all; here they are read where they are",
    ),
    (
        "accepted",
        r"^takewise\.torch\..*= (ml_dtypes|jax) bfloat16",
        "PyTorch has the dtype, and does not know it in NumPy's arrays",
    ),
    (
        "wrong",
        r"^takewise\.torch\..*float8_e8m0fnu",
        "the dtype has no zero: of one, ml_dtypes makes NaN and PyTorch the smallest number",
    ),
    ("accepted", r"= ctypes array of pointers", "addresses are moved as they are"),
    ("(accepted|wrong)", r"^takewise\.(torch\.)?is_tensor with", "asks what it is, and reads nothing"),
    (
        "accepted",
        r"^takewise\.mindspore\..*(where|\.to).*bfloat16",
        "MindSpore promotes bfloat16, which NumPy knows nothing of",
    ),
    (
        "refused",
        r"^takewise\.Tensor\.(__setitem__|index_|masked_scatter|put|scatter)",
        "methods of tensors want equal dtypes, as PyTorch's do; the functions convert",
    ),
    (
        "refused",
        rf"^takewise\.Tensor\.((__)?{COMPARE}|logical_|all|any).*(datetime64|timedelta64)",
        "dates and numbers are not compared by methods of tensors",
    ),
    (
        "(accepted|wrong)",
        rf"^takewise\.(torch\.)?Tensor\.__{COMPARE}__ with .*y = ",
        "whoever of the two arrays knows the other compares them; where neither does, Python says that they differ",
    ),
    (
        "wrong",
        rf"^takewise\.Tensor\.(__)?{COMPARE}.* = value .*",
        "NumPy compares an object as such; here it is an integer or no operand",
    ),
    (
        "accepted",
        r"^takewise\.torch\.from_dlpack with x = (array|bytearray|memoryview|mmap|ctypes)",
        "memory that is lent in another way is taken as well",
    ),
    (
        "(accepted|wrong)",
        r"^takewise\.torch\..*= (array\.array|bytearray|ctypes array)",
        "memory that is lent is read in its own dtype, as a tensor; PyTorch takes numbers out of it one by one, or nothing",
    ),
    ("accepted", r"^takewise\.torch\..*made for inference", "tensors made for inference are like others here"),
    ("accepted", r"^takewise\.torch\.Tensor\.scatter.* u = .*0-d", "an array without axes is a number"),
    ("refused", r"^takewise\.Tensor\.view(_as)? ", "a view is never a copy"),
    (
        "(accepted|wrong)",
        r"^takewise\.(mindspore\.ops|Tensor)\.where .*(bfloat16|float16)",
        "half numbers stay so beside integers in MindSpore, and NumPy knows nothing of bfloat16",
    ),
    ("accepted", r"^takewise\.Tensor\.(to|type_as|new_tensor|copy_) .*struct empty", "nothing becomes zeros"),
    ("wrong", r"^takewise\.Tensor\.(to|type_as) .*without a unit", "NumPy takes over the unit of what is converted"),
    (
        "(accepted|wrong)",
        r"^takewise\.((mindspore\.)?(Tensor|ops)\.)?(m?sort|argsort|flip|diag_embed|index_select) .*(value|0-d|axis|axes)",
        "ranks as in PyTorch: what has no axis is sorted and turned along its only one",
    ),
    (
        "wrong",
        r"^takewise\.jax.*numpy (big-endian )?u?int64",
        "JAX narrows numbers of 64 bits before it computes; here they are kept until the result",
    ),
    ("accepted", r"^takewise\.Tensor\.masked_fill with x = (value|layout 0-d)", "the mask stretches it, as in PyTorch"),
    (
        "refused",
        r"(add|subtract|multiply|minimum|maximum|sum|index_reduce|scatter_reduce|accumulate|at (add|mul|max|min)).*"
        r"= numpy (big-endian )?(datetime64|timedelta64|c?longdouble)",
        "dtypes that only NumPy computes with are combined by nobody else: refused by name",
    ),
    (
        "accepted",
        r"^takewise\.numpy\..*(bfloat16|ml_dtypes)",
        "the dtypes meet as they do in PyTorch and JAX; whether NumPy knows a pair depends on what was loaded first",
    ),
    (
        "accepted",
        r"^takewise\.(sort|argsort|msort|masked_scatter|where mask).*(0-d|64 axes|scalar|= bytes|value)",
        "arrays without axes are sorted and searched as PyTorch does, and masks stretch them",
    ),
    (
        "accepted",
        r"^takewise\.((numpy|Tensor)\.)?(logical_not|tril_indices_from|triu_indices_from|diag_indices_from) with",
        "spans of time have a truth, and lists a shape",
    ),
    ("wrong", r"= memoryview of c$|= class record array", "the bytes and fields are the same, their class is plain"),
    ("accepted", r"= DLPack with type code 99", "elements of an unknown type are moved, and no more"),
    ("refused", r"^takewise\.(take|gather|copy) out with", "out= of these functions has the dtype of the result"),
    ("wrong", r"^takewise\.full with c = (torch|numpy|value|jax|ml_dtypes)", "what fills is a number, of Python's dtype"),
    ("(accepted|wrong)", r"= ctypes array of structs", "the bytes are moved; the names of the fields are Python's to read"),
    (
        "(accepted|wrong)",
        r"^takewise\.(Tensor\.|mindspore\.(Tensor\.|ops\.))?masked_(fill|scatter|select)",
        "masks and arrays stretch each other, as in PyTorch",
    ),
    (
        "accepted",
        r"^takewise\.(torch\.)?Tensor\.__(eq|ne)__",
        "what cannot be compared is not equal, as everywhere in Python",
    ),
    (
        "accepted",
        r"^takewise\.numpy\..*= (list|tuple|array\.array|memoryview|class offering)",
        "NumPy's functions written in Python read attributes of arrays; here lists and buffers are arrays everywhere",
    ),
    ("(accepted|wrong)", r"= ctypes (number|array)", "numbers and arrays of ctypes are arrays, lent like any other memory"),
    (
        "accepted",
        r"^takewise\.jax\..*= (memoryview|bytearray|array\.array)",
        "memory that is lent is an array everywhere here",
    ),
    ("wrong", r"^takewise\.jax\..*= (bytearray|memoryview)", "memory that is lent is read in its own dtype"),
    (
        "wrong",
        r"^takewise\.numpy\.(linspace|arange) with .*(bfloat16|ml_dtypes)",
        "numbers of another library's dtype count in it",
    ),
    ("wrong", r"^takewise\.numpy\.array_split with x = (list|tuple)", "lists are arrays everywhere here"),
    ("wrong", r"^takewise\.jax\.numpy\.(sort|argsort) .*int2", "JAX sorts numbers of two bits wrongly"),
    ("wrong", r"^takewise\.jax\.numpy\.searchsorted .*(int2|e8m0fnu)", "the sequence is not sorted in that dtype"),
    ("wrong", r"^takewise\.jax\.numpy\.reshape with x = numpy", "JAX leaves arrays of NumPy's what they are, wide ones too"),
    ("accepted", r"^takewise\.jax\.numpy\.\w+ with .* = value bool scalar", "a boolean scalar counts as 0 or 1"),
    ("accepted", r"= class character array", "text is stored as any other"),
    ("accepted", r"^takewise\.(torch\.)?(Tensor\.)?put_ accumulate with", "values for as many places, whatever their shape, as in PyTorch"),
    ("accepted", r"^takewise\.(at|index_set).* with [im] = value (None|Ellipsis)", "a mask or an index may be any subscript"),
    ("accepted", r"^takewise\.torch\.scatter.* with u = jax of weak type", "an array without axes is a number"),
    ("(accepted|wrong)", r"^takewise\.torch\..*_scatter with .*overlapping", "PyTorch copies the overlap, and writes into it"),
    ("wrong", r"^takewise\.torch\.Tensor\..*= memoryview", "a list of numbers to PyTorch, memory here"),
    ("wrong", r"^takewise\.mindspore\.ops\.(full|expand_as)", "what fills is a number; what has no elements stretches to none"),
    ("wrong", r"^takewise\.Tensor\.\w+ with .*= value (inf|nan|1\.5|1\.0)", "a tensor of a number is float32, as in PyTorch"),
    ("wrong", r"^takewise\.arange with c = (numpy|torch|jax)", "what counts is a number, of Python's dtype"),
    ("wrong", r"^takewise\.(Tensor\.)?as_strided_? with", "what lies between the elements of a view is read as well, as in PyTorch"),
    ("wrong", r"^takewise\.atleast_\dd with x = (list|tuple) of arrays", "several arrays are several results"),
    ("refused", r"^takewise\.(Tensor\.)?(tolist|item) with", "dates and spans of time are shown, not read out"),
    (
        "(accepted|wrong)",
        r"^takewise\.(Tensor\.)?adjoint ",
        "what has no imaginary part is its own conjugate, in its own dtype and order of bytes",
    ),
    ("refused", r"^takewise\.(Tensor\.)?adjoint .*complex", "conjugation is arithmetic"),
    (
        "accepted",
        r"(scatter.* with j|__getitem__ with i) = (list of empty|list empty|ctypes array of nothing|\w+ empty)",
        "an index without values addresses nothing, whatever its dtype would be",
    ),
    ("accepted", r"^takewise\.take fill with", "the reference is this test's own, and takes less"),
    (
        "accepted",
        r"^takewise\.(put_|Tensor\.put_?|put|numpy\.searchsorted sorter) with [ip] = (memoryview of [QLN]|numpy (big-endian )?uint64)",
        "positions of 64 bits without a sign are positions",
    ),
    ("wrong", r"^takewise\.linspace with c = value inf", "counted from both ends, as PyTorch does"),
    ("wrong", r"^takewise\.mindspore\.ops\.arange with c = .*bfloat16", "NumPy knows nothing of bfloat16"),
    ("wrong", r"^takewise\.mindspore\.ops\.where .*big-endian", "MindSpore has no other order of bytes"),
    ("wrong", r"^takewise\.numpy\.\w+_indices with c = (numpy|torch) uint", "a size is a number, whatever its dtype"),
    ("accepted", r"^takewise\.numpy\.\w+_indices with c = (numpy|torch) uint", "a size is a number, whatever its dtype"),
    (
        "accepted",
        r"^takewise\.torch\.Tensor\.scatter.*, c = .*(jax|numpy)",
        "an array without axes is a number",
    ),
    ("accepted", r"^takewise\.(zeros|ones|empty|full) with i = (value|numpy|jax|torch)", "a number is a shape of one axis"),
    ("wrong", r"^takewise\.(tensor|as_tensor) with x = list of empty", "a list without numbers has the dtype of floats"),
    ("wrong", r"^takewise\.\w+Tensor with x = value", "a number is a size, as in PyTorch's constructors by type"),
    (
        "hang",
        r"(randn|rand|randint|randperm|_indices|arange|zeros|ones|eye) with .*value 2\*\*31",
        "so many numbers take their time",
    ),
    ("accepted", r"^takewise\.searchsorted with s = class matrix", "a matrix is searched row by row, as in PyTorch"),
    ("accepted", r"^takewise\.numpy\.\w+( at mask|_at).* with x = class matrix", "selected by a mask, a matrix has one axis"),
]
