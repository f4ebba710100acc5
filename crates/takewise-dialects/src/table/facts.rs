//! The facts of the five libraries.

use takewise::DType;
use takewise::index::rules::Meet;
use takewise::promote::Promotion;

use crate::facts::{
    Arithmetic, Counting, CreationFacts, Division, LibraryFacts, Meeting, ObjectFacts, OperandFacts, SearchFacts,
    ShapeFacts, TensorClass,
};
use crate::words::arithmetic;

/// torch, and MindSpore.
pub(super) const TORCH: LibraryFacts = LibraryFacts {
    tensors: true,
    numpy_dtypes: false,
    operands: OperandFacts {
        array_likes: false,
        one_list: true,
        weak_scalars: true,
        fills_elsewhere: false,
        own_from_numpy: false,
        narrows: false,
        must_meet: Meeting::Foreign,
        meets: Some(Meet::Each(Promotion::ByKind)),
    },
    creation: CreationFacts { large_are_unsigned: false, arange: Counting::Plain, both_ends: true },
    shapes: ShapeFacts {
        shares_memory: false,
        vector_triangles: false,
        coordinate_tuples: false,
        gives_target: true,
        parts_in_list: false,
        grids_in_list: false,
        names_axes: false,
    },
    search: SearchFacts {
        truth_chooses: false,
        byte_truths: true,
        isin_lacks: &[(DType::Bool, "Bool"), (DType::C64, "ComplexFloat"), (DType::C128, "ComplexDouble")],
        isin_foreign: false,
        double_bins: false,
        truncates_positions: false,
        keeps_empty: false,
    },
    objects: ObjectFacts {
        for_all: false,
        lists: &[],
        reads_objects: false,
        warns_of_complex: &[],
        weak_arrays: false,
        class: TensorClass::Torch,
        maker: None,
        asks: None,
    },
    arithmetic: Some(&Arithmetic {
        number: arithmetic::wrapping,
        minus: arithmetic::torch_minus,
        negative: arithmetic::torch_negative,
        bool_quotients: None,
        division: Division::Raises,
        cast: arithmetic::torch_cast,
        grown: arithmetic::torch_grown,
        shapes_first: true,
        signed_alone: true,
        scalars: false,
    }),
};

/// MindSpore.
pub(super) const MINDSPORE: LibraryFacts = LibraryFacts {
    operands: OperandFacts { own_from_numpy: true, meets: None, ..TORCH.operands },
    objects: ObjectFacts { class: TensorClass::MindSpore, ..TORCH.objects },
    arithmetic: None,
    ..TORCH
};

/// The library's own: torch's functions, of whatever NumPy has.
pub(super) const NEUTRAL: LibraryFacts = LibraryFacts {
    operands: OperandFacts { own_from_numpy: true, must_meet: Meeting::None, meets: None, ..TORCH.operands },
    search: SearchFacts { byte_truths: false, isin_lacks: &[], isin_foreign: true, ..TORCH.search },
    objects: ObjectFacts { for_all: true, class: TensorClass::Plain, ..TORCH.objects },
    ..TORCH
};

/// NumPy.
pub(super) const NUMPY: LibraryFacts = LibraryFacts {
    tensors: false,
    numpy_dtypes: true,
    operands: OperandFacts {
        array_likes: true,
        one_list: false,
        weak_scalars: false,
        fills_elsewhere: true,
        own_from_numpy: false,
        narrows: false,
        must_meet: Meeting::None,
        meets: None,
    },
    creation: CreationFacts { large_are_unsigned: true, arange: Counting::Wide, both_ends: false },
    shapes: ShapeFacts {
        shares_memory: true,
        vector_triangles: true,
        coordinate_tuples: true,
        gives_target: false,
        parts_in_list: true,
        grids_in_list: false,
        names_axes: true,
    },
    search: SearchFacts {
        truth_chooses: true,
        byte_truths: false,
        isin_lacks: &[],
        isin_foreign: true,
        double_bins: true,
        truncates_positions: true,
        keeps_empty: true,
    },
    objects: ObjectFacts {
        lists: &[
            ("put", 2, "v"),
            ("putmask", 2, "values"),
            ("place", 2, "vals"),
            ("put_along_axis", 2, "values"),
            ("fill_diagonal", 1, "val"),
        ],
        reads_objects: true,
        warns_of_complex: &["put", "place", "put_along_axis"],
        class: TensorClass::Plain,
        asks: Some("numpy"),
        ..TORCH.objects
    },
    arithmetic: Some(&Arithmetic {
        number: arithmetic::fitting,
        minus: arithmetic::numpy_minus,
        negative: arithmetic::numpy_negative,
        bool_quotients: Some(DType::I8),
        division: Division::Zero,
        cast: arithmetic::numpy_cast,
        grown: arithmetic::numpy_grown,
        shapes_first: false,
        signed_alone: false,
        scalars: true,
    }),
};

/// JAX.
pub(super) const JAX: LibraryFacts = LibraryFacts {
    operands: OperandFacts {
        fills_elsewhere: false,
        narrows: true,
        must_meet: Meeting::All,
        meets: Some(Meet::Once(Promotion::Narrow)),
        ..NUMPY.operands
    },
    creation: CreationFacts { large_are_unsigned: false, arange: Counting::Narrow, ..NUMPY.creation },
    shapes: ShapeFacts { shares_memory: false, grids_in_list: true, ..NUMPY.shapes },
    search: SearchFacts {
        isin_foreign: false,
        double_bins: false,
        truncates_positions: false,
        keeps_empty: false,
        ..NUMPY.search
    },
    objects: ObjectFacts {
        weak_arrays: true,
        class: TensorClass::Plain,
        maker: Some("jax.numpy"),
        asks: Some("jax"),
        ..TORCH.objects
    },
    arithmetic: None,
    ..NUMPY
};
