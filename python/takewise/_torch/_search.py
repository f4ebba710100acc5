"""Operators whose results are positions, which have no gradients."""

from takewise._torch._define import Operator
from takewise._torch._here import ops, torch
from takewise._torch._shapes import front, one_by_one


def positions(values, of, out_int32):
    return of.new_empty(values, dtype=torch.int32 if out_int32 else torch.int64)


class Searchsorted(Operator):
    name = "searchsorted"
    types: "dict[str, str | None]" = {"Axis": None}

    @staticmethod
    def shape(sorted_sequence, input, out_int32=False, *rest):
        return positions(input.shape if isinstance(input, torch.Tensor) else (), sorted_sequence, out_int32)

    @staticmethod
    def batched(overload, batch, in_dims, sequence, input, out_int32=False, right=False, side=None, sorter=None, threads=None):
        if in_dims[0] is None and sequence.ndim == 1 and sorter is None:
            return ops.searchsorted(sequence, input.movedim(in_dims[1], 0), out_int32, right, side, None, threads), 0
        dims = (*in_dims, *(None,) * (6 - len(in_dims)))
        sequence, values = front(sequence, dims[0], batch), front(input, dims[1], batch)
        sorter = None if sorter is None else front(sorter, dims[5], batch)
        rows = values.reshape(batch, -1) if sequence.ndim == 2 else values
        return ops.searchsorted(sequence, rows, out_int32, right, side, sorter, threads).reshape(values.shape), 0


class SearchsortedScalar(Operator):
    name = "searchsorted.Scalar"
    types = {"Axis": None, "Sought": "Scalar"}
    shape = Searchsorted.shape
    batched = Operator.batched


class Bucketize(Operator):
    name = "bucketize"

    @staticmethod
    def shape(input, boundaries, out_int32=False, *rest):
        return positions(input.shape if isinstance(input, torch.Tensor) else (), boundaries, out_int32)

    @staticmethod
    def batched(overload, batch, in_dims, input, boundaries, *rest):
        if in_dims[1] is None:
            return ops.bucketize(input.movedim(in_dims[0], 0), boundaries, *rest), 0
        return one_by_one(overload, batch, in_dims, input, boundaries, *rest)


class BucketizeScalar(Bucketize):
    name = "bucketize.Scalar"
    types = {"Sought": "Scalar"}
    batched = Operator.batched


class Nonzero(Operator):
    name = "nonzero"

    @staticmethod
    def shape(input, threads=None):
        # One axis after the other lies in memory, as in PyTorch's own.
        return input.new_empty((input.ndim, torch.library.get_ctx().new_dynamic_size()), dtype=torch.int64).t()

    @staticmethod
    def batched(overload, batch, in_dims, input, threads=None):
        raise RuntimeError("takewise cannot list what is not zero in a batch: its parts may have results of different lengths")


OPERATORS = [Searchsorted, SearchsortedScalar, Bucketize, BucketizeScalar, Nonzero]

