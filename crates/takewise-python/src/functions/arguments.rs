//! Arguments as functions take them: data, indices, masks, values, policies.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use takewise::Reduce;
use takewise::index::rules::{Casting, Duplicates, Fill, Outside, Rules};
use takewise::op::Op;
use takewise::ops::Source;
use takewise::{DType, Dims, Scalar, Tensor};
use takewise_operations::{self as operations, How as Reduction, Mixed};

use super::RULES;
use crate::border::arrive::Arrived;
use crate::border::literal::Numbers;
use crate::border::torch::{may_write, wrote};
use crate::border::{Family, Home, Operand, file, foreign, held, literal, numpy, onward};
use crate::error::{OrRaise, refuse};
use crate::tensor::PyTensor;

/// An array to index: of any library, or numbers in nested lists. Opened when all arguments have arrived.
pub(super) struct Data<'py>(pub(super) Arrived<'py>);

impl<'a, 'py> FromPyObject<'a, 'py> for Data<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Data<'py>> {
        if let Some(found) = Arrived::of_exact(&object) {
            return Ok(Data(found));
        }
        numpy::refuse_class(&object)?;
        onward::refuse_rows(&object)?;
        Arrived::of_any(&object).map(Data)
    }
}

impl Data<'_> {
    #[inline(always)]
    pub(super) fn open(self) -> PyResult<Operand> {
        self.0.open()
    }
}

/// An index array: of any library and integer dtype, or integers in nested lists. Opened when all arguments have arrived.
pub(super) struct IndexArray<'py>(Arrived<'py>);

impl<'a, 'py> FromPyObject<'a, 'py> for IndexArray<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<IndexArray<'py>> {
        if let Some(found) = Arrived::of(&object)? {
            return Ok(IndexArray(found));
        }
        let empty = literal::sequence(&object).is_some_and(|list| list.is_empty().unwrap_or(false));
        let tensor = literal::tensor(&object, empty.then_some(DType::I64))?;
        Ok(IndexArray(Arrived::Held(Box::new(Operand { tensor, home: Home::Plain }))))
    }
}

/// Any array may be a mask.
impl<'py> From<Data<'py>> for IndexArray<'py> {
    fn from(Data(array): Data<'py>) -> IndexArray<'py> {
        IndexArray(array)
    }
}

impl IndexArray<'_> {
    #[inline(always)]
    pub(super) fn open(self, py: Python<'_>) -> PyResult<Operand> {
        match self.0.open() {
            Ok(index) if index.tensor.dtype().is_foreign() => Err(unreadable(py, &index.tensor)),
            opened => opened,
        }
    }
}

/// What is said of index arrays whose elements can only be moved.
#[cold]
fn unreadable(py: Python<'_>, index: &Tensor) -> PyErr {
    let text = format!(
        "an index array of dtype {} cannot be read: use one of a native integer dtype, as .astype('int64') gives",
        index.dtype().name()
    );
    refuse(py, "TypeError", &text)
}

/// What is stored: an array, a number, or numbers in nested lists, which take the dtype of the array they go to.
pub(super) enum Stored<'py> {
    Array(Arrived<'py>),
    Number(Scalar),
    Numbers(Numbers, Bound<'py, PyAny>),
    /// What holds no numbers, such as text, and NumPy's array of it.
    Others(Box<Operand>, Bound<'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Stored<'py> {
    type Error = PyErr;

    #[inline]
    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Stored<'py>> {
        if let Some(found) = Arrived::of_exact(&object) {
            return Ok(Stored::Array(found));
        }
        // NumPy's float64 is a float of Python's too, but taken as the number it is.
        if let Some(number) = literal::scalar(&object) {
            return Ok(Stored::Number(number));
        }
        match Arrived::of_other(&object)? {
            Some(found) => Ok(Stored::Array(found)),
            None => match Numbers::of(&object) {
                Ok(numbers) => Ok(Stored::Numbers(numbers, object.to_owned())),
                // What is no number may be an element of a dtype of NumPy's, such as text or a date.
                Err(error) => match foreign::array_of(&object) {
                    Some(operand) => Ok(Stored::Others(Box::new(operand), object.to_owned())),
                    None => Err(error),
                },
            },
        }
    }
}

impl Stored<'_> {
    /// The value, when all arguments have arrived: numbers in lists in the dtype of the array they are for, and single ones
    /// too where the `form` asks for an array. What is combined with that array keeps a dtype of its own.
    ///
    /// Errors: numbers in lists that the rules do not store in that array, with the first one's place in the list.
    pub(super) fn open(
        self,
        py: Python<'_>,
        target: &Operand,
        form: Form,
        op: Op,
        rules: &Rules,
    ) -> PyResult<Source<Operand>> {
        let dtype = target.tensor.dtype();
        let numbers = match self {
            Stored::Array(array) => return array.open().map(Source::Array),
            Stored::Number(number) if !form.whole => return Ok(Source::Scalar(number)),
            Stored::Number(number) => Numbers::one(number),
            // NumPy makes its elements of the objects, one by one: no number says which text a float32 has.
            Stored::Numbers(numbers, object) if foreign::is_known(py, dtype)? => {
                numbers.check_foreign(py, dtype)?;
                return foreign::elements_of(&object, dtype).map(Source::Array);
            }
            Stored::Others(_, object) if foreign::is_known(py, dtype)? => {
                return foreign::elements_of(&object, dtype).map(Source::Array);
            }
            Stored::Others(operand, _) => return Ok(Source::Array(*operand)),
            Stored::Numbers(numbers, _) => numbers,
        };
        let tensor = match dtype {
            dtype if dtype.is_foreign() => {
                numbers.check_foreign(py, dtype)?;
                numbers.tensor(py, None)?
            }
            dtype if rules.casting == Casting::SameKind && numbers.is_other_kind(dtype) => numbers.tensor(py, None)?,
            dtype if rules.casting == Casting::SameKind && numbers.fits(op, dtype).or_raise(py)? => {
                numbers.tensor(py, Some(dtype))?
            }
            _ if rules.casting == Casting::Any && !form.combined => numbers.tensor(py, None)?,
            dtype if form.combined => numbers.beside(py, target.home.family(), Some(dtype))?,
            dtype => numbers.tensor(py, Some(dtype))?,
        };
        Ok(Source::Array(Operand { tensor, home: Home::Own }))
    }
}

impl Stored<'_> {
    /// The value as an array: numbers in the dtype they have beside one of a library.
    pub(super) fn beside(self, py: Python<'_>, family: Family, other: Option<DType>) -> PyResult<Operand> {
        let numbers = match self {
            Stored::Array(array) => return array.open(),
            Stored::Others(operand, _) => return Ok(*operand),
            Stored::Number(number) => Numbers::one(number),
            Stored::Numbers(numbers, _) => numbers,
        };
        Ok(Operand { tensor: numbers.beside(py, family, other)?, home: Home::Plain })
    }
}

/// How a value is taken.
#[derive(Clone, Copy, Default)]
pub(super) struct Form {
    /// It must be an array.
    pub(super) whole: bool,
    /// It is combined with what is there, in a dtype of its own.
    pub(super) combined: bool,
}

/// A choice that has words.
trait Worded: Copy {
    /// The first word for it.
    fn text(self) -> Option<&'static str>;
}

/// A word for one of several choices of the catalogue.
macro_rules! word {
    ($(#[$doc:meta])* $name:ident($inner:ty) $argument:literal $words:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(pub(super) $inner);

        impl Worded for $name {
            fn text(self) -> Option<&'static str> {
                operations::$words.iter().find(|(_, value)| *value == self.0).map(|(text, _)| *text)
            }
        }

        impl<'a, 'py> FromPyObject<'a, 'py> for $name {
            type Error = PyErr;

            fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<$name> {
                let given = object.extract::<&str>().ok();
                let choose = |shown: &str| operations::choose($argument, operations::$words, given, shown);
                if let Ok(chosen) = choose("") {
                    return Ok($name(chosen));
                }
                let shown = given.map_or_else(|| object.repr().map(|shown| shown.to_string()), |text| Ok(format!("{text:?}")))?;
                choose(&shown).map($name).map_err(|text| refuse(object.py(), "ValueError", &text))
            }
        }
    };
}

word! {
    /// What values outside their axis do.
    Bounds(Outside) "bounds" BOUNDS
}

word! {
    /// What several stores to one place do.
    Twice(Duplicates) "duplicates" DUPLICATES
}

word! {
    /// What a key means that can be read in two ways.
    MixedKey(Mixed) "mixed" MIXED
}

word! {
    /// Which values of other dtypes are stored and combined.
    Cast(Casting) "casting" CASTING
}

word! {
    /// How values meeting in one place are combined.
    Combine(Option<Reduce>) "reduce" REDUCE
}

word! {
    /// How values meeting in one place are combined, in any way that there is.
    Grouped(operations::Group) "reduce" GROUP
}

word! {
    /// How the values of a row are combined.
    How(Reduction) "reduce" HOW
}

/// A number that is an argument by itself.
pub(super) struct PlainNumber(pub(super) Scalar);

impl<'a, 'py> FromPyObject<'a, 'py> for PlainNumber {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<PlainNumber> {
        let number = literal::scalar(&object);
        number.map(PlainNumber).ok_or_else(|| PyTypeError::new_err("must be a number"))
    }
}

/// The rules with what a call's keywords say instead.
#[derive(Default)]
pub(super) struct Policy<'py> {
    pub(super) bounds: Option<Bounds>,
    pub(super) negative: Option<bool>,
    pub(super) duplicates: Option<Twice>,
    pub(super) casting: Option<Cast>,
    pub(super) fill: Option<Bound<'py, PyAny>>,
}

impl Policy<'_> {
    /// [`Policy::rules`] of a read of this dtype, whose gaps may be filled by what is no number.
    pub(super) fn rules_for(&self, py: Python<'_>, x: &Data<'_>) -> PyResult<Cow<'static, Rules>> {
        if !matches!(self.bounds, Some(Bounds(Outside::Fill))) {
            return self.rules();
        }
        let dtype = x.0.dtype()?;
        if !dtype.is_foreign() {
            return self.rules();
        }
        let Policy { bounds, negative, duplicates, casting, .. } = self;
        let plain =
            Policy { bounds: *bounds, negative: *negative, duplicates: *duplicates, casting: *casting, fill: None };
        let fill = self.fill.as_ref().filter(|fill| !fill.is_none());
        let mut rules = plain.rules()?.into_owned();
        rules.fill = Some(Fill::Element(foreign::filling(py, dtype, fill)?, dtype));
        Ok(Cow::Owned(rules))
    }

    /// All but the filling, as the catalogue has it.
    fn said(&self) -> operations::Policy {
        operations::Policy {
            bounds: self.bounds.map(|bounds| bounds.0),
            negative: self.negative,
            duplicates: self.duplicates.map(|twice| twice.0),
            casting: self.casting.map(|cast| cast.0),
        }
    }

    /// Errors: `TypeError` for a `fill_value` that is no number, `ValueError` for one nobody asks for.
    pub(super) fn rules(&self) -> PyResult<Cow<'static, Rules>> {
        static PLAIN: Rules = RULES;
        let Policy { bounds, negative, duplicates, casting, fill } = self;
        if bounds.is_none() && negative.is_none() && duplicates.is_none() && casting.is_none() && fill.is_none() {
            return Ok(Cow::Borrowed(&PLAIN));
        }
        let mut rules = self.said().rules();
        if let Some(fill) = self.fill.as_ref().filter(|fill| !fill.is_none()) {
            let py = fill.py();
            if rules.outside != Outside::Fill {
                return Err(refuse(py, "ValueError", operations::FILL_UNUSED));
            }
            let number = literal::scalar(fill);
            rules.fill = Some(Fill::Number(match number {
                Some(number) => number,
                None => number_of(fill)?,
            }));
        }
        Ok(Cow::Owned(rules))
    }
}

impl<'py> Policy<'py> {
    /// The keywords that ask for it.
    pub(super) fn keywords(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let keywords = PyDict::new(py);
        keywords.set_item("bounds", self.bounds.and_then(Worded::text))?;
        keywords.set_item("negative", self.negative)?;
        keywords.set_item("duplicates", self.duplicates.and_then(Worded::text))?;
        keywords.set_item("fill_value", self.fill.as_ref())?;
        if let Some(casting) = self.casting {
            keywords.set_item("casting", casting.text())?;
        }
        Ok(keywords)
    }
}

impl Policy<'_> {
    /// [`Policy::rules`] of a call that combines values, or only stores them.
    ///
    /// Errors: also `ValueError` for the word that says which of several values stays, where all of them are combined.
    pub(super) fn rules_of(&self, py: Python<'_>, combining: bool) -> PyResult<Cow<'static, Rules>> {
        match self.said().refused(combining) {
            None => self.rules(),
            Some(text) => Err(refuse(py, "ValueError", &text)),
        }
    }
}

/// The neutral rules beside arrays of a library.
pub(super) fn rules_of(family: Family) -> &'static Rules {
    static NUMPY: Rules = takewise_dialects::NUMPY.beside(RULES);
    static TORCH: Rules = takewise_dialects::TORCH.beside(RULES);
    static JAX: Rules = takewise_dialects::JAX.beside(RULES);
    match family {
        Family::NumPy => &NUMPY,
        Family::Torch => &TORCH,
        Family::Jax => &JAX,
    }
}

/// The rules of a call for an array of a library: numbers are converted, and values of other dtypes combined, as there.
pub(super) fn beside(rules: Cow<'static, Rules>, home: &Home) -> Cow<'static, Rules> {
    match (home.family(), rules) {
        (Family::NumPy, rules) => rules,
        (family, Cow::Borrowed(_)) => Cow::Borrowed(rules_of(family)),
        (family, Cow::Owned(rules)) => Cow::Owned(family.face().beside(rules)),
    }
}

/// The number an array of one element holds.
fn number_of(object: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    let py = object.py();
    match Operand::of(object)? {
        Some(operand) => operand.tensor.item().or_raise(py),
        None => Err(refuse(py, "TypeError", "fill_value must be a number")),
    }
}

/// Memory of the caller's to write into, which has arrived.
pub(super) struct Out<'py> {
    object: Bound<'py, PyAny>,
    array: Arrived<'py>,
}

impl<'a, 'py> FromPyObject<'a, 'py> for Out<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Out<'py>> {
        if let Some(array) = Arrived::of_exact(&object) {
            return Ok(Out { object: object.to_owned(), array });
        }
        numpy::refuse_class(&object)?;
        match Arrived::of_other(&object)? {
            Some(array) => {
                if let Arrived::Held(operand) = &array
                    && !operand.tensor.is_writable()
                {
                    file::may_write(&object, &operand.tensor)?;
                    held::unwritable(&object)?;
                }
                Ok(Out { object: object.to_owned(), array })
            }
            None => Err(literal::unwritable(&object)),
        }
    }
}

impl<'py> Out<'py> {
    /// The memory, and the object it is of, when all arguments have arrived. Who writes there says so by [`wrote`].
    ///
    /// Error: its library forbids that.
    #[inline]
    pub(super) fn open(self) -> PyResult<(Operand, Bound<'py, PyAny>)> {
        let opened = self.array.open()?;
        may_write(self.object.py(), &opened.tensor)?;
        Ok((opened, self.object))
    }
}

/// Where a result goes that the caller has memory for.
pub(super) struct Target<'py> {
    object: Bound<'py, PyAny>,
    /// The caller's memory, which an operation may replace by its result if the shape differs.
    pub(super) tensor: Tensor,
    shape: Dims<usize>,
    home: Home,
}

impl<'py> Target<'py> {
    /// The array to write into.
    pub(super) fn of(out: Out<'py>) -> PyResult<Target<'py>> {
        let (Operand { tensor, home }, object) = out.open()?;
        let shape = Dims::from_slice(tensor.shape());
        Ok(Target { object, tensor, shape, home })
    }

    /// The object, holding the result: torch's tensors and ours take another shape where they must.
    pub(super) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        let py = self.object.py();
        if self.tensor.shape() == &self.shape[..] {
            wrote(py, &self.tensor)?;
            return Ok(self.object);
        }
        match (&self.home, self.object.cast::<PyTensor>()) {
            (_, Ok(own)) => own.get().settle(&self.tensor),
            (Home::Torch(..), _) => {
                let fresh = self.home.give(py, self.tensor)?;
                self.object.call_method1(crate::known::intern!(py, "set_"), (fresh,))?;
            }
            _ => {
                let text = format!("out= has shape {:?}, the result {:?}", self.shape, self.tensor.shape());
                return Err(refuse(py, "ValueError", &text));
            }
        }
        Ok(self.object)
    }
}

/// Bytes of an array.
pub(super) fn bytes(tensor: &Tensor) -> usize {
    tensor.numel().saturating_mul(tensor.dtype().size())
}
