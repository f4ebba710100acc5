//! The same array laid out in memory in many ways, every other byte a guard.

use crate::arr::{Arr, coords};
use crate::rng::Rng;
use std::fmt;
use takewise::{AnyView, AnyViewMut, DType, Layout};

/// A layout twist: how an array lies in memory. All parts combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Twist {
    /// Axes from outermost to innermost in memory; empty is row-major.
    pub order: Vec<usize>,
    /// Axes stored backwards (bit per axis).
    pub reversed: u32,
    /// Bytes between neighbouring elements.
    pub gap: usize,
    /// Bytes before the first element, so that it may be unaligned.
    pub lead: usize,
    /// Axes of extent 1 get a stride that would leave the address space's lower half if it were used.
    pub wild_ones: bool,
    /// Axes with stride 0 (bit per axis); only for operands that are read. The array is made constant there.
    pub stretched: u32,
}

/// Named twists for exhaustive tests of arrays that are written.
pub fn twists(rank: usize) -> Vec<(&'static str, Twist)> {
    let plain = Twist::default();
    let transposed = Twist { order: (0..rank).rev().collect(), ..plain.clone() };
    vec![
        ("transposed", transposed.clone()),
        ("reversed", Twist { reversed: u32::MAX, ..plain.clone() }),
        ("strided", Twist { gap: 32, ..plain.clone() }),
        ("unaligned", Twist { gap: 3, lead: 1, ..transposed }),
        ("padded rank", Twist { wild_ones: true, lead: 16, ..plain.clone() }),
        ("plain", plain),
    ]
}

impl Twist {
    /// A random twist; `read` allows stretched axes.
    pub fn random(rng: &mut Rng, rank: usize, read: bool) -> Twist {
        let mut order: Vec<usize> = (0..rank).collect();
        if rng.one_in(2) {
            (1..rank).for_each(|k| order.swap(k, rng.below(k + 1)));
        }
        Twist {
            order,
            reversed: if rng.one_in(3) { rng.below(16) as u32 } else { 0 },
            gap: rng.pick(&[0, 0, 0, 16, 3]),
            lead: rng.pick(&[0, 0, 8, 1]),
            wild_ones: rng.one_in(4),
            stretched: if read && rng.one_in(6) { rng.below(16) as u32 } else { 0 },
        }
    }

    /// The array as it can be laid out so: constant along stretched axes.
    pub fn adjust(&self, a: &Arr) -> Arr {
        let first = |c: &Vec<usize>| {
            let at: Vec<usize> =
                c.iter().enumerate().map(|(d, &i)| if self.stretched >> d & 1 == 1 { 0 } else { i }).collect();
            a.at(&at)
        };
        Arr::new(&a.shape, a.dtype, coords(&a.shape).iter().map(first).collect())
    }
}

const GUARD: u8 = 0xa5;
const FENCE: usize = 64;

/// An array in memory, with guard bytes before, after and in every gap.
#[derive(Clone)]
pub struct Operand {
    memory: Vec<u8>,
    start: usize,
    layout: Layout,
    dtype: DType,
    twist: Twist,
    value: Arr,
}

impl Operand {
    /// Lays an array out; stretched axes take the value at position 0 ([`Twist::adjust`]).
    pub fn new(value: &Arr, twist: &Twist) -> Operand {
        let value = twist.adjust(value);
        let (rank, size) = (value.shape.len(), value.dtype.size());
        let order: Vec<usize> = if twist.order.len() == rank { twist.order.clone() } else { (0..rank).collect() };
        let mut strides = vec![0isize; rank];
        let mut step = size + twist.gap;
        for &d in order.iter().rev() {
            if twist.stretched >> d & 1 == 0 {
                strides[d] = step as isize;
                step = step * value.shape[d].max(1) + twist.gap;
            }
        }
        let mut start = FENCE + twist.lead;
        for (d, stride) in strides.iter_mut().enumerate() {
            if twist.reversed >> d & 1 == 1 && value.shape[d] > 0 {
                start += *stride as usize * (value.shape[d] - 1);
                *stride = -*stride;
            }
            if twist.wild_ones && value.shape[d] == 1 {
                *stride = isize::MAX / 4 + d as isize;
            }
        }
        let layout = Layout::new(&value.shape, &strides).expect("a small array");
        let memory = vec![GUARD; 2 * FENCE + twist.lead + step + size];
        let mut out = Operand { memory, start, layout, dtype: value.dtype, twist: twist.clone(), value: value.clone() };
        for (k, c) in coords(&value.shape).iter().enumerate() {
            let p = out.place(c);
            out.memory[p..p + size].copy_from_slice(&value.data[k][..size]);
        }
        out
    }

    /// Lays an array out row-major.
    pub fn plain(value: &Arr) -> Operand {
        Operand::new(value, &Twist::default())
    }

    fn place(&self, c: &[usize]) -> usize {
        let jump: isize =
            c.iter().zip(self.layout.strides()).map(|(&i, &s)| i as isize * if i == 0 { 0 } else { s }).sum();
        (self.start as isize + jump) as usize
    }

    /// The array as laid out (constant along stretched axes).
    pub fn value(&self) -> &Arr {
        &self.value
    }

    /// The memory it lies in, guards and all.
    pub(crate) fn memory(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    /// The engine's view of it.
    pub fn view(&self) -> AnyView<'_> {
        // SAFETY: L1: every element the layout reaches was placed inside `memory`, which the view borrows.
        unsafe { AnyView::from_raw(self.memory.as_ptr().add(self.start), self.dtype, self.layout.clone()) }
    }

    /// The engine's writable view of it. Not for stretched operands.
    pub fn view_mut(&mut self) -> AnyViewMut<'_> {
        assert_eq!(self.twist.stretched, 0, "a stretched operand meets itself");
        // SAFETY: L1 as above; L3: without stretched axes every element has its own place; exclusive borrow.
        unsafe { AnyViewMut::from_raw(self.memory.as_mut_ptr().add(self.start), self.dtype, self.layout.clone()) }
    }

    /// What the elements are now.
    pub fn now(&self) -> Arr {
        let size = self.dtype.size();
        let one = |c: &Vec<usize>| {
            let mut e = [0; 24];
            let p = self.place(c);
            e[..size].copy_from_slice(&self.memory[p..p + size]);
            e
        };
        Arr::new(&self.value.shape, self.dtype, coords(&self.value.shape).iter().map(one).collect())
    }

    /// Whether every byte that belongs to no element is still a guard.
    pub fn guards_intact(&self) -> bool {
        let mut memory = self.memory.clone();
        for c in coords(&self.value.shape) {
            let p = self.place(&c);
            memory[p..p + self.dtype.size()].fill(GUARD);
        }
        memory.iter().all(|&b| b == GUARD)
    }
}

impl fmt::Debug for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.value)?;
        if self.twist != Twist::default() {
            write!(f, " as {:?}", self.twist)?;
        }
        Ok(())
    }
}

/// The elements of a view.
pub fn arr_of(view: &AnyView<'_>) -> Arr {
    let size = view.dtype().size();
    let one = |c: &Vec<usize>| {
        let mut e = [0; 24];
        let jump: isize = c.iter().zip(view.layout().strides()).map(|(&i, &s)| i as isize * s).sum();
        // SAFETY: L1: the coordinate is inside the view's shape, so its `size` bytes are readable.
        unsafe { std::ptr::copy_nonoverlapping(view.as_ptr().offset(jump), e.as_mut_ptr(), size) };
        e
    };
    Arr::new(view.shape(), view.dtype(), coords(view.shape()).iter().map(one).collect())
}
