//! Which instructions the kernels use: one level per process.
//!
//! A kernel is one body, compiled once per level by [`per_level!`]: the compiler then vectorises the same loop for each
//! processor. Where a level has an instruction that no loop turns into (compress), it may name a body of its own. Every
//! level gives the same bits, so a test may force one while others run.

use std::sync::atomic::{AtomicU8, Ordering};

/// A set of processor instructions, each level a superset of the one before. Every level gives the same bits.
///
/// ```
/// use takewise::Cpu;
/// assert!(Cpu::current() >= Cpu::Baseline);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Cpu {
    /// What every processor of the target has (SSE2 on x86-64, NEON on 64-bit ARM).
    Baseline = 1,
    /// x86-64 with AVX2, BMI1, BMI2, LZCNT, POPCNT and F16C.
    Avx2 = 2,
    /// The same with AVX-512 F, BW, DQ, VL and VBMI2.
    Avx512 = 3,
}

/// The level in use; 0 before the first look.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The environment variable that names the level to use.
const VARIABLE: &str = "TAKEWISE_CPU";

impl Cpu {
    /// All levels, the least first.
    const ALL: [Cpu; 3] = [Cpu::Baseline, Cpu::Avx2, Cpu::Avx512];

    /// The level in use: the one forced, else the best this processor supports up to the one that the environment
    /// variable `TAKEWISE_CPU` names (`baseline`, `avx2`, `avx512`; other values are passed over).
    ///
    /// ```
    /// use takewise::Cpu;
    /// assert!(Cpu::supported().contains(&Cpu::current()));
    /// ```
    #[inline]
    pub fn current() -> Cpu {
        match LEVEL.load(Ordering::Relaxed) {
            1 => Cpu::Baseline,
            2 => Cpu::Avx2,
            3 => Cpu::Avx512,
            _ => Cpu::choose(),
        }
    }

    #[cold]
    fn choose() -> Cpu {
        let asked = std::env::var(VARIABLE).ok().and_then(|name| Cpu::named(&name)).unwrap_or(Cpu::Avx512);
        let best = Cpu::supported().into_iter().rfind(|level| *level <= asked).unwrap_or(Cpu::Baseline);
        LEVEL.store(best as u8, Ordering::Relaxed);
        best
    }

    /// The levels this processor can run, the least first.
    pub fn supported() -> Vec<Cpu> {
        Cpu::ALL.into_iter().filter(|level| level.runs_here()).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn runs_here(self) -> bool {
        macro_rules! has {
            ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
        }
        match self {
            Cpu::Baseline => true,
            Cpu::Avx2 => has!("avx2", "bmi1", "bmi2", "lzcnt", "popcnt", "f16c"),
            Cpu::Avx512 => Cpu::Avx2.runs_here() && has!("avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi2"),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn runs_here(self) -> bool {
        self == Cpu::Baseline
    }

    /// Uses this level from now on, in the whole process; `false`, and nothing changes, where the processor cannot run
    /// it. Results do not depend on it: this is for measuring and for tests.
    ///
    /// ```
    /// use takewise::Cpu;
    /// let usual = Cpu::current();
    /// assert!(Cpu::Baseline.force());
    /// assert_eq!(Cpu::current().name(), "baseline");
    /// assert!(usual.force());
    /// ```
    pub fn force(self) -> bool {
        let runs = self.runs_here();
        if runs {
            LEVEL.store(self as u8, Ordering::Relaxed);
        }
        runs
    }

    /// Whether gather instructions of this level bring elements of so many bytes faster than loads one by one do. Processors
    /// that take them apart do that for the longest alone: f4 takes .66 of the time by gathers, .50 one by one (Zen 4). Or for
    /// none: rows of 100 to 1,000 elements of 1 to 8 bytes took .5 to .95 ns an element by gathers, .34 to .5 one by one (Zen 5).
    #[doc(hidden)]
    pub fn gathers(self, bytes: usize) -> bool {
        self >= Cpu::Avx512
            && match family() {
                Some(ZEN_4) => bytes >= 8,
                Some(ZEN_5) => false,
                _ => true,
            }
    }

    /// Whether closing the gaps between positions that are kept takes a thread less than the stores of all: by one instruction,
    /// on processors that are quick at it. Those slow at gathers took twice as long with two threads as with one.
    #[doc(hidden)]
    pub fn compresses(self) -> bool {
        self >= Cpu::Avx512 && family() != Some(ZEN_4)
    }

    /// The name `TAKEWISE_CPU` knows it by.
    pub fn name(self) -> &'static str {
        match self {
            Cpu::Baseline => "baseline",
            Cpu::Avx2 => "avx2",
            Cpu::Avx512 => "avx512",
        }
    }

    /// The level of a name.
    ///
    /// ```
    /// use takewise::Cpu;
    /// assert_eq!(Cpu::named("avx2"), Some(Cpu::Avx2));
    /// assert_eq!(Cpu::named("abacus"), None);
    /// ```
    pub fn named(name: &str) -> Option<Cpu> {
        Cpu::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Families of AMD's processors that take gather instructions apart into more steps than the loads would be: Zen 4 (and Zen 3,
/// which has no AVX-512), and Zen 5.
const ZEN_4: u32 = 0x19;
const ZEN_5: u32 = 0x1a;

/// The family of a processor of AMD's.
#[cfg(target_arch = "x86_64")]
fn family() -> Option<u32> {
    static KNOWN: crate::once::Once<Option<u32>> = crate::once::Once::new();
    *KNOWN.get_or_make(|| {
        // Later toolchains than the oldest that is promised have it as a safe function.
        #[allow(unused_unsafe)]
        // SAFETY: every processor of this architecture has the instruction, and these two leaves.
        let leaf = |number| unsafe { std::arch::x86_64::__cpuid(number) };
        let (maker, version) = (leaf(0), leaf(1).eax);
        let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
        let name = [maker.ebx, maker.edx, maker.ecx].map(u32::to_le_bytes);
        (name.as_flattened() == b"AuthenticAMD").then_some(family)
    })
}

#[cfg(not(target_arch = "x86_64"))]
fn family() -> Option<u32> {
    None
}

/// Bytes of a cache line, on every processor with levels.
pub const LINE: usize = 64;

/// Asks for the cache line at an address, which need not be one of ours: nothing is read as far as the program can tell.
#[inline(always)]
pub fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults; SSE is part of the target.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(at.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a prefetch never faults and changes nothing the program can see.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{0}]", in(reg) at, options(readonly, nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", not(miri)))))]
    let _ = at;
}

/// Asks for all lines of a stretch of memory, wherever in a line it begins.
#[inline(always)]
pub fn prefetch_all(at: *const u8, bytes: usize) {
    for line in (0..bytes).step_by(LINE) {
        prefetch(at.wrapping_add(line));
    }
    prefetch(at.wrapping_add(bytes.saturating_sub(1)));
}

/// Positions further on that [`prefetch_on`] asks for.
const STREAM: isize = 1024;

/// Asks for memory that is walked through, `count` elements of it that lie [`STREAM`] further on: the processor's own prefetching
/// begins anew with every page. Elements that lie apart are left to themselves.
#[inline(always)]
pub fn prefetch_on(from: *const u8, step: isize, count: usize) {
    if (1..=16).contains(&step) {
        prefetch_all(from.wrapping_offset(STREAM * step), count * step as usize);
    }
}

/// Defines a function that runs the body of the level in use: `body` (an `#[inline(always)]` function of the same
/// signature) compiled for every level, or the body a level names for itself. A body given as `level` takes the level as
/// its type parameter, a [`Level`](super::level::Level). Type parameters are given in brackets.
///
/// * **K1** a body is entered only at a level the processor was seen to support, or that every processor of the target
///   has.
#[doc(hidden)]
#[macro_export]
macro_rules! per_level {
    ($(#[$about:meta])* $vis:vis unsafe fn $name:ident $([$($g:ident : $bound:path),*])? ($($arg:ident : $t:ty),* $(,)?)
        $(-> $ret:ty)? { all: $body:ident }) => {
        per_level! { $(#[$about])* $vis unsafe fn $name $([$($g : $bound),*])? ($($arg : $t),*) $(-> $ret)?
            { baseline: $body, avx2: $body, avx512: $body } }
    };
    ($(#[$about:meta])* $vis:vis unsafe fn $name:ident ($($arg:ident : $t:ty),* $(,)?) $(-> $ret:ty)? { level: $body:ident }) => {
        $(#[$about])*
        #[allow(clippy::too_many_arguments)]
        #[inline]
        $vis unsafe fn $name ($($arg: $t),*) $(-> $ret)? {
            use $crate::kernel::level;
            #[inline(always)]
            unsafe fn at_baseline ($($arg: $t),*) $(-> $ret)? {
                // SAFETY: passed on.
                unsafe { $body::<level::Baseline>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn at_avx2 ($($arg: $t),*) $(-> $ret)? {
                // SAFETY: passed on.
                unsafe { $body::<level::Avx2>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[inline(always)]
            unsafe fn at_avx512 ($($arg: $t),*) $(-> $ret)? {
                // SAFETY: passed on.
                unsafe { $body::<level::Avx512>($($arg),*) }
            }
            per_level! { unsafe fn chosen ($($arg: $t),*) $(-> $ret)?
                { baseline: at_baseline, avx2: at_avx2, avx512: at_avx512 } }
            // SAFETY: passed on.
            unsafe { chosen($($arg),*) }
        }
    };
    ($(#[$about:meta])* $vis:vis unsafe fn $name:ident $([$($g:ident : $bound:path),*])? ($($arg:ident : $t:ty),* $(,)?)
        $(-> $ret:ty)? { baseline: $body:ident, avx2: $avx2:ident, avx512: $avx512:ident }) => {
        $(#[$about])*
        #[allow(clippy::too_many_arguments, unused_unsafe)]
        #[inline]
        $vis unsafe fn $name $(<$($g: $bound),*>)? ($($arg: $t),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,f16c")]
                #[allow(clippy::too_many_arguments, unused_unsafe)]
                unsafe fn avx2 $(<$($g: $bound),*>)? ($($arg: $t),*) $(-> $ret)? {
                    // SAFETY: passed on.
                    unsafe { $avx2 $(::<$($g),*>)? ($($arg),*) }
                }
                #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2")]
                #[allow(clippy::too_many_arguments, unused_unsafe)]
                unsafe fn avx512 $(<$($g: $bound),*>)? ($($arg: $t),*) $(-> $ret)? {
                    // SAFETY: passed on.
                    unsafe { $avx512 $(::<$($g),*>)? ($($arg),*) }
                }
                match $crate::kernel::cpu::Cpu::current() {
                    // SAFETY: K1 by `Cpu`; the rest is passed on.
                    $crate::kernel::cpu::Cpu::Avx512 => return unsafe { avx512 $(::<$($g),*>)? ($($arg),*) },
                    // SAFETY: as above.
                    $crate::kernel::cpu::Cpu::Avx2 => return unsafe { avx2 $(::<$($g),*>)? ($($arg),*) },
                    _ => {}
                }
            }
            // Not inlined with the rest: who calls from another crate does not compile the body again.
            #[allow(clippy::too_many_arguments, unused_unsafe)]
            unsafe fn baseline $(<$($g: $bound),*>)? ($($arg: $t),*) $(-> $ret)? {
                // SAFETY: passed on.
                unsafe { $body $(::<$($g),*>)? ($($arg),*) }
            }
            // SAFETY: passed on.
            unsafe { baseline $(::<$($g),*>)? ($($arg),*) }
        }
    };
}
pub use crate::per_level;
