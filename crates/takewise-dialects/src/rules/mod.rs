//! What each library means by each operation, as constant tables of [`Rules`].
//!
//! A dialect chooses rows; it owns no code. `docs/DIALECTS.md` is printed from these constants by
//! [`tables`], so the page cannot drift. Where a library's answer is silently wrong, depends on
//! a race, or leaves a half-written array behind, ours differs on purpose; [`DIFFERS`] lists those places.

mod absent;
mod differs;
mod jax;
mod mindspore;
mod numpy;
mod onnx;
mod page;
mod torch;

pub use absent::{ABSENT, Absent};
pub use differs::{DIFFERS, Differ};
pub use jax::JAX;
pub use mindspore::MINDSPORE;
pub use numpy::{NUMPY, NUMPY_COMPARE};
pub use onnx::ONNX;
pub use page::tables;
pub use torch::{TORCH, TORCH_COMPARE};

use takewise::index::rules::Rules;

macro_rules! dialect {
    ($($(#[$doc:meta])* $field:ident),* $(,)?) => {
        /// The rules of every operation as one library has them.
        ///
        /// Fields are named after the operation in torch's vocabulary; each library's own names for it are
        /// in the generated page.
        ///
        /// ```
        /// use takewise_dialects::rules::{MINDSPORE, TORCH};
        /// use takewise::index::rules::{Outside, Sign};
        /// assert_eq!(TORCH.scatter.sign, Sign::NonNegative);
        /// assert_eq!(MINDSPORE.scatter.outside, Outside::Drop);
        /// ```
        #[derive(Clone, Copy, Debug)]
        pub struct Dialect {
            /// The library, in lower case.
            pub name: &'static str,
            $($(#[$doc])* pub $field: Rules,)*
        }

        impl Dialect {
            /// The same rules for every operation.
            pub const fn uniform(name: &'static str, rules: Rules) -> Dialect {
                Dialect { name, $($field: rules,)* }
            }

            /// The same with the rules of every operation changed by `f`.
            ///
            /// ```
            /// use takewise_dialects::rules::TORCH;
            /// use takewise::index::rules::{Outside, Rules};
            /// let wrapping = TORCH.map(|rules| Rules { outside: Outside::Wrap, ..rules });
            /// assert_eq!((wrapping.take.outside, wrapping.get.sign), (Outside::Wrap, TORCH.get.sign));
            /// ```
            #[must_use]
            pub fn map(&self, f: impl Fn(Rules) -> Rules) -> Dialect {
                Dialect { name: self.name, $($field: f(self.$field),)* }
            }

            /// Every operation and its rules, in the order of the fields.
            pub fn rows(&self) -> Vec<(&'static str, &Rules)> {
                vec![$((stringify!($field), &self.$field),)*]
            }
        }
    };
}

dialect! {
    /// Subscripts, read: `x[...]`.
    get,
    /// Subscripts, written: `x[...] = v`.
    set,
    /// `gather`: one index per output element along an axis (MindSpore `gather_elements`, ONNX `GatherElements`).
    gather,
    /// `take_along_dim`, `take_along_axis`.
    take_along,
    /// `take` from the flattened array or along an axis.
    take,
    /// `put` into the flattened array.
    put,
    /// `index_select`: whole slices along an axis.
    index_select,
    /// `index_add` (NumPy and JAX: adding at an index).
    index_add,
    /// `index_copy`.
    index_copy,
    /// `index_fill`.
    index_fill,
    /// `index_put`.
    index_put,
    /// `index_reduce`.
    index_reduce,
    /// `masked_select`.
    masked_select,
    /// `masked_fill`.
    masked_fill,
    /// `masked_scatter`.
    masked_scatter,
    /// `scatter` (NumPy and JAX `put_along_axis`, MindSpore `tensor_scatter_elements`, ONNX `ScatterElements`).
    scatter,
    /// `scatter_add`.
    scatter_add,
    /// `scatter_reduce` by sum or product.
    scatter_reduce,
    /// `scatter_reduce` by mean.
    scatter_mean,
    /// `scatter_reduce` by maximum or minimum.
    scatter_extreme,
    /// `gather` with `axis` and `batch_dims` (MindSpore and TensorFlow `gather`, ONNX `Gather`).
    gather_axis,
    /// `gather_nd`.
    gather_nd,
    /// `scatter_nd`, `tensor_scatter_update` and its kin.
    scatter_nd,
    /// `searchsorted`, `bucketize`.
    search,
    /// `sort`, `argsort`.
    sort,
    /// `nonzero`, `argwhere`.
    nonzero,
    /// `where`.
    where_,
    /// Views of every kind, and assignment to them.
    views,
}

impl Dialect {
    /// A careful NumPy for every operation: what the Rust API uses when nothing else is asked for.
    pub const NEUTRAL: Dialect = Dialect::uniform("takewise", Rules::NEUTRAL);

    /// The dialect of a library's name as Python programs import it (`torch`, `np`, `numpy`, `mindspore`,
    /// `ms`, `jax`, `jnp`, `onnx`, `takewise`).
    pub fn named(name: &str) -> Option<&'static Dialect> {
        const NEUTRAL: &Dialect = &Dialect::NEUTRAL;
        Some(match name {
            "torch" => &TORCH,
            "numpy" | "np" => &NUMPY,
            "mindspore" | "ms" => &MINDSPORE,
            "jax" | "jnp" => &JAX,
            "onnx" => &ONNX,
            "takewise" => NEUTRAL,
            _ => return None,
        })
    }

    /// All dialects with a table.
    pub const ALL: [&'static Dialect; 5] = [&TORCH, &NUMPY, &MINDSPORE, &JAX, &ONNX];
}
