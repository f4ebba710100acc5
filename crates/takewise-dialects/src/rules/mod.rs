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
    ($($(#[$doc:meta])* pub $field:ident: Rules,)*) => {
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
    pub get: Rules,
    /// Subscripts, written: `x[...] = v`.
    pub set: Rules,
    /// `gather`: one index per output element along an axis (MindSpore `gather_elements`, ONNX `GatherElements`).
    pub gather: Rules,
    /// `take_along_dim`, `take_along_axis`.
    pub take_along: Rules,
    /// `take` from the flattened array or along an axis.
    pub take: Rules,
    /// `put` into the flattened array.
    pub put: Rules,
    /// `index_select`: whole slices along an axis.
    pub index_select: Rules,
    /// `index_add` (NumPy and JAX: adding at an index).
    pub index_add: Rules,
    /// `index_copy`.
    pub index_copy: Rules,
    /// `index_fill`.
    pub index_fill: Rules,
    /// `index_put`.
    pub index_put: Rules,
    /// `index_reduce`.
    pub index_reduce: Rules,
    /// `masked_select`.
    pub masked_select: Rules,
    /// `masked_fill`.
    pub masked_fill: Rules,
    /// `masked_scatter`.
    pub masked_scatter: Rules,
    /// `scatter` (NumPy and JAX `put_along_axis`, MindSpore `tensor_scatter_elements`, ONNX `ScatterElements`).
    pub scatter: Rules,
    /// `scatter_add`.
    pub scatter_add: Rules,
    /// `scatter_reduce` by sum or product.
    pub scatter_reduce: Rules,
    /// `scatter_reduce` by mean.
    pub scatter_mean: Rules,
    /// `scatter_reduce` by maximum or minimum.
    pub scatter_extreme: Rules,
    /// `gather` with `axis` and `batch_dims` (MindSpore and TensorFlow `gather`, ONNX `Gather`).
    pub gather_axis: Rules,
    /// `gather_nd`.
    pub gather_nd: Rules,
    /// `scatter_nd`, `tensor_scatter_update` and its kin.
    pub scatter_nd: Rules,
    /// `searchsorted`, `bucketize`.
    pub search: Rules,
    /// `sort`, `argsort`.
    pub sort: Rules,
    /// `nonzero`, `argwhere`.
    pub nonzero: Rules,
    /// `where`.
    pub where_: Rules,
    /// Views of every kind, and assignment to them.
    pub views: Rules,
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
