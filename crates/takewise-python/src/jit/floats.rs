//! Floating point as the engine needs it: XLA's threads take subnormal numbers for zero, and make zero of them.
//!
//! A search for zero looks for what is above the number just below it, which is subnormal. So the engine runs with the processor's
//! usual setting, as it does outside of programs. XLA gets its own back.
//!
//! Obligation **F1**: the bits that are changed only say how arithmetic treats subnormal numbers, and Rust expects them to be clear.

/// Runs with subnormal numbers as what they are.
pub(super) fn exactly<R>(run: impl FnOnce() -> R) -> R {
    let before = setting::get();
    if before & setting::FLUSHES == 0 {
        return run();
    }
    struct Back(u64);
    impl Drop for Back {
        fn drop(&mut self) {
            setting::set(self.0);
        }
    }
    let _back = Back(before);
    setting::set(before & !setting::FLUSHES);
    run()
}

#[cfg(target_arch = "x86_64")]
mod setting {
    use std::arch::asm;

    /// Results become zero, and operands are taken for zero.
    pub(super) const FLUSHES: u64 = 1 << 15 | 1 << 6;

    pub(super) fn get() -> u64 {
        let mut word = 0u32;
        // SAFETY: four bytes are written to a variable that has them.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack, preserves_flags)) };
        u64::from(word)
    }

    pub(super) fn set(word: u64) {
        let word = word as u32;
        // SAFETY: F1; the other bits are those that were read.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod setting {
    use std::arch::asm;

    /// Of halves, and of the other floats.
    pub(super) const FLUSHES: u64 = 1 << 19 | 1 << 24;

    pub(super) fn get() -> u64 {
        let word;
        // SAFETY: this register may be read.
        unsafe { asm!("mrs {}, fpcr", out(reg) word, options(nostack, preserves_flags)) };
        word
    }

    pub(super) fn set(word: u64) {
        // SAFETY: F1; the other bits are those that were read.
        unsafe { asm!("msr fpcr, {}", in(reg) word, options(nostack, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod setting {
    pub(super) const FLUSHES: u64 = 0;

    pub(super) fn get() -> u64 {
        0
    }

    pub(super) fn set(_: u64) {}
}
