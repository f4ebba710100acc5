//! What a call does, noted while somebody watches: arrays that are made, converted, searched, sorted, counted and compared,
//! by where they lie. Plans are noted by `exec`, which knows them; here is their place in the order of things.
//!
//! Who only runs calls pays one relaxed load for it.

use crate::dims::Coordinates;
use crate::dtype::{DType, Scalar};
use crate::guard::AtEnd;
use crate::layout::Layout;
use crate::view::AnyView;
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that a note lists at most.
///
/// ```
/// assert_eq!(takewise::strategy::MOST, 4096);
/// ```
pub const MOST: usize = 4096;

/// An array by where it lies. Nothing is read through it: it may be gone.
///
/// ```
/// use takewise::{strategy::Location, AnyView};
/// let x = [1u16, 2, 3];
/// let location = Location::of(&AnyView::from(&x));
/// assert_eq!((location.address, location.layout.shape()), (x.as_ptr().addr(), &[3][..]));
/// ```
#[derive(Clone, Debug)]
pub struct Location {
    /// The address of its first element.
    pub address: usize,
    /// Its element type.
    pub dtype: DType,
    /// Its shape and byte strides.
    pub layout: Layout,
}

impl Location {
    /// Where an array lies.
    pub fn of(view: &AnyView<'_>) -> Location {
        Location { address: view.as_ptr().addr(), dtype: view.dtype(), layout: view.layout().clone() }
    }

    /// Whether elements are what [`Location::of`] would say of another array: the same ones in the same order.
    pub fn is(&self, other: &Location) -> bool {
        self.address == other.address && self.dtype.size() == other.dtype.size() && self.layout == other.layout
    }
}

/// Something that happened to arrays. Lists hold the first [`MOST`] elements in row-major order.
///
/// ```
/// use takewise::{Rules, ops, strategy::{Note, watch}};
/// let (_, watched) = watch(false, || ops::argsort(&[30, 10, 20], 0, false, true, &Rules::NEUTRAL));
/// let sorted = watched.notes.iter().find_map(|note| if let Note::Sort { from, .. } = note { Some(from) } else { None });
/// assert_eq!(sorted.unwrap(), &[1, 2, 0]);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Note {
    /// A plan: its number among those of [`Watched`](crate::strategy::Watched).
    Plan(usize),
    /// Index values were found to be out of range, and the call fails.
    Bad {
        /// The index array they are in.
        index: Location,
        /// Where there, in bytes from its first element, in row-major order.
        at: Vec<isize>,
    },
    /// Memory was taken for an array; what was known of these addresses is over.
    Taken {
        /// Its first byte.
        address: usize,
        /// How much.
        bytes: usize,
        /// Whether its elements were given with it. Else they are zeros until something is written.
        given: bool,
    },
    /// A number of the call itself lies at an address for the next note.
    Number {
        /// Where.
        address: usize,
        /// Its dtype there.
        dtype: DType,
        /// Which; nothing for dtypes that hold no numbers.
        value: Option<Scalar>,
    },
    /// What the elements of the next plan are multiplied or divided by.
    Factors {
        /// Where they lie.
        of: Location,
        /// Which they are.
        values: Vec<Option<Scalar>>,
    },
    /// An array that the way back has kept since the call that it turns round.
    Saved {
        /// The array.
        array: Location,
        /// The bytes of its elements.
        values: Vec<[u8; 16]>,
    },
    /// Every element of one array was made from the element of another at the same place: copied, converted, or a key or a
    /// truth value of it.
    Each {
        /// From what.
        from: Location,
        /// What was made.
        to: Location,
        /// What they were multiplied by.
        times: Option<Scalar>,
    },
    /// Every element is one of two, as a mask says.
    Blend {
        /// The mask.
        mask: Location,
        /// What is taken where it is true, and where it is not.
        from: [Location; 2],
        /// The result.
        to: Location,
        /// The mask's elements.
        chosen: Vec<bool>,
    },
    /// Every element is what a comparison of two says.
    Compare {
        /// What is compared.
        of: [Location; 2],
        /// The result.
        to: Location,
    },
    /// Values were searched in a sorted sequence.
    Search {
        /// The sequence.
        sequence: Location,
        /// The order of the sequence, if it is not in order itself.
        sorter: Option<Location>,
        /// The values; nothing for a number.
        values: Option<Location>,
        /// The number, if it is one.
        number: Option<Scalar>,
        /// The result.
        to: Location,
        /// The axis of the sequence that is searched.
        axis: usize,
        /// Whether elements that are equal to a value come before it.
        right: bool,
        /// How many elements come before each value.
        found: Vec<usize>,
        /// The places in the sequence that the sorter's elements name; nothing for those that name none.
        order: Vec<Option<usize>>,
    },
    /// Lanes were put in order.
    Sort {
        /// What was sorted.
        input: Location,
        /// Along which axis.
        axis: usize,
        /// Where the positions went.
        positions: Location,
        /// Where the elements went, if anywhere.
        values: Option<Location>,
        /// The place in its lane of the input that each element of the result is from.
        from: Vec<usize>,
    },
    /// Of every lane one element was found.
    Found {
        /// The lanes.
        input: Location,
        /// Along which axis they lie.
        axis: usize,
        /// Where the positions went; of extent 1 along the axis.
        to: Location,
        /// The place in its lane of each element that was found.
        from: Vec<usize>,
    },
    /// Every element is the sum of those of its lane up to and with the one at the same place.
    Running {
        /// The lanes.
        input: Location,
        /// Along which axis they lie.
        axis: usize,
        /// The sums.
        to: Location,
    },
    /// Every element is a sum that was noted before, divided by how many elements were added.
    Mean {
        /// The sums.
        sums: Location,
        /// The result.
        to: Location,
    },
    /// Elements that are not zero were listed by coordinates.
    Nonzero {
        /// The input.
        input: Location,
        /// For every axis the array of its coordinates.
        to: Vec<Location>,
        /// Their flat positions.
        places: Vec<usize>,
    },
    /// Elements of a mask that are true were counted.
    Count {
        /// The mask.
        mask: Location,
        /// How many there are.
        count: usize,
        /// Flat positions of those among the first [`MOST`] elements.
        places: Vec<usize>,
    },
}

struct Watch {
    dry: bool,
    notes: Vec<Note>,
}

/// Watches in progress, on any thread: mostly none, and then no thread needs to look for its own. Memory that stands for
/// something slower (`memory::far`) counts too, in units of [`FAR`]: one look tells whether a call needs care at all.
static WATCHES: AtomicUsize = AtomicUsize::new(0);

/// More than there can be watches.
const FAR: usize = 1 << 15;

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// Runs `f` and gives what was noted on this thread meanwhile.
pub(crate) fn during<R>(dry: bool, f: impl FnOnce() -> R) -> (R, Vec<Note>) {
    let watch = RefCell::new(Some(Watch { dry, notes: Vec::new() }));
    let swap = || WATCH.with(|current| current.swap(&watch));
    WATCHES.fetch_add(1, Ordering::Relaxed);
    swap();
    let back = AtEnd(|| {
        WATCHES.fetch_sub(1, Ordering::Relaxed);
        swap();
    });
    let result = f();
    drop(back);
    (result, watch.into_inner().map_or(Vec::new(), |watch| watch.notes))
}

/// Whether somebody wants to know what calls do; perhaps of another thread's.
#[inline]
pub(crate) fn watched() -> bool {
    WATCHES.load(Ordering::Relaxed) & (FAR - 1) > 0
}

/// Whether somebody is [`watched`], or there is memory that stands for something slower.
#[inline]
pub(crate) fn unusual() -> bool {
    WATCHES.load(Ordering::Relaxed) > 0
}

/// Whether there is memory that stands for something slower.
#[inline]
pub(crate) fn has_far() -> bool {
    WATCHES.load(Ordering::Relaxed) >= FAR
}

/// Counts one such memory more.
pub(crate) fn far_begins() {
    WATCHES.fetch_add(FAR, Ordering::Relaxed);
}

/// Counts one less.
pub(crate) fn far_ends() {
    WATCHES.fetch_sub(FAR, Ordering::Relaxed);
}

/// Whether this thread is watched, and if so whether nothing is to move.
#[cold]
pub(crate) fn here() -> Option<bool> {
    // While a thread ends there is nobody to tell.
    WATCH.try_with(|watch| watch.try_borrow().ok()?.as_ref().map(|watch| watch.dry)).ok().flatten()
}

/// Whether this thread is watched and nothing is to move.
#[inline]
pub(crate) fn dry() -> bool {
    watched() && here() == Some(true)
}

/// Notes that every element of `to` is that of `from` at the same place, converted or multiplied by a number: for whoever
/// makes arrays without the engine, between calls that somebody watches.
///
/// ```
/// use takewise::strategy::{Note, made, watch};
/// let (x, minus) = ([1.5f32, 2.0], [-1.5f32, -2.0]);
/// let (_, watched) = watch(false, || made(&(&x).into(), &(&minus).into(), Some((-1).into())));
/// assert!(matches!(watched.notes[..], [Note::Each { .. }]));
/// ```
#[inline]
pub fn made(from: &AnyView<'_>, to: &AnyView<'_>, times: Option<Scalar>) {
    note(|| Note::Each { from: Location::of(from), to: Location::of(to), times });
}

/// Notes a list of positions that a call has made for itself: nothing known lies there any more.
#[inline]
pub(crate) fn listed(list: &[i64]) {
    note(|| Note::Taken { address: list.as_ptr().addr(), bytes: size_of_val(list), given: true });
}

/// Runs `f`, whose work the rest of a call needs, although nothing is to move.
pub(crate) fn moving<R>(f: impl FnOnce() -> R) -> R {
    if !dry() {
        return f();
    }
    let set = |dry| {
        WATCH.with_borrow_mut(|watch| {
            if let Some(watch) = watch {
                watch.dry = dry;
            }
        });
    };
    set(false);
    let done = f();
    set(true);
    done
}

/// Notes something, if somebody wants to know.
#[inline]
pub(crate) fn note(what: impl FnOnce() -> Note) {
    if watched() {
        push(what);
    }
}

#[cold]
#[inline(never)]
fn push(what: impl FnOnce() -> Note) {
    if here().is_none() {
        return;
    }
    let what = what();
    WATCH.with_borrow_mut(|watch| {
        if let Some(watch) = watch {
            watch.notes.push(what);
        }
    });
}

/// Notes that every element of `to` is made from that of `from` at the same place; `true` if it must not be, as nothing is
/// to move but into memory that nobody sees. For whoever is [`watched`].
#[cold]
pub(crate) fn each(from: &AnyView<'_>, to: &AnyView<'_>, private: bool) -> bool {
    push(|| Note::Each { from: Location::of(from), to: Location::of(to), times: None });
    !private && here() == Some(true)
}

/// The bytes of an array's first [`MOST`] elements, in row-major order; nothing of elements beyond 16 bytes.
pub(crate) fn elements(view: &AnyView<'_>) -> Vec<[u8; 16]> {
    Coordinates::new(view.shape()).take(MOST).filter_map(|at| view.bytes_at(&at)).collect()
}

/// An array's first [`MOST`] elements, which are positions.
pub(crate) fn numbers(view: &AnyView<'_>) -> impl Iterator<Item = usize> {
    let wide = view.dtype().size() == 8;
    let number = move |[a, b, c, d, e, f, g, h, ..]: [u8; 16]| match wide {
        true => i64::from_ne_bytes([a, b, c, d, e, f, g, h]) as usize,
        false => i32::from_ne_bytes([a, b, c, d]) as usize,
    };
    elements(view).into_iter().map(number)
}
