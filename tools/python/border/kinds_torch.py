"""Every dtype, layout and device-less kind of tensor that PyTorch can make in main memory, and JAX's arrays."""

import warnings

import numpy as np
from kinds import KINDS, kind


def torch_dtypes(torch):
    """PyTorch's dtypes by their names, without second names."""
    found = {}
    for name in sorted(vars(torch)):
        value = getattr(torch, name)
        if isinstance(value, torch.dtype):
            found.setdefault(value, str(value).removeprefix("torch."))
    return {name: value for value, name in found.items()}


# Those the engine has numbers for.
CITIZENS = {
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64",
    "complex64", "complex128",
}  # fmt: skip


def holding(torch, base, dtype):
    """A tensor of any dtype: the base's values where it converts them, else the base's bytes."""
    plain = torch.from_numpy(base.astype("i8" if base.dtype != bool else "?"))
    try:
        return plain.to(dtype)
    except (RuntimeError, NotImplementedError, TypeError):
        size = torch.empty((), dtype=dtype).element_size()
        raw = plain.to(torch.uint8).reshape(*base.shape, 1).repeat(*([1] * base.ndim), size)
        return raw.view(dtype).reshape(base.shape)


def freed(torch, base):
    made = torch.from_numpy(base.astype("f8")).clone()
    made.untyped_storage().resize_(0)
    return made


def short(torch, base):
    made = torch.from_numpy(base.astype("f8")).clone()
    made.untyped_storage().resize_(max(made.nbytes - 8, 0))
    return made


def fake(torch, base):
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        return torch.zeros(base.shape)


def functional(torch, base):
    return torch._to_functional_tensor(torch.from_numpy(base.astype("f8")))


def quantized(torch, base, dtype):
    return torch.quantize_per_tensor(torch.from_numpy(base.astype("f4")), 1.0, 0, dtype)


def negated(torch, base):
    return torch.complex(torch.zeros(base.shape), torch.from_numpy(base.astype("f4"))).conj().imag


def subclass(torch):
    class Own(torch.Tensor):
        pass

    return lambda base: torch.from_numpy(base.copy()).as_subclass(Own)


def wrapper(torch):
    """A tensor without memory of its own, whose operations are Python functions."""

    class Wrapper(torch.Tensor):
        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
            made.inner = inner
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise RuntimeError("this tensor does nothing")

    return lambda base: Wrapper(torch.from_numpy(base.astype("f8")))


def torch_kinds():
    try:
        import torch
    except ImportError:
        return
    plain = lambda base: torch.from_numpy(base.copy())
    real = lambda base: torch.from_numpy(base.astype("f8"))

    def add(name, make, **more):
        more.setdefault("words", ())
        more["words"] = (*more["words"], "Tensor", "tensor", "torch")
        kind(f"torch {name}", make, home="torch", **more)

    for name, dtype in torch_dtypes(torch).items():
        if name in ("quint8", "qint8", "qint32", "quint4x2", "quint2x4"):
            continue
        # Of the many dtypes without a single operation, a few stand in pairs for all.
        paired = (
            name in CITIZENS
            or name.startswith(("float8", "complex"))
            or name in ("int4", "uint3", "bits8", "float4_e2m1fn_x2")
        )
        more = {"citizen": name in CITIZENS, "dtype": paired, "words": (name, str(dtype))}
        add(name, lambda base, dtype=dtype: holding(torch, base, dtype), **more)
    for name in ("quint8", "qint8", "qint32"):
        add(
            f"quantized {name}",
            lambda base, name=name: quantized(torch, base, getattr(torch, name)),
            words=(name, "quantized"),
        )
    for layout in ("coo", "csr", "csc"):
        make = {
            "coo": lambda b: real(b).to_sparse(),
            "csr": lambda b: real(b).to_sparse_csr(),
            "csc": lambda b: real(b).to_sparse_csc(),
        }[layout]
        add(f"sparse {layout}", make, words=("sparse",))
    add("mkldnn", lambda base: real(base).float().to_mkldnn(), words=("mkldnn",))
    add("nested", lambda base: torch.nested.nested_tensor([torch.arange(2.0), torch.arange(3.0)]), words=("nested",))
    add(
        "nested jagged",
        lambda base: torch.nested.nested_tensor([torch.arange(2.0), torch.arange(3.0)], layout=torch.jagged),
        words=("nested",),
    )
    add("meta", lambda base: torch.empty(base.shape, device="meta"), words=("meta",))
    add("fake", lambda base: fake(torch, base), words=("fake", "Fake", "memory", "meta"), hostile=True)
    add("functional", lambda base: functional(torch, base), words=("functional", "memory", "storage"))
    add("zero", lambda base: torch._efficientzerotensor(base.shape), words=("zero", "memory"))
    add("of freed storage", lambda base: freed(torch, base), words=("storage", "memory"), hostile=True)
    add("of short storage", lambda base: short(torch, base), words=("storage", "memory"), hostile=True)
    add("wrapper", wrapper(torch), words=("nothing", "storage", "memory", "Wrapper"), hostile=True)
    add("conj view", lambda base: torch.complex(real(base), real(base)).conj(), words=("conj",))
    add("neg view", lambda base: negated(torch, base), words=("negat",))
    add("requires grad", lambda base: real(base).requires_grad_(), words=("grad",))
    add("parameter", lambda base: torch.nn.Parameter(real(base)), words=("grad", "Parameter"))
    add("buffer", lambda base: torch.nn.Buffer(real(base)))
    add("of a class of its own", subclass(torch))
    add("made for inference", lambda base: inference(torch, base), words=("inference",))
    add("0-d", lambda base: plain(base).reshape(-1)[:1].reshape(()))
    add("empty", lambda base: plain(base)[:0] if base.ndim else plain(base).reshape(1)[:0])
    add("expanded", lambda base: plain(base).reshape(-1)[:1].expand(base.shape) if base.ndim else plain(base))
    add("transposed", lambda base: plain(base).t().contiguous().t() if base.ndim == 2 else plain(base), citizen=True)
    add("channels last", lambda base: plain(base)[None, None].contiguous(memory_format=torch.channels_last))
    add(
        "spaced",
        lambda base: plain(base).repeat_interleave(2, -1)[..., ::2] if base.ndim else plain(base),
        citizen=True,
    )
    add("overlapping", lambda base: torch.arange(20.0).as_strided(base.shape, (1,) * base.ndim))
    add("one axis", lambda base: plain(base).reshape(-1))
    add(
        "of 70 axes",
        lambda base: plain(base).reshape((1,) * (70 - base.ndim) + base.shape),
        words=("axes", "dimension"),
    )
    add("under vmap", lambda base: batched(torch, base), words=("vmap", "functorch", "Batched"), hostile=True)


def inference(torch, base):
    with torch.inference_mode():
        return torch.from_numpy(base.astype("f8")).clone()


def batched(torch, base):
    """A tensor as a function under vmap sees it."""
    kept = []
    torch.vmap(lambda x: kept.append(x) or x)(torch.from_numpy(base.astype("f8"))[None])
    return kept[0]


def jax_kinds():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import jax
            import jax.numpy as jnp
    except ImportError:
        return

    def add(name, make, **more):
        more.setdefault("words", ())
        more["words"] = (*more["words"], "jax", "JAX", "Array")
        kind(f"jax {name}", make, home="jax", **more)

    plain = (
        "bool",
        "int8",
        "int16",
        "int32",
        "uint8",
        "uint16",
        "uint32",
        "float16",
        "bfloat16",
        "float32",
        "complex64",
    )
    for name in (*plain, "float8_e4m3fn", "float8_e5m2", "float8_e3m4", "float4_e2m1fn", "int4", "uint4", "int2"):
        if not hasattr(jnp, name):
            continue
        make = lambda base, name=name: jnp.asarray(base.astype("i4")).astype(name)
        add(name, make, citizen=name in plain, dtype=True, words=(name,))
    add("0-d", lambda base: jnp.asarray(base.ravel()[0]))
    add("empty", lambda base: jnp.zeros(0, "float32"))
    add("of weak type", lambda base: jnp.asarray(1))
    add("PRNG key", lambda base: jax.random.split(jax.random.key(0), base.shape), words=("key",))
    add("tracer", lambda base: tracer(jax, base), words=("trac", "Trac"), hostile=True)
    add("deleted", lambda base: deleted(jnp, base), words=("deleted", "donated"), hostile=True)
    add("abstract value", lambda base: jax.ShapeDtypeStruct(base.shape, np.dtype("f4")), words=("Shape",), hostile=True)


def tracer(jax, base):
    kept = []
    jax.jit(lambda x: kept.append(x) or x)(base.astype("f4"))
    return kept[0]


def deleted(jnp, base):
    made = jnp.asarray(base.astype("f4")) + 1
    made.delete()
    return made


def warm():
    """Loads what PyTorch loads when it is first asked for it, so that no case is slower for it than others."""
    for name in ("fake", "functional", "nested jagged", "under vmap", "wrapper"):
        if f"torch {name}" in KINDS:
            KINDS[f"torch {name}"].make(np.zeros((2, 2)))


torch_kinds()
jax_kinds()
