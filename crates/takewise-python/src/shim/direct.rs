//! Kernels that PyTorch calls with a call's C++ values as they are, and from which its own kernel is one jump away.
//!
//! Such a function has the operator's C++ type. To the processor few of those differ: all that counts is which arguments are
//! one word and which are texts, and whether a tensor is made. There is a Rust function for each such shape and place in a
//! list of operators, as nothing is passed along that would tell operators apart. How arguments are passed is that of 64-bit
//! Linux on x86; [`super::table::Table`] is found nowhere else.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use super::kernel::{BESIDE, LOADED, Operator, operator};
use super::stack::{Given, Kind, Parameter};
use super::symbols::Word;
use super::table::Kernel;

/// Operators of one shape that there may be.
const PLACES: usize = 12;

/// An operator, with the kernel of it that is in or was last, and PyTorch's own.
struct Slot {
    /// Its number, and one more.
    taken: AtomicUsize,
    operator: AtomicPtr<Operator>,
    functor: AtomicPtr<c_void>,
    native: AtomicPtr<c_void>,
}

/// So many words, passed by value: a `std::string_view` has two, and one that may be absent three.
#[repr(C)]
#[derive(Clone, Copy)]
struct Words<const N: usize>([usize; N]);

/// An argument as a word.
trait Passed {
    fn word(&self) -> Word;
}

impl Passed for Word {
    #[inline]
    fn word(&self) -> Word {
        *self
    }
}

impl<const N: usize> Passed for Words<N> {
    #[inline]
    fn word(&self) -> Word {
        (&raw const self.0).expose_provenance() as Word
    }
}

impl Slot {
    const fn new() -> Slot {
        Slot {
            taken: AtomicUsize::new(0),
            operator: AtomicPtr::new(std::ptr::null_mut()),
            functor: AtomicPtr::new(std::ptr::null_mut()),
            native: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    /// The operator's answer, for an operator that makes a tensor: what the tensor points to. `None` for a call that PyTorch's
    /// own kernel is to have.
    #[inline]
    fn made(&self, words: &[Word]) -> Option<usize> {
        let (loaded, operator) = (LOADED.get()?, self.operator()?);
        // SAFETY: the arguments of a call, of the types that the parameters say.
        let given = unsafe { Given::lent(&loaded.api, &operator.parameters, words) };
        // SAFETY: as above.
        if unsafe { operator.is_natives(&loaded.api, &given, words) } {
            return None;
        }
        let handle = operator.answer(loaded, &given);
        // SAFETY: an owner of a tensor, ours alone: a pointer to a tensor, which is a pointer itself. It is left without a
        // tensor, as one that was moved from.
        unsafe {
            let made = handle.cast::<usize>().replace(loaded.api.undefined);
            (loaded.api.delete)(handle);
            Some(made)
        }
    }

    /// The operator's answer, for an operator that writes: the address of the tensor that was written. `None` as above.
    #[inline]
    fn written(&self, words: &[Word]) -> Option<usize> {
        let (loaded, operator) = (LOADED.get()?, self.operator()?);
        let written = |p: &Parameter| p.kind == Kind::Tensor { written: true };
        let place = operator.parameters.iter().position(written)?;
        // SAFETY: as above.
        let given = unsafe { Given::lent(&loaded.api, &operator.parameters, words) };
        // SAFETY: as above.
        if unsafe { operator.is_natives(&loaded.api, &given, words) } {
            return None;
        }
        operator.write(loaded, &given);
        Some(words[place] as usize)
    }

    #[inline]
    fn operator(&self) -> Option<&'static Operator> {
        // SAFETY: null, or an operator that stays.
        unsafe { self.operator.load(Ordering::Relaxed).as_ref() }
    }
}

/// The function of one shape.
macro_rules! kernel {
    (made ($($a:ident: $t:ty),*)) => {
        /// # Safety
        /// Called by PyTorch, for an operator whose C++ type has this shape: where the result goes, what the kernel is called on,
        /// the dispatch keys, and the arguments.
        unsafe extern "C-unwind" fn kernel<const K: usize>(
            result: *mut usize, _: *mut c_void, keys: u64, $($a: $t),*
        ) -> *mut usize {
            let slot = &SLOTS[K];
            if let Some(made) = slot.made(&[$($a.word()),*]) {
                // SAFETY: where the result goes, of one pointer.
                unsafe { result.write(made) };
                return result;
            }
            let (native, functor) = (slot.native.load(Ordering::Relaxed), slot.functor.load(Ordering::Relaxed));
            // SAFETY: PyTorch's own kernel of this operator, of the same type, with the arguments of the call.
            unsafe {
                let native = std::mem::transmute::<
                    *mut c_void, unsafe extern "C-unwind" fn(*mut usize, *mut c_void, u64, $($t),*) -> *mut usize
                >(native);
                native(result, functor, keys, $($a),*)
            }
        }
    };
    (written ($($a:ident: $t:ty),*)) => {
        /// # Safety
        /// As above. Returned is the address of an argument.
        unsafe extern "C-unwind" fn kernel<const K: usize>(_: *mut c_void, keys: u64, $($a: $t),*) -> usize {
            let slot = &SLOTS[K];
            if let Some(written) = slot.written(&[$($a.word()),*]) {
                return written;
            }
            let (native, functor) = (slot.native.load(Ordering::Relaxed), slot.functor.load(Ordering::Relaxed));
            // SAFETY: as above.
            unsafe {
                let native = std::mem::transmute::<
                    *mut c_void, unsafe extern "C-unwind" fn(*mut c_void, u64, $($t),*) -> usize
                >(native);
                native(functor, keys, $($a),*)
            }
        }
    };
}

/// Declares the shapes: their functions, and the operators of each.
macro_rules! shapes {
    ($($name:ident $key:literal $kind:ident ($($a:ident: $t:ty),*);)*) => {
        $(mod $name {
            use super::*;

            pub(super) static SLOTS: [Slot; PLACES] = [const { Slot::new() }; PLACES];

            kernel! { $kind ($($a: $t),*) }

            pub(super) fn functions() -> [*const c_void; PLACES] {
                [
                    kernel::<0> as *const c_void, kernel::<1> as *const c_void, kernel::<2> as *const c_void,
                    kernel::<3> as *const c_void, kernel::<4> as *const c_void, kernel::<5> as *const c_void,
                    kernel::<6> as *const c_void, kernel::<7> as *const c_void, kernel::<8> as *const c_void,
                    kernel::<9> as *const c_void, kernel::<10> as *const c_void, kernel::<11> as *const c_void,
                ]
            }
        })*

        /// The operators and functions of a shape.
        fn shape(key: &str) -> Option<(&'static [Slot; PLACES], [*const c_void; PLACES])> {
            match key {
                $($key => Some((&$name::SLOTS, $name::functions())),)*
                _ => None,
            }
        }
    };
}

// `w` is an argument of one word, `t` a text, and `o` a text that may be absent.
shapes! {
    makes_1 "makes w" made (a: Word);
    makes_2 "makes ww" made (a: Word, b: Word);
    makes_3 "makes www" made (a: Word, b: Word, c: Word);
    makes_4 "makes wwww" made (a: Word, b: Word, c: Word, d: Word);
    makes_5 "makes wwwww" made (a: Word, b: Word, c: Word, d: Word, e: Word);
    makes_4_text "makes wwwwt" made (a: Word, b: Word, c: Word, d: Word, e: Words<2>);
    makes_4_text_1 "makes wwwwtw" made (a: Word, b: Word, c: Word, d: Word, e: Words<2>, f: Word);
    makes_4_option_1 "makes wwwwow" made (a: Word, b: Word, c: Word, d: Word, e: Words<3>, f: Word);
    writes_2 "writes ww" written (a: Word, b: Word);
    writes_3 "writes www" written (a: Word, b: Word, c: Word);
    writes_4 "writes wwww" written (a: Word, b: Word, c: Word, d: Word);
    writes_5 "writes wwwww" written (a: Word, b: Word, c: Word, d: Word, e: Word);
    writes_6 "writes wwwwww" written (a: Word, b: Word, c: Word, d: Word, e: Word, f: Word);
    writes_4_text "writes wwwwt" written (a: Word, b: Word, c: Word, d: Word, e: Words<2>);
    writes_4_text_1 "writes wwwwtw" written (a: Word, b: Word, c: Word, d: Word, e: Words<2>, f: Word);
    writes_4_text_2 "writes wwwwtww" written (a: Word, b: Word, c: Word, d: Word, e: Words<2>, f: Word, g: Word);
    writes_4_option_2 "writes wwwwoww" written (a: Word, b: Word, c: Word, d: Word, e: Words<3>, f: Word, g: Word);
}

/// The function for an operator with a number, which hands on to `native` what is not answered here; `None` if there is none
/// of its shape.
pub(super) fn function(number: usize, native: &Kernel) -> Option<*const c_void> {
    let operator = operator(number)?;
    let writes = operator.parameters.iter().any(|p| p.kind == Kind::Tensor { written: true });
    let letter = |p: &Parameter| match p.kind {
        Kind::Text => 't',
        Kind::MaybeText => 'o',
        _ => 'w',
    };
    let letters: String = operator.parameters.iter().map(letter).collect();
    let (slots, functions) = shape(&format!("{} {letters}", if writes { "writes" } else { "makes" }))?;
    let known = number % BESIDE + 1;
    let place = slots.iter().position(|slot| {
        let set = slot.taken.compare_exchange(0, known, Ordering::AcqRel, Ordering::Acquire);
        set.is_ok() || set == Err(known)
    })?;
    slots[place].functor.store(native.functor, Ordering::Release);
    slots[place].native.store(native.plain.cast_mut(), Ordering::Release);
    slots[place].operator.store(std::ptr::from_ref(operator).cast_mut(), Ordering::Release);
    Some(functions[place])
}
