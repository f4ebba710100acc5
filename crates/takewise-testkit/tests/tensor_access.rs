//! Shared storage: who may read and write when, overlap inside one call, and threads that mean it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use takewise::error::neutral;
use takewise::index::rules::Overlap;
use takewise::op::Op;
use takewise::ops::Access;
use takewise::tensor::Buffer;
use takewise::{DType, Kind, Layout, Result, Rules, Slice, Tensor};

fn iota(n: usize) -> Tensor {
    Tensor::from_vec((0..n as i64).collect(), &[n]).unwrap()
}

fn step(start: i64, by: i64) -> Slice {
    Slice { start: Some(start), stop: None, step: Some(by) }
}

fn begin<'t>(reads: &[&'t Tensor], write: &'t Tensor, overlap: Overlap) -> Result<Access<'t>> {
    Access::begin(Op::Where, reads, Some(write), overlap, neutral)
}

#[test]
fn guards_share_reading_and_exclude_writing() {
    let x = iota(8);
    let alias = x.clone();
    let (a, b) = (x.read::<i64>().unwrap(), alias.read::<i64>().unwrap());
    assert_eq!(a.view(), b.view());
    assert_eq!(alias.write::<i64>().err().unwrap().kind(), Kind::Busy);
    drop((a, b));
    let mut w = alias.write::<i64>().unwrap();
    w.set(&[3], 33);
    assert_eq!(x.read::<i64>().err().unwrap().kind(), Kind::Busy);
    assert_eq!(x.to_vec::<i64>().err().unwrap().kind(), Kind::Busy);
    drop(w);
    assert_eq!(x.to_vec::<i64>().unwrap()[3], 33);
    assert_eq!(x.read::<i32>().err().unwrap().kind(), Kind::DType);
}

#[test]
fn disjoint_parts_are_open_at_once() {
    let x = Tensor::zeros(&[6, 6], DType::I64).unwrap();
    let (even, odd) = (x.slice(1, step(0, 2)).unwrap(), x.slice(1, step(1, 2)).unwrap());
    let (left, right) = (x.narrow(1, 0, 3).unwrap(), x.narrow(1, 3, 3).unwrap());
    let (mut a, mut b) = (even.write::<i64>().unwrap(), odd.write::<i64>().unwrap());
    assert!(a.set(&[5, 2], 1) && b.set(&[5, 2], 2));
    assert_eq!(left.read::<i64>().err().unwrap().kind(), Kind::Busy);
    drop((a, b));
    let (_l, _r) = (left.write::<i64>().unwrap(), right.write::<i64>().unwrap());
    assert_eq!(x.select(0, 0).unwrap().write::<i64>().err().unwrap().kind(), Kind::Busy);
}

#[test]
fn what_cannot_be_written_is_refused() {
    let wide = iota(3).expand(&[2, 3]).unwrap();
    assert_eq!(wide.write::<i64>().err().unwrap().kind(), Kind::Overlap);
    assert_eq!(wide.to_vec::<i64>().unwrap(), [0, 1, 2, 0, 1, 2]);
    let windows = iota(5).unfold(0, 3, 1).unwrap();
    assert_eq!(begin(&[], &windows, Overlap::CopyInput).err().unwrap().kind(), Kind::Overlap);
    let bytes: &'static [u8] = b"read-only bytes!";
    // SAFETY: a static lives for ever and is not written, as `writable: false` says.
    let buffer = unsafe { Buffer::foreign(bytes.as_ptr().cast_mut(), bytes.len(), false, Box::new(())) };
    let t = Tensor::from_buffer(Arc::new(buffer), 3, Layout::contiguous(&[4], 1).unwrap(), DType::U8).unwrap();
    assert_eq!(t.to_vec::<u8>().unwrap(), b"d-on");
    let e = t.write::<u8>().err().unwrap();
    assert_eq!(e.kind(), Kind::Argument);
    assert!(e.to_string().contains("read-only"));
    assert_eq!(begin(&[], &t, Overlap::CopyInput).err().unwrap().kind(), Kind::Argument);
}

#[test]
fn operands_that_meet_the_destination_are_copied_or_refused() {
    use Overlap::{CopyInput, Refuse, RefuseData, RefusePartial};
    let x = iota(6);
    let at = |start, len| x.narrow(0, start, len).unwrap();
    let (all, head, tail) = (at(0, 6), at(0, 5), at(1, 5));
    let (evens, odds, half) = (x.slice(0, step(0, 2)).unwrap(), x.slice(0, step(1, 2)).unwrap(), at(0, 3));
    let cases: [(&Tensor, &Tensor, Overlap, Option<bool>); 12] = [
        (&head, &tail, CopyInput, Some(true)),
        (&head, &tail, Refuse, None),
        (&head, &tail, RefusePartial, None),
        (&all, &x, CopyInput, Some(true)),
        (&all, &x, Refuse, None),
        (&all, &x, RefusePartial, Some(true)),
        (&odds, &evens, Refuse, Some(false)),
        (&odds, &evens, CopyInput, Some(false)),
        (&half, &evens, Refuse, Some(true)),
        (&half, &evens, RefusePartial, Some(true)),
        (&at(0, 2), &at(2, 2), Refuse, Some(false)),
        (&iota(6), &x, Refuse, Some(false)),
    ];
    for (k, (src, dst, rule, want)) in cases.into_iter().enumerate() {
        match (begin(&[src], dst, rule), want) {
            (Ok(access), Some(copied)) => {
                let given = src.read_any().map(|r| r.view().as_ptr());
                let same = given.is_ok_and(|p| p == access.read(0).as_ptr());
                assert_eq!(same, !copied, "case {k}");
            }
            (Err(e), None) => assert_eq!(e.kind(), Kind::Overlap, "case {k}"),
            (got, want) => panic!("case {k}: {:?} instead of {want:?}", got.map(|_| ()).map_err(|e| e.kind())),
        }
    }
    // The matrix and its transpose: dense both, other order.
    let m = x.view(&[2, 3]).unwrap().narrow(1, 0, 2).unwrap();
    assert!(begin(&[&m.t().unwrap()], &m, Refuse).is_ok(), "not dense: copied, then right");
    let q = iota(9).view(&[3, 3]).unwrap();
    assert_eq!(begin(&[&q.t().unwrap()], &q, RefusePartial).err().unwrap().kind(), Kind::Overlap);
    // The data may not be the destination, an index may.
    assert_eq!(begin(&[&all, &iota(6)], &x, RefuseData).err().unwrap().kind(), Kind::Overlap);
    assert_eq!(begin(&[&iota(5), &head], &tail, RefuseData).err().unwrap().kind(), Kind::Overlap);
    assert!(begin(&[&iota(6), &all], &x, RefuseData).is_ok());
}

#[test]
fn a_copied_operand_reads_as_before_the_first_store() {
    let x = iota(6);
    let (src, dst) = (x.narrow(0, 0, 5).unwrap(), x.narrow(0, 1, 5).unwrap());
    let mut access = begin(&[&src], &dst, Overlap::CopyInput).unwrap();
    let (reads, out) = access.split();
    let (from, mut to) = (reads.get(0).typed::<i64>().unwrap(), out.typed::<i64>().unwrap());
    (0..5).for_each(|k| assert!(to.set(&[k], from.get(&[k]).unwrap())));
    assert_eq!((reads.len(), reads.get(7).numel()), (1, 0));
    drop(access);
    assert_eq!(x.to_vec::<i64>().unwrap(), [0, 0, 1, 2, 3, 4]);
}

#[test]
fn a_call_holds_what_it_registered_and_no_longer() {
    let (x, y, i) = (iota(4), iota(4), iota(4));
    let access = begin(&[&i, &y], &x, Overlap::CopyInput).unwrap();
    assert_eq!(x.read_any().err().unwrap().kind(), Kind::Busy);
    assert!(y.read_any().is_ok() && i.read_any().is_ok());
    assert_eq!(y.write_any().err().unwrap().kind(), Kind::Busy);
    // All or nothing: x is taken, so z must not stay registered.
    let z = iota(4);
    assert_eq!(begin(&[&x], &z, Overlap::CopyInput).err().unwrap().kind(), Kind::Busy);
    assert!(z.write_any().is_ok());
    drop(access);
    assert!(x.write_any().is_ok() && y.write_any().is_ok());
}

#[test]
fn many_operands_and_empty_ones() {
    let (x, e) = (iota(200), Tensor::zeros(&[0], DType::I64).unwrap());
    let parts: Vec<Tensor> = (0..100).map(|k| x.narrow(0, k, 2).unwrap()).collect();
    let mut reads: Vec<&Tensor> = parts.iter().collect();
    reads.push(&e);
    let dst = x.narrow(0, 50, 1).unwrap();
    let access = begin(&reads, &dst, Overlap::CopyInput).unwrap();
    for (k, part) in parts.iter().enumerate() {
        let same = access.read(k).as_ptr().addr().wrapping_sub(access.read(0).as_ptr().addr()) == 8 * k;
        assert_eq!(same, k != 49 && k != 50, "{k}");
        assert_eq!(part.shape(), [2]);
    }
    assert_eq!(access.read(100).numel(), 0);
}

#[test]
fn threads_fill_disjoint_columns_and_never_tear() {
    const SIDE: usize = 16;
    let rounds = if cfg!(miri) { 20 } else { 2000 };
    let x = Tensor::zeros(&[SIDE, SIDE], DType::I64).unwrap();
    let columns: Vec<Tensor> = (0..4).map(|k| x.slice(1, step(k, 4)).unwrap()).collect();
    let (barrier, refusals) = (Barrier::new(6), AtomicUsize::new(0));
    std::thread::scope(|s| {
        for column in &columns {
            s.spawn(|| {
                barrier.wait();
                for round in 1..=rounds {
                    // Disjoint writers never meet each other; the readers below do keep them out now and then.
                    let Ok(mut open) = column.write::<i64>() else {
                        refusals.fetch_add(1, Relaxed);
                        continue;
                    };
                    let mut view = open.view_mut();
                    (0..SIDE * SIDE / 4).for_each(|k| assert!(view.set(&[k / (SIDE / 4), k % (SIDE / 4)], round)));
                }
            });
        }
        for _ in 0..2 {
            s.spawn(|| {
                barrier.wait();
                for _ in 0..rounds {
                    let Ok(open) = x.read::<i64>() else { continue };
                    let all = open.to_vec();
                    // Whoever wrote a column wrote all of it with one number.
                    (0..4).for_each(|c| {
                        let mut own = all.iter().enumerate().filter(|(k, _)| k % 4 == c).map(|(_, v)| v);
                        let first = own.next();
                        assert!(own.all(|v| Some(v) == first));
                    });
                }
            });
        }
    });
    columns.iter().for_each(|c| assert!(c.write::<i64>().is_ok(), "nothing stays registered"));
}

#[test]
fn a_counter_under_threads_loses_nothing() {
    let (x, done) = (Tensor::zeros(&[1], DType::I64).unwrap(), AtomicUsize::new(0));
    std::thread::scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                for _ in 0..if cfg!(miri) { 50 } else { 20_000 } {
                    if let Ok(mut open) = x.write::<i64>() {
                        let now = open.get(&[0]).unwrap();
                        open.set(&[0], now + 1);
                        done.fetch_add(1, Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(x.to_vec::<i64>().unwrap(), [done.into_inner() as i64]);
}

#[test]
fn lent_memory_serves_calls_and_is_kept_by_what_lives_on() {
    use std::ptr::NonNull;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use takewise::tensor::Keep;

    static SHARES: AtomicUsize = AtomicUsize::new(0);
    static COUNTS: AtomicBool = AtomicBool::new(true);
    unsafe fn more(_: NonNull<()>) -> bool {
        let counts = COUNTS.load(Ordering::SeqCst);
        SHARES.fetch_add(usize::from(counts), Ordering::SeqCst);
        counts
    }
    unsafe fn less(_: NonNull<()>) {
        SHARES.fetch_sub(1, Ordering::SeqCst);
    }

    let mut memory = [1f32, 2.0, 3.0, 4.0];
    let lend = |start: *mut f32, writable| {
        SHARES.fetch_add(1, Ordering::SeqCst);
        let backwards = Layout::new(&[4], &[-4]).unwrap();
        // SAFETY: four elements down from the last one, in memory that outlives the test's tensors, which one thread uses.
        unsafe {
            let keep = Keep::new(NonNull::dangling(), more, less);
            Tensor::lent(start.add(3).cast(), DType::F32, backwards, writable, keep)
        }
    };
    let start = memory.as_mut_ptr();
    let x = lend(start, true);
    assert_eq!(x.to_vec::<f32>().unwrap(), [4.0, 3.0, 2.0, 1.0]);
    let i = Tensor::from_slice(&[0i64, 3], &[2]).unwrap();
    x.scatter_(0, &i, 9.0, None, &Rules::NEUTRAL).unwrap();
    let part = x.narrow(0, 2, 2).unwrap();
    assert!(part.shares_memory(&x) && part.lender().is_some());
    assert_eq!(SHARES.load(Ordering::SeqCst), 2);
    drop(x);
    assert_eq!(SHARES.load(Ordering::SeqCst), 1);

    // Settled, it has a ledger: a guard keeps writers out, through clones too.
    let part = part.settled();
    assert!(part.lender().is_some());
    let alias = part.clone();
    let open = part.read::<f32>().unwrap();
    assert_eq!(open.to_vec(), [2.0, 9.0]);
    assert!(alias.write::<f32>().is_err());
    drop(open);
    drop((part, alias));
    assert_eq!(SHARES.load(Ordering::SeqCst), 0);

    // An owner that cannot count here is given its one share back by the last of those in it, whichever that is.
    COUNTS.store(false, Ordering::SeqCst);
    for order in [[0, 1, 2], [1, 2, 0], [2, 1, 0]] {
        let x = lend(start, true);
        let mut held = [x.clone(), x.narrow(0, 1, 2).unwrap(), x].map(Some);
        for k in order {
            assert_eq!(SHARES.load(Ordering::SeqCst), 1);
            held[k] = None;
        }
        assert_eq!(SHARES.load(Ordering::SeqCst), 0);
    }

    let closed = lend(start, false);
    assert!(closed.scatter_(0, &i, 0.0, None, &Rules::NEUTRAL).is_err());
    drop(closed);
    assert_eq!((memory, SHARES.load(Ordering::SeqCst)), ([9.0, 2.0, 3.0, 9.0], 0));
}
