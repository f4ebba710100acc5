use super::*;
use crate::kernel::cpu::Cpu;
use crate::kernel::stream;

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        ((self.0 >> 33) as usize) % n
    }
}

/// By how much there is less of everything where each step is interpreted.
const SMALLER: usize = if cfg!(miri) { 17 } else { 1 };
const SIZES_APART: usize = if cfg!(miri) { 3 } else { 1 };

const DTYPES: [DType; 9] =
    [DType::Bool, DType::U8, DType::U16, DType::U32, DType::U64, DType::I8, DType::I16, DType::I32, DType::I64];

/// Values as the bytes of a dtype, after one byte that makes them lie unaligned.
fn packed(values: &[i64], dtype: DType) -> Vec<u8> {
    laid(values, dtype, 1).0
}

/// The same so many places apart, backwards if that is negative, and where the first of them begins.
fn laid(values: &[i64], dtype: DType, apart: isize) -> (Vec<u8>, usize) {
    let (size, step) = (dtype.size(), apart.unsigned_abs());
    let mut bytes = vec![9; 1 + values.len().max(1) * step * size];
    let first = if apart > 0 { 1 } else { 1 + values.len().saturating_sub(1) * step * size };
    for (k, v) in values.iter().enumerate() {
        let at = (first as isize + k as isize * apart * size as isize) as usize;
        bytes[at..at + size].copy_from_slice(&v.to_le_bytes()[..size]);
    }
    (bytes, first)
}

/// A source, index values' dtype and what they are to give.
struct Drawn<'a> {
    size: usize,
    dtype: DType,
    count: usize,
    two: bool,
    gap: usize,
    lens: [usize; 2],
    steps: [isize; 2],
    along: isize,
    from_end: bool,
    start: isize,
    data: &'a [u8],
    round: usize,
    want: &'a [u8],
}

impl Drawn<'_> {
    /// Gathers by values `apart` elements apart, at every level.
    fn at_every_level(&self, values: &[Vec<i64>], apart: isize, inside: bool) {
        let Drawn { size, dtype, count, two, gap, lens, steps, along, from_end, start, data, round, want } = *self;
        let laid = [laid(&values[0], dtype, apart), laid(&values[1], dtype, apart)];
        for level in Cpu::supported() {
            assert!(level.force());
            for ahead in [0, 5] {
                let mut space = vec![0xAB; count * size + 8 + 64];
                // At a line, where stores may go past the caches, or wherever the memory begins.
                let at_line = if ahead > 0 { space.as_ptr().align_offset(64) } else { 0 };
                let out = &mut space[at_line..][..count * size + 8];
                let axis = |a: usize| Values {
                    first: laid[a].0[laid[a].1..].as_ptr(),
                    len: lens[a],
                    step: steps[a],
                    each: apart * dtype.size() as isize,
                };
                let axes = [axis(0), axis(1)];
                let stretch = Stretch {
                    axes: &axes[..1 + usize::from(two)],
                    dtype,
                    from_end,
                    outside: Outside::Raise,
                    fill: std::ptr::null(),
                    from: data.as_ptr().wrapping_offset(start),
                    along,
                    to: out.as_mut_ptr(),
                    count,
                    ahead,
                    dense: gap == 0,
                    asks: ahead > 0,
                    wide: true,
                    streamed: ahead > 0 && (matches!(size, 1 | 2 | 4 | 8) || stream::suits(out.as_ptr().addr() | size)),
                    next: if round % 2 == 0 { Next::NONE } else { Next::new(data.as_ptr(), data.len(), count) },
                    rows: Rows::ONE,
                };
                // SAFETY: the values, the data and the output are as the stretch says.
                let good = unsafe { gather(size, &stretch) };
                let text = format!(
                    "{dtype:?} size {size} count {count} lens {lens:?} steps {steps:?} along {along} apart {apart} {level:?} {values:?}"
                );
                assert_eq!(good, inside, "{text}");
                assert_eq!(out[count * size..], [0xAB; 8], "{text}");
                if good {
                    assert_eq!(out[..count * size], *want, "{text}");
                }
            }
        }
    }
}

/// Every index dtype, size, form of source, level and length around sixteen, with and without a value outside.
#[test]
fn gathers_are_what_the_values_name() {
    let mut numbers = Numbers(7);
    let usual = Cpu::current();
    let signed = |d| matches!(d, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    for size in [1usize, 2, 3, 4, 8, 12, 16, 32, 64, 70, 80].into_iter().step_by(SIZES_APART) {
        for (round, dtype) in
            DTYPES.into_iter().enumerate().flat_map(|d| std::iter::repeat_n(d, if cfg!(miri) { 1 } else { 12 }))
        {
            let two = numbers.below(2) == 1;
            let count = [0, 1, 15, 16, 17, 31, 32, 33, 50][numbers.below(9)];
            let gap = numbers.below(2) * numbers.below(5);
            let most = if numbers.below(2) == 0 { 4 } else { 100 / SMALLER };
            let lens = [1 + numbers.below(most), if two { 1 + numbers.below(5) } else { 1 }];
            let along = if numbers.below(2) == 0 { 0 } else { (size + gap) as isize };
            let from_end = numbers.below(2) == 0;
            let wide = if along > 0 { count.max(1) } else { 1 };
            // An array (lens[0], lens[1], wide) of elements `size + gap` bytes apart, some of it backwards.
            let (unit, backwards) = ((size + gap) as isize, numbers.below(3) == 0);
            let mut steps = [unit * (lens[1] * wide) as isize, unit * wide as isize];
            let total = (lens[0] * lens[1] * wide) as isize * unit;
            let data: Vec<u8> = (0..total).map(|_| numbers.below(256) as u8).collect();
            let mut start = 0;
            if backwards {
                start = steps[0] * (lens[0] as isize - 1);
                steps[0] = -steps[0];
            }
            let data = &data[..total as usize - gap];
            let values: Vec<Vec<i64>> = (0..2)
                .map(|a| {
                    (0..count)
                        .map(|_| {
                            let v = numbers.below(lens[a]) as i64;
                            if from_end && signed(dtype) && numbers.below(2) == 0 { v - lens[a] as i64 } else { v }
                        })
                        .collect()
                })
                .collect();
            let mut want = Vec::new();
            for (k, (first, second)) in values[0].iter().zip(&values[1]).enumerate() {
                let place = |a: usize| [first, second][a].rem_euclid(lens[a] as i64) as isize * steps[a];
                let at = (start + place(0) + if two { place(1) } else { 0 } + k as isize * along) as usize;
                want.extend_from_slice(&data[at..at + size]);
            }
            for bad in [None, Some(numbers.below(count.max(1)))] {
                let mut values = values.clone();
                let outside =
                    [lens[usize::from(two)] as i64, 127, -1 - lens[usize::from(two)] as i64][numbers.below(3)];
                let outside = if signed(dtype) { outside } else { outside.abs().max(lens[usize::from(two)] as i64) };
                if let (Some(k), true) = (bad, count > 0) {
                    values[usize::from(two)][k] = outside;
                }
                let apart = [1, 1, 2, 5, -1, -3][numbers.below(6)];
                let drawn = Drawn {
                    size,
                    dtype,
                    count,
                    two,
                    gap,
                    lens,
                    steps,
                    along,
                    from_end,
                    start,
                    data,
                    round,
                    want: &want,
                };
                drawn.at_every_level(&values, apart, bad.is_none() || count == 0);
            }
        }
    }
    assert!(usual.force());
}

/// Values outside are clipped, wrapped, or leave gaps that are filled, by every function there is for that, none, few or all of
/// them being outside, and however far.
#[test]
fn values_outside_are_served_by_their_rule() {
    let mut numbers = Numbers(12);
    let usual = Cpu::current();
    let ends = [DType::I32, DType::I64].map(|d| if d == DType::I32 { i32::MIN.into() } else { i64::MIN });
    for (size, count) in [1usize, 2, 3, 4, 8, 12, 16, 32, 64, 70]
        .into_iter()
        .step_by(SIZES_APART)
        .flat_map(|s| (0..160 / SMALLER).map(move |c| (s, c * SMALLER % 80)))
    {
        let rules = [Outside::Clip, Outside::Wrap, Outside::Fill, Outside::Drop];
        let (kind, outside) = (numbers.below(2), rules[numbers.below(4)]);
        let (dtype, end) = ([DType::I32, DType::I64][kind], ends[kind]);
        let (len, from_end, along) = (1 + numbers.below(40), numbers.below(2) == 1, numbers.below(2) * size);
        let apart = [1, 1, 1, 2, -3][numbers.below(5)];
        let share = [0, 1, 8, 16][numbers.below(4)];
        let values: Vec<i64> = (0..count)
            .map(|_| match numbers.below(16) {
                k if k >= share => numbers.below(len) as i64,
                k if k > 8 => [end, end + 1, -1 - end, -2 - end][numbers.below(4)],
                _ => numbers.below(6 * len) as i64 - 3 * len as i64,
            })
            .collect();
        let data: Vec<u8> = (0..size * (len + count)).map(|_| numbers.below(256) as u8).collect();
        let fill: Vec<u8> = (0..size).map(|_| numbers.below(256) as u8).collect();
        let mut want = Vec::new();
        for (k, v) in values.iter().enumerate() {
            let (v, n) = (i128::from(*v), len as i128);
            let counted = if from_end && v < 0 { v + n } else { v };
            let place = match outside {
                Outside::Clip => counted.clamp(0, n - 1),
                Outside::Wrap => v.rem_euclid(n),
                _ if (0..n).contains(&counted) => counted,
                _ => {
                    want.extend_from_slice(&fill);
                    continue;
                }
            };
            want.extend_from_slice(&data[place as usize * size + k * along..][..size]);
        }
        let (laid, first) = laid(&values, dtype, apart);
        let axes =
            [Values { first: laid[first..].as_ptr(), len, step: size as isize, each: apart * dtype.size() as isize }];
        for (level, ahead) in Cpu::supported().into_iter().flat_map(|level| [(level, 0), (level, 5)]) {
            assert!(level.force());
            let mut space = vec![0xAB; count * size + 8 + 64];
            let at_line = space.as_ptr().align_offset(64);
            let out = &mut space[at_line..][..count * size + 8];
            let stretch = Stretch {
                axes: &axes,
                dtype,
                from_end,
                outside,
                fill: fill.as_ptr(),
                from: data.as_ptr(),
                along: along as isize,
                to: out.as_mut_ptr(),
                count,
                ahead,
                dense: true,
                asks: ahead > 0,
                wide: true,
                streamed: ahead > 0 && (matches!(size, 1 | 2 | 4 | 8) || stream::suits(out.as_ptr().addr() | size)),
                next: Next::NONE,
                rows: Rows::ONE,
            };
            let text =
                format!("{outside:?} {dtype:?} size {size} len {len} {from_end} apart {apart} {level:?} {values:?}");
            // SAFETY: the values, the data and the output are as the stretch says.
            assert!(unsafe { gather(size, &stretch) }, "{text}");
            assert_eq!(out[..count * size], want, "{text}");
            assert_eq!(out[count * size..], [0xAB; 8], "{text}");
        }
    }
    assert!(usual.force());
}

/// Rows gathered at once are what each row gathers alone, whatever lies between them, and a value outside in any is found.
#[test]
fn rows_are_gathered_one_after_the_other() {
    let mut numbers = Numbers(10);
    let usual = Cpu::current();
    for size in [1usize, 2, 3, 4, 8, 16, 64, 70].into_iter().step_by(SIZES_APART) {
        for (dtype, count) in
            [DType::I64, DType::U8, DType::I32].into_iter().flat_map(|d| [5, 16, 32, 40].map(|c| (d, c)))
        {
            let (many, len, two) = (1 + numbers.below(4), 1 + numbers.below(9), numbers.below(2) == 1);
            let (gap, wide) = (numbers.below(3), len * len * size);
            let data: Vec<u8> = (0..wide * many).map(|_| numbers.below(256) as u8).collect();
            let mut values: [Vec<i64>; 2] =
                std::array::from_fn(|_| (0..many * (count + gap)).map(|_| numbers.below(len) as i64).collect());
            let bad = numbers.below(2) == 1;
            if bad {
                values[0][numbers.below(many) * (count + gap) + numbers.below(count)] = len as i64;
            }
            let packed = [packed(&values[0], dtype), packed(&values[1], dtype)];
            for level in Cpu::supported() {
                assert!(level.force());
                let run = |first: usize, many: usize, out: &mut [u8]| {
                    let step = (count + gap) * dtype.size();
                    let axis = |a: usize, step_of: usize| Values {
                        first: packed[a][1 + first * step..].as_ptr(),
                        len,
                        step: (size * step_of) as isize,
                        each: dtype.size() as isize,
                    };
                    let axes = [axis(0, len), axis(1, 1)];
                    let stretch = Stretch {
                        axes: &axes[..1 + usize::from(two)],
                        dtype,
                        from_end: false,
                        outside: Outside::Raise,
                        fill: std::ptr::null(),
                        from: data[first * wide..].as_ptr(),
                        along: 0,
                        to: out.as_mut_ptr(),
                        count,
                        ahead: first % 2 * 3,
                        dense: true,
                        asks: false,
                        wide: true,
                        streamed: matches!(size, 1 | 2 | 4 | 8),
                        next: Next::new(data.as_ptr(), data.len(), count),
                        rows: Rows {
                            count: many,
                            from: wide as isize,
                            to: ((count + 16) * size) as isize,
                            values: [step as isize; 2],
                            asks: true,
                        },
                    };
                    // SAFETY: the values, the data and the output are as the stretch says.
                    unsafe { gather(size, &stretch) }
                };
                let each = (count + 16) * size;
                let (mut space, mut want) = (vec![0xAB; many * each + 64], vec![0xAB; many * each]);
                let at_line = space.as_ptr().align_offset(64);
                let whole = &mut space[at_line..][..many * each];
                let good = run(0, many, whole);
                let rows = want.chunks_mut(each).enumerate().map(|(row, out)| run(row, 1, out)).collect::<Vec<_>>();
                assert_eq!((good, rows.contains(&false)), (!bad, bad), "{dtype:?} size {size} count {count} {level:?}");
                if good {
                    assert_eq!(whole, want, "{dtype:?} size {size} count {count} many {many} {level:?}");
                }
            }
        }
    }
    assert!(usual.force());
}

#[test]
fn fetches_are_what_stands_at_the_places() {
    let mut numbers = Numbers(8);
    let usual = Cpu::current();
    for size in [1usize, 2, 3, 4, 8, 12, 16, 32, 64, 70].into_iter().step_by(SIZES_APART) {
        for count in (0..70).step_by(SMALLER) {
            let span = size + numbers.below(if count % 2 == 0 { 3 } else { 300 });
            let data: Vec<u8> = (0..span).map(|_| numbers.below(256) as u8).collect();
            let start = numbers.below(span - size + 1);
            let offsets: Vec<i32> = (0..count).map(|_| numbers.below(span - size + 1) as i32 - start as i32).collect();
            let ends = (offsets.iter().min().copied().unwrap_or(0), offsets.iter().max().copied().unwrap_or(0));
            let want: Vec<u8> =
                offsets.iter().flat_map(|o| data[(start as i32 + o) as usize..][..size].to_vec()).collect();
            for level in Cpu::supported() {
                assert!(level.force());
                for dense in [false, true] {
                    let mut out = vec![0xAB; count * size + 8];
                    let places = PlaceRow { offsets: &offsets, low: ends.0, high: ends.1, dense };
                    let next = Next::new(data.as_ptr(), count % 3 * 100, count);
                    // SAFETY: the offsets name elements of the data, and the output has room.
                    unsafe { fetch(size, data.as_ptr().wrapping_add(start), places, out.as_mut_ptr(), next) };
                    assert_eq!(out[..count * size], want, "size {size} {offsets:?} {level:?}");
                    assert_eq!(out[count * size..], [0xAB; 8]);
                }
            }
        }
    }
    assert!(usual.force());
}
