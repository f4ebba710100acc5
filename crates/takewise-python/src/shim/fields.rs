//! The fields of PyTorch's tensors, read where they lie: a question through the C interface costs more than a small call can
//! bear, and there are ten of them for each argument.
//!
//! Where they lie belongs to one build of PyTorch. `_shim.py` has tensors of every state compared with what the C interface says
//! of them before it is relied on; where anything differs, tensors are asked through the interface.

use smallvec::SmallVec;
use takewise::internal::Once;

use super::symbols::{Api, Handle};

/// Words of `c10::TensorImpl` before its fields: the storage, how many axes there are, sizes and strides (where there are at most
/// [`INLINE`] axes; else the address of both lists), the offset in elements, the number of elements, the dtype, the dispatch
/// keys.
const STORAGE: usize = 2;
const RANK: usize = 7;
const SIZES: usize = 8;
const INLINE: usize = 5;
const OFFSET: usize = 18;
const NUMEL: usize = 19;
const DTYPE: usize = 20;
const KEYS: usize = 21;
/// Words of `c10::StorageImpl` before the address of its memory, and before the number of its bytes.
const START: usize = 2;
const BYTES: usize = 6;

/// The fields of tensors, once they are known.
pub(super) static FIELDS: Once<Fields> = Once::new();

/// How ordinary tensors are told from others.
#[derive(Clone, Copy)]
pub(super) struct Fields {
    /// The dispatch keys of tensors in main memory with strides, and those of such tensors made in inference mode.
    keys: [u64; 2],
}

/// An ordinary tensor: in main memory, with strides, its own elements, and nobody's class but PyTorch's.
#[derive(Clone, Copy)]
pub(super) struct Ordinary(*const usize);

/// What a tensor says of itself through the C interface.
#[derive(PartialEq)]
struct Said {
    sizes: SmallVec<[i64; 8]>,
    strides: SmallVec<[i64; 8]>,
    numel: i64,
    offset: i64,
    bytes: i64,
    dtype: i32,
    first: usize,
}

impl Fields {
    /// The fields, if they say of each of these tensors what the interface says. The first is an ordinary one, the second such
    /// a one of inference mode.
    ///
    /// # Safety
    /// Live, ordinary tensors.
    pub(super) unsafe fn proven(api: &Api, tensors: &[Handle], others: &[Handle]) -> Option<Fields> {
        let [first, second, ..] = tensors else { return None };
        // SAFETY: a tensor is a pointer to its fields, by the caller.
        let keys = |handle: &Handle| unsafe { *(*handle.cast::<*const u64>()).add(KEYS) };
        let fields = Fields { keys: [keys(first), keys(second)] };
        // SAFETY: passed on.
        let right = tensors.iter().all(|&tensor| unsafe {
            fields
                .of(tensor)
                .is_some_and(|found| Said::read(api, found).is_some_and(|said| Said::asked(api, tensor) == Some(said)))
        });
        // SAFETY: as above.
        let told = others.iter().all(|&other| unsafe { fields.of(other).is_none() });
        (right && told).then_some(fields)
    }

    /// A tensor, if it is an ordinary one.
    ///
    /// # Safety
    /// A live tensor, which outlives the answer.
    #[inline]
    pub(super) unsafe fn of(&self, handle: Handle) -> Option<Ordinary> {
        // SAFETY: a tensor is a pointer to its fields.
        let words = unsafe { *handle.cast::<*const usize>() };
        // SAFETY: all tensors have these.
        let keys = unsafe { words.add(KEYS).read() } as u64;
        (keys == self.keys[0] || keys == self.keys[1]).then_some(Ordinary(words))
    }
}

impl Ordinary {
    #[inline]
    fn word(self, place: usize) -> usize {
        // SAFETY: a tensor's fields, which outlive this.
        unsafe { self.0.add(place).read() }
    }

    #[inline]
    pub(super) fn rank(self) -> usize {
        self.word(RANK)
    }

    #[inline]
    pub(super) fn numel(self) -> usize {
        self.word(NUMEL)
    }

    /// Elements before the first.
    #[inline]
    pub(super) fn offset(self) -> usize {
        self.word(OFFSET)
    }

    /// PyTorch's number of the dtype.
    #[inline]
    pub(super) fn dtype(self) -> i32 {
        i32::from(self.word(DTYPE) as u16)
    }

    /// The extent of an axis, and its step in elements.
    #[inline]
    pub(super) fn axis(self, d: usize) -> (usize, isize) {
        let rank = self.rank();
        let (sizes, strides) = match rank <= INLINE {
            true => (self.0.wrapping_add(SIZES), self.0.wrapping_add(SIZES + INLINE)),
            false => {
                let lists = self.word(SIZES) as *const usize;
                (lists, lists.wrapping_add(rank))
            }
        };
        debug_assert!(d < rank);
        // SAFETY: lists of as many numbers as there are axes.
        unsafe { (sizes.add(d).read(), strides.add(d).read().cast_signed()) }
    }

    /// Where the storage's memory starts, and how many bytes it has.
    #[inline]
    pub(super) fn stored(self) -> (usize, usize) {
        let storage = self.word(STORAGE) as *const usize;
        if storage.is_null() {
            return (0, 0);
        }
        // SAFETY: a storage, which the tensor keeps.
        unsafe { (storage.add(START).read(), storage.add(BYTES).read()) }
    }

    /// Whether the storage has all elements, of so many bytes each.
    #[inline]
    pub(super) fn is_stored(self, size: usize) -> bool {
        if self.numel() == 0 {
            return true;
        }
        let (start, bytes) = self.stored();
        let mut last = self.offset();
        for d in 0..self.rank() {
            let (extent, step) = self.axis(d);
            let Ok(step) = usize::try_from(step) else { return false };
            last = last.saturating_add((extent - 1).saturating_mul(step));
        }
        start != 0 && isize::try_from(bytes).is_ok() && last.saturating_add(1).saturating_mul(size) <= bytes
    }

    /// Whether elements lie side by side in the order of their positions.
    #[inline]
    pub(super) fn is_contiguous(self) -> bool {
        let mut step = 1;
        (0..self.rank()).rev().all(|d| {
            let (extent, own) = self.axis(d);
            let side_by_side = extent == 1 || own == step;
            step *= extent as isize;
            side_by_side
        })
    }
}

impl Said {
    fn read(api: &Api, tensor: Ordinary) -> Option<Said> {
        let axes: SmallVec<[(usize, isize); 8]> = (0..tensor.rank()).map(|d| tensor.axis(d)).collect();
        let size = api.dtype_of(tensor.dtype())?.size();
        let (start, bytes) = tensor.stored();
        Some(Said {
            sizes: axes.iter().map(|&(extent, _)| extent as i64).collect(),
            strides: axes.iter().map(|&(_, step)| step as i64).collect(),
            numel: tensor.numel() as i64,
            offset: tensor.offset() as i64,
            bytes: bytes as i64,
            dtype: tensor.dtype(),
            // One without elements is said to lie nowhere.
            first: if tensor.numel() == 0 { 0 } else { start + tensor.offset() * size },
        })
    }

    /// # Safety
    /// A live tensor with a storage and strides.
    unsafe fn asked(api: &Api, handle: Handle) -> Option<Said> {
        let (mut rank, mut numel, mut offset, mut bytes, mut dtype) = (0, 0, 0, 0, 0);
        let (mut sizes, mut strides, mut first) = (std::ptr::null(), std::ptr::null(), std::ptr::null());
        // SAFETY: a live tensor; each writes what its name says. The lists have as many numbers as there are axes.
        unsafe {
            let said = (api.dim)(handle, &mut rank) == 0
                && (api.numel)(handle, &mut numel) == 0
                && (api.offset)(handle, &mut offset) == 0
                && (api.stored)(handle, &mut bytes) == 0
                && (api.dtype)(handle, &mut dtype) == 0
                && (api.sizes)(handle, &mut sizes) == 0
                && (api.strides)(handle, &mut strides) == 0
                && (api.read)(handle, &mut first) == 0;
            let list = |first: *const i64| (0..rank as usize).map(|d| *first.add(d)).collect();
            said.then(|| Said {
                sizes: list(sizes),
                strides: list(strides),
                numel,
                offset,
                bytes,
                dtype,
                first: first.addr(),
            })
        }
    }
}
