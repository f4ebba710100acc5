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
