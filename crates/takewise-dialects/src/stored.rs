//! Arrays that lie elsewhere and are read part by part: what is asked of a store, and which part of its array a value stands for.

use std::cell::RefCell;
use std::rc::Rc;

use takewise::{DType, Index, OwnedIndex, Result, Rules, Slice, Tensor};

/// An array that lies elsewhere: in a store that is asked for parts of it.
///
/// ```
/// use std::rc::Rc;
/// use takewise::{DType, Index, Result, Rules, Tensor};
/// use takewise_dialects::{NUMPY, Store, StoredArray, Value, object, print};
///
/// /// 0, 10, 20, ..., made when they are asked for.
/// struct Tens([usize; 1]);
///
/// impl Store for Tens {
///     fn shape(&self) -> &[usize] {
///         &self.0
///     }
///     fn dtype(&self) -> DType {
///         DType::I64
///     }
///     fn read(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
///         Tensor::arange(0, 10 * self.0[0] as i64, 10, None)?.index(items, rules).map(Some)
///     }
/// }
///
/// let x = StoredArray::new(Rc::new(Tens([1000])));
/// let last = object::part(&x, &NUMPY, &Value::Int(-1))?;
/// assert_eq!(print::repr(&last), "np.int64(9990)");
/// # Ok::<(), takewise_dialects::EvalError>(())
/// ```
pub trait Store {
    /// Extents.
    fn shape(&self) -> &[usize];

    /// Element type.
    fn dtype(&self) -> DType;

    /// `array[items]`, in memory of its own; reads what that touches and no more. `None` where elements of the result come from
    /// nowhere in the array, as some rules fill them.
    ///
    /// # Errors
    /// Those of [`takewise::ops::index`], and kind `Storage` for what cannot be read.
    fn read(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>>;
}

/// Which places of an axis are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pick {
    /// One, and the axis is gone.
    At(usize),
    /// Some at equal distances: the first, the step and how many.
    Run(usize, i64, usize),
}

/// All of an array of a [`Store`], and what is in memory of it.
struct Whole {
    store: Rc<dyn Store>,
    loaded: RefCell<Option<Tensor>>,
}

/// An array of a [`Store`], or what plain subscripts make of one. Clones are the same Python object.
///
/// Nothing is read until elements are needed. Parts that are written into, or whose memory others are to share, need all of the
/// array in memory; from then on parts are views of that.
#[derive(Clone)]
pub struct StoredArray(Rc<Part>);

struct Part {
    whole: Rc<Whole>,
    /// What is meant of each axis of the whole.
    picks: Vec<Pick>,
    /// The axis of the whole that each axis is, unless it is a new one.
    axes: Vec<Option<usize>>,
    shape: Vec<usize>,
    object: RefCell<Option<Rc<RefCell<Tensor>>>>,
}

impl StoredArray {
    /// All of the array.
    pub fn new(store: Rc<dyn Store>) -> StoredArray {
        let shape = store.shape().to_vec();
        let picks = shape.iter().map(|&n| Pick::Run(0, 1, n)).collect();
        let axes = (0..shape.len()).map(Some).collect();
        StoredArray::of(Rc::new(Whole { store, loaded: RefCell::default() }), picks, axes)
    }

    fn of(whole: Rc<Whole>, picks: Vec<Pick>, axes: Vec<Option<usize>>) -> StoredArray {
        let extent = |axis: &Option<usize>| match axis.and_then(|axis| picks.get(axis)) {
            Some(Pick::Run(_, _, count)) => *count,
            _ => 1,
        };
        let shape = axes.iter().map(extent).collect();
        StoredArray(Rc::new(Part { whole, picks, axes, shape, object: RefCell::default() }))
    }

    /// Whether both are the same object.
    pub(crate) fn same(&self, other: &StoredArray) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.0.whole.store.dtype()
    }

    /// Whether all of the store's array is in memory.
    pub(crate) fn is_loaded(&self) -> bool {
        self.0.whole.loaded.borrow().is_some()
    }

    /// Whether this is all of the store's array, as it lies there.
    pub(crate) fn is_whole(&self) -> bool {
        let all = |(pick, &n): (&Pick, &usize)| *pick == Pick::Run(0, 1, n);
        let shape = self.0.whole.store.shape();
        self.0.picks.iter().zip(shape).all(all) && self.0.axes.len() == shape.len()
    }

    /// What is meant of each axis of the whole, and the axis of the whole that each axis is.
    pub(crate) fn places(&self) -> (&[Pick], &[Option<usize>]) {
        (&self.0.picks, &self.0.axes)
    }

    /// Something of this shape and element type that takes no memory, for what depends on nothing else.
    pub(crate) fn outline(&self) -> Result<Tensor> {
        Tensor::zeroed(&[], self.dtype())?.broadcast_to(self.shape())
    }

    /// What a subscript of integers, slices, new axes and an ellipsis makes of this; nothing where no elements are left of a new
    /// axis. All that it names is there.
    pub(crate) fn narrowed(&self, items: &[OwnedIndex]) -> Option<StoredArray> {
        let mut picks = self.0.picks.clone();
        let (mut axes, mut next) = (Vec::new(), self.0.axes.iter().copied());
        let named = items.iter().filter(|item| matches!(item, OwnedIndex::Int(_) | OwnedIndex::Range(_))).count();
        let mut rest = self.shape().len().saturating_sub(named);
        for item in items {
            match item {
                OwnedIndex::NewAxis => axes.push(None),
                OwnedIndex::Ellipsis => axes.extend(next.by_ref().take(std::mem::take(&mut rest))),
                OwnedIndex::Int(i) => {
                    if let Some(Some(axis)) = next.next() {
                        picks[axis] = picks[axis].at(*i);
                    }
                }
                OwnedIndex::Range(slice) => {
                    let axis = next.next().flatten();
                    match axis {
                        Some(axis) => picks[axis] = picks[axis].run(slice),
                        None if slice.resolve(1).1 == 0 => return None,
                        None => {}
                    }
                    axes.push(axis);
                }
                _ => {}
            }
        }
        axes.extend(next);
        Some(StoredArray::of(Rc::clone(&self.0.whole), picks, axes))
    }

    /// The subscript of the whole that gives this; with `kept`, axes that are gone have extent 1 instead and there are no new ones.
    pub(crate) fn items(&self, kept: bool) -> Vec<OwnedIndex> {
        let item = |pick: &Pick| match *pick {
            Pick::At(i) if !kept => OwnedIndex::Int(i as i64),
            Pick::At(i) => OwnedIndex::Range(Slice { start: Some(i as i64), stop: Some(i as i64 + 1), step: None }),
            Pick::Run(start, step, count) => OwnedIndex::Range(slice(start, step, count)),
        };
        if kept {
            return self.0.picks.iter().map(item).collect();
        }
        let (mut items, mut done) = (Vec::new(), 0);
        for axis in &self.0.axes {
            match axis {
                None => items.push(OwnedIndex::NewAxis),
                Some(axis) => {
                    items.extend(self.0.picks[done..=*axis].iter().map(item));
                    done = axis + 1;
                }
            }
        }
        items.extend(self.0.picks[done..].iter().map(item));
        items
    }

    /// What a subscript of the whole gives.
    pub(crate) fn read_whole(&self, items: &[Index<'_>], rules: &Rules) -> Result<Option<Tensor>> {
        self.0.whole.store.read(items, rules)
    }

    /// All of the store's array, read if it is not in memory.
    fn loaded(&self) -> Result<Tensor> {
        if let Some(tensor) = &*self.0.whole.loaded.borrow() {
            return Ok(tensor.clone());
        }
        let tensor = match self.read_whole(&[Index::Ellipsis], &Rules::NEUTRAL)? {
            Some(tensor) => tensor,
            // Nothing is filled where no index array is.
            None => self.outline()?.contiguous()?,
        };
        Ok(self.0.whole.loaded.borrow_mut().insert(tensor).clone())
    }

    /// The tensor as a view of the whole, which is in memory from then on: writes show in all other parts.
    pub(crate) fn object(&self) -> Result<Rc<RefCell<Tensor>>> {
        if let Some(object) = &*self.0.object.borrow() {
            return Ok(Rc::clone(object));
        }
        let items = self.items(false);
        let lent: Vec<Index<'_>> = items.iter().map(OwnedIndex::lent).collect();
        let tensor = self.loaded()?.index(&lent, &Rules::NEUTRAL)?;
        Ok(Rc::clone(self.0.object.borrow_mut().insert(Rc::new(RefCell::new(tensor)))))
    }

    /// A copy of this part alone; `None` where the whole is in memory, or is what would be read.
    pub(crate) fn copied(&self) -> Result<Option<Tensor>> {
        if self.is_loaded() || self.is_whole() {
            return Ok(None);
        }
        let items = self.items(false);
        let lent: Vec<Index<'_>> = items.iter().map(OwnedIndex::lent).collect();
        self.read_whole(&lent, &Rules::NEUTRAL)
    }
}

impl Pick {
    /// The place with a number that may count from the end.
    fn at(self, i: i64) -> Pick {
        match self {
            Pick::Run(start, step, count) => {
                let place = if i < 0 { i + count as i64 } else { i };
                Pick::At(moved(start, step, place))
            }
            gone => gone,
        }
    }

    /// The places that a slice takes.
    fn run(self, slice: &Slice) -> Pick {
        match self {
            Pick::Run(start, step, count) => {
                let (first, some, by) = slice.resolve(count);
                Pick::Run(if some == 0 { 0 } else { moved(start, step, first as i64) }, step.saturating_mul(by), some)
            }
            gone => gone,
        }
    }
}

/// The place so many steps on; all that is asked for lies in the axis.
pub(crate) fn moved(start: usize, step: i64, count: i64) -> usize {
    (start as i64).saturating_add(step.saturating_mul(count)).max(0) as usize
}

fn slice(start: usize, step: i64, count: usize) -> Slice {
    if count == 0 {
        return Slice { start: Some(0), stop: Some(0), step: None };
    }
    let last = start as i64 + step * (count as i64 - 1);
    let stop = if step > 0 { Some(last + 1) } else { Some(last - 1).filter(|stop| *stop >= 0) };
    // One place is in reach of any step.
    Slice { start: Some(start as i64), stop, step: Some(if count == 1 { step.signum() } else { step }) }
}
