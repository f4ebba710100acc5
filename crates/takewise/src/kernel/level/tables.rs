//! Orders of the eight lanes a byte of a word stands for, which byte shuffles and lane permutations take.

/// For every byte: the numbers of its set bits, lowest first, one per byte of the entry.
pub(super) static SET: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut left, mut n) = (bits as u32, 0);
        while left != 0 {
            table[bits] |= (left.trailing_zeros() as u64) << (8 * n);
            left &= left - 1;
            n += 1;
        }
        bits += 1;
    }
    table
};

/// For every byte: how many set bits lie below each lane, one lane per byte of the entry.
pub(super) static RANK: [u64; 256] = {
    let mut table = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut lane = 0;
        while lane < 8 {
            table[bits] |= ((bits as u32 & ((1 << lane) - 1)).count_ones() as u64) << (8 * lane);
            lane += 1;
        }
        bits += 1;
    }
    table
};

/// How the lanes of a byte's set bits come to lie side by side: by moving down by one, then by two, then by four.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(super) struct Moves {
    /// For each step, all ones in the lanes that take what lies above them; one lane per byte.
    pub lanes: [u64; 3],
    /// How many bits are set.
    pub set: u64,
}

/// For every byte.
#[cfg(target_arch = "x86_64")]
pub(super) static MOVES: [Moves; 256] = {
    let mut table = [Moves { lanes: [0; 3], set: 0 }; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut lane, mut set) = (0, 0);
        while lane < 8 {
            if bits >> lane & 1 == 1 {
                // As far down as there are clear bits below, whose number in binary says by which steps.
                let (mut at, by, mut step) = (lane, lane - set, 0);
                while step < 3 {
                    if by >> step & 1 == 1 {
                        at -= 1 << step;
                        table[bits].lanes[step] |= 0xff << (8 * at);
                    }
                    step += 1;
                }
                set += 1;
            }
            lane += 1;
        }
        table[bits].set = set as u64;
        bits += 1;
    }
    table
};

/// The first two steps of [`MOVES`] for every four bits, one lane per 32 bits.
#[cfg(target_arch = "x86_64")]
pub(super) static FOURS: [[[u32; 4]; 2]; 16] = {
    let mut table = [[[0; 4]; 2]; 16];
    let mut k = 0;
    while k < 16 * 2 * 4 {
        let (bits, step, lane) = (k / 8, k / 4 % 2, k % 4);
        if MOVES[bits].lanes[step] >> (8 * lane) & 1 == 1 {
            table[bits][step][lane] = u32::MAX;
        }
        k += 1;
    }
    table
};
