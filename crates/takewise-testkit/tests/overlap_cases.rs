//! Operands that share memory with the destination are read as if before the first store; and index memory
//! that does not keep still never leads outside the array.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use takewise::Reduce;
use takewise::index::rules::{Outside, Overlap, Rules};
use takewise::threads::with_threads;
use takewise::{AnyView, AnyViewMut, DType, Kind, Layout, Result, Scalar, Tensor, ops};
use takewise_testkit::{Rng, rng::cases};

/// A random view of a tensor of `n` elements, which may meet itself.
fn view(rng: &mut Rng, whole: &Tensor, shape: &[usize]) -> Tensor {
    let n = whole.numel() as i64;
    loop {
        let strides: Vec<i64> = shape.iter().map(|_| rng.between(0, 6)).collect();
        let reach: i64 = shape.iter().zip(&strides).map(|(&n, s)| (n as i64 - 1).max(0) * s).sum();
        if reach < n {
            let offset = rng.between(0, n - 1 - reach) as usize;
            return whole.as_strided(shape, &strides, Some(offset)).unwrap();
        }
    }
}

type Write<'a> = &'a dyn Fn(&Tensor, &Tensor, &Tensor) -> Result<()>;

/// Runs a write on operands that share memory, and on copies of them; both must come to the same.
///
/// The buffer holds small non-negative numbers, so any part of it is a valid index.
fn agrees(rng: &mut Rng, name: &str, dst: &[usize], index: &[usize], source: &[usize], write: Write) -> bool {
    let n = 40;
    let data: Vec<i64> = (0..n).map(|_| rng.between(0, 1)).collect();
    let whole = Tensor::from_slice(&data, &[n as usize]).unwrap();
    let (d, i, s) = (view(rng, &whole, dst), view(rng, &whole, index), view(rng, &whole, source));
    let (d2, i2, s2) = (d.clone_data().unwrap(), i.clone_data().unwrap(), s.clone_data().unwrap());
    let threads = rng.pick(&[1, 1, 7]);
    let got = with_threads(threads, || write(&d, &i, &s));
    if let Err(e) = &got {
        // A destination that meets itself is refused; nothing else may fail here.
        assert_eq!(e.kind(), Kind::Overlap, "{name}: {e:?}");
        assert_eq!(whole.to_vec::<i64>().unwrap(), data, "{name}: failed, but wrote");
        return false;
    }
    write(&d2, &i2, &s2).unwrap();
    let about =
        || format!("{name}: buffer {data:?} dst {:?} index {:?} source {:?}", d.layout(), i.layout(), s.layout());
    assert_eq!(d.to_vec::<i64>().unwrap(), d2.to_vec::<i64>().unwrap(), "{}", about());
    // The rest of the buffer is as it was.
    let mut rest = whole.to_vec::<i64>().unwrap();
    let places = Tensor::from_slice(&(0..n).collect::<Vec<i64>>(), &[n as usize]).unwrap();
    let strides: Vec<i64> = d.strides().iter().map(|s| *s as i64).collect();
    let own = places.as_strided(d.shape(), &strides, Some(d.storage_offset())).unwrap();
    own.to_vec::<i64>().unwrap().into_iter().for_each(|k| rest[k as usize] = data[k as usize]);
    assert_eq!(rest, data, "{}: wrote outside the destination", about());
    true
}

#[test]
fn operands_in_one_buffer() {
    let mut rng = Rng::new(1);
    let rules = Rules { overlap: Overlap::CopyInput, ..Rules::NEUTRAL };
    let r = &rules;
    let mut good = 0;
    let rounds = cases(3000) as usize;
    for _ in 0..rounds {
        let (a, b, m) = (2 + rng.below(3), 1 + rng.below(3), 1 + rng.below(5));
        let (dst, rows, box_) = ([a, b], [m, b], [m, b]);
        let one = Scalar::Int(1);
        let all: [(&str, &[usize], &[usize], Write); 10] = [
            ("scatter", &box_, &rows, &|d, i, s| d.scatter_(0, i, s, None, r)),
            ("scatter_add", &box_, &rows, &|d, i, s| d.scatter_add_(0, i, s, r)),
            ("scatter_reduce", &box_, &rows, &|d, i, s| d.scatter_reduce_(0, i, s, Reduce::Mean, false, r)),
            ("index_add", &[m], &rows, &|d, i, s| d.index_add_(0, i, s, one, r)),
            ("index_copy", &[m], &rows, &|d, i, s| d.index_copy_(0, i, s, r)),
            ("index_fill", &[m], &[], &|d, i, s| d.index_fill_(0, i, s, r)),
            ("index_reduce", &[m], &rows, &|d, i, s| d.index_reduce_(0, i, s, Reduce::Max, true, r)),
            ("put", &box_, &rows, &|d, i, s| d.put_(i, s, false, r)),
            ("put_along", &[m, 1], &rows, &|d, i, s| d.put_along_(0, i, s, r)),
            ("scatter_nd", &[m, 1], &rows, &|d, i, s| d.scatter_nd_(i, s, None, r)),
        ];
        for (name, index, source, write) in all {
            good += agrees(&mut rng, name, &dst, index, source, write) as usize;
        }
    }
    assert!(good * 4 > rounds * 10, "only {good} of {} calls ran", rounds * 10);
}

/// Masks and sources that are parts of a boolean destination.
#[test]
fn masks_in_one_buffer() {
    let mut rng = Rng::new(2);
    let r = &Rules { overlap: Overlap::CopyInput, ..Rules::NEUTRAL };
    for _ in 0..cases(2000) {
        let data: Vec<bool> = (0..40).map(|_| rng.one_in(2)).collect();
        let whole = Tensor::from_slice(&data, &[40]).unwrap();
        let shape = [1 + rng.below(4), 1 + rng.below(4)];
        let (d, m, s) = (view(&mut rng, &whole, &shape), view(&mut rng, &whole, &shape), view(&mut rng, &whole, &[16]));
        let [d2, m2, s2] = [&d, &m, &s].map(|t| t.clone_data().unwrap());
        if d.masked_scatter_(&m, &s, r).is_ok() {
            d2.masked_scatter_(&m2, &s2, r).unwrap();
            assert_eq!(d.to_vec::<bool>().unwrap(), d2.to_vec::<bool>().unwrap());
        }
        let zero = view(&mut rng, &whole, &[]);
        let [d2, m2, zero2] = [&d, &m, &zero].map(|t| t.clone_data().unwrap());
        if d.masked_fill_(&m, &zero, r).is_ok() {
            d2.masked_fill_(&m2, &zero2, r).unwrap();
            assert_eq!(d.to_vec::<bool>().unwrap(), d2.to_vec::<bool>().unwrap());
        }
    }
}

/// Reads into an `out` that shares memory with what is read.
#[test]
fn outputs_in_one_buffer() {
    let mut rng = Rng::new(3);
    let r = &Rules { overlap: Overlap::CopyInput, ..Rules::NEUTRAL };
    for _ in 0..cases(3000) {
        let data: Vec<i64> = (0..40).map(|_| rng.between(0, 1)).collect();
        let whole = Tensor::from_slice(&data, &[40]).unwrap();
        let (a, b, m) = (2 + rng.below(3), 1 + rng.below(3), 1 + rng.below(5));
        let x = view(&mut rng, &whole, &[a, b]);
        let (gi, vi) = (view(&mut rng, &whole, &[m, b]), view(&mut rng, &whole, &[m]));
        let want = [x.gather(0, &gi, r), x.index_select(0, &vi, r), x.take(&gi, r)]
            .map(|t| t.unwrap().to_vec::<i64>().unwrap());
        for (k, want) in want.iter().enumerate() {
            whole.write::<i64>().unwrap().as_mut_slice().unwrap().copy_from_slice(&data);
            let mut out = view(&mut rng, &whole, &[m, b]);
            let done = match k {
                0 => x.gather_out(0, &gi, &mut out, r),
                1 => x.index_select_out(0, &vi, &mut out, r),
                _ => x.take_out(&gi, &mut out, r),
            };
            match done {
                Ok(_) => assert_eq!(out.to_vec::<i64>().unwrap(), *want, "{k}"),
                Err(e) => assert_eq!(e.kind(), Kind::Overlap, "{e:?}"),
            }
        }
    }
}

/// Refused overlaps write nothing.
#[test]
fn refused_overlaps() {
    let r = &Rules { overlap: Overlap::Refuse, ..Rules::NEUTRAL };
    let x = Tensor::from_slice(&[0i64, 1, 2, 0], &[4]).unwrap();
    let same = x.clone();
    for e in [
        x.scatter_(0, &same, &same, None, r).unwrap_err(),
        x.put_(&same, 5, false, r).unwrap_err(),
        x.index_copy_(0, &same, &same, r).unwrap_err(),
    ] {
        assert_eq!(e.kind(), Kind::Overlap);
    }
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 1, 2, 0]);
    let copied = &Rules { overlap: Overlap::CopyInput, ..Rules::NEUTRAL };
    x.put_(&same, 5, false, copied).unwrap();
    assert_eq!(x.to_vec::<i64>().unwrap(), [5, 5, 5, 0]);
}

/// Another thread writes wild values into the index while calls run. Results may be of any moment, or an error;
/// guards around the array must stay, and reads must give elements of the array.
#[test]
fn index_memory_that_does_not_keep_still() {
    const N: usize = 1000;
    const M: usize = 6000;
    let index: Vec<AtomicI64> = (0..M).map(|k| AtomicI64::new((k % N) as i64)).collect();
    let stop = AtomicBool::new(false);
    /// Ends the other thread however this one ends, so that a failure is seen.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    std::thread::scope(|s| {
        let _stop = Stop(&stop);
        s.spawn(|| {
            let mut rng = Rng::new(4);
            while !stop.load(Ordering::Relaxed) {
                let (k, good) = (rng.below(M), !rng.one_in(64));
                let wild = rng.pick(&[-1, N as i64, i64::MIN, i64::MAX, 1 << 40]);
                index[k].store(if good { rng.below(N) as i64 } else { wild }, Ordering::Relaxed);
                if rng.one_in(50) {
                    index.iter().for_each(|v| v.store(rng.below(N) as i64, Ordering::Relaxed));
                }
            }
        });
        let layout = Layout::contiguous(&[M], 8).unwrap();
        // SAFETY: L1: the vector outlives the view; foreign writes are part of this constructor's contract.
        let view = unsafe { AnyView::from_raw(index.as_ptr().cast(), DType::I64, layout) };
        let mut outcomes = [0, 0];
        for round in 0..cases(400).min(1000) {
            let outside = [Outside::Raise, Outside::Clip, Outside::Drop, Outside::Wrap][round as usize % 4];
            let rules = Rules { outside, ..Rules::NEUTRAL };
            with_threads([1, 2, 7][round as usize % 3], || hammer(&view, N, M, &rules, &mut outcomes));
        }
        assert!(outcomes[0] > 0, "no call succeeded");
    });
}

fn hammer(index: &AnyView, n: usize, m: usize, rules: &Rules, outcomes: &mut [usize; 2]) {
    const GUARD: i32 = 0x5a5a_5a5a;
    let mut memory = vec![GUARD; n + 4096];
    memory[2048..2048 + n].fill(1);
    let source = vec![1i32; m];
    let mut count = |ok: bool| outcomes[!ok as usize] += 1;
    if let Ok(t) = ops::take(&memory[2048..2048 + n], index, rules) {
        let dropped = rules.outside == Outside::Drop;
        assert!(t.to_vec::<i32>().unwrap().iter().all(|&v| v == 1 || (dropped && v == 0)), "read outside the array");
        count(true);
    } else {
        count(false);
    }
    let source: AnyView = (&source).into();
    let mut dst: AnyViewMut = (&mut memory[2048..2048 + n]).into();
    count(ops::scatter_(&mut dst, 0, index, &source, None, rules).is_ok());
    count(ops::put_(&mut dst, index, &source, false, rules).is_ok());
    count(ops::index_copy_(&mut dst, 0, index, &source, rules).is_ok());
    count(ops::scatter_reduce_(&mut dst, 0, index, &source, Reduce::Max, true, rules).is_ok());
    count(ops::scatter_reduce_(&mut dst, 0, index, &source, Reduce::Prod, true, rules).is_ok());
    assert!(memory[2048..2048 + n].iter().all(|&v| v == 1), "stored something else than the source");
    // These count contributions in a pass of its own, so a place that is no longer named may keep what it starts from.
    let mut dst: AnyViewMut = (&mut memory[2048..2048 + n]).into();
    count(ops::scatter_reduce_(&mut dst, 0, index, &source, Reduce::Max, false, rules).is_ok());
    count(ops::scatter_reduce_(&mut dst, 0, index, &source, Reduce::Mean, false, rules).is_ok());
    assert!(memory[..2048].iter().chain(&memory[2048 + n..]).all(|&v| v == GUARD), "wrote outside the array");
}
