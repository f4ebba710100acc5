//! Memory that stands for something slower: reads ask for what they need and touch nothing, with the oracle's results;
//! what was lost is an error.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use takewise::internal::far::{Brought, Far, Piece, stands_for};
use takewise::strategy::{self, Strategy};
use takewise::{Index, Kind, Rules, Slice, Tensor, View, ViewMut, ix, ops};
use takewise_testkit::Rng;
use takewise_testkit::calls::{LARGE, SMALL, Size, call};
use takewise_testkit::rng::cases;

const R: Rules = Rules::NEUTRAL;

/// Random reads of every kind, all of them asked for.
fn random(size: Size, default: u64, base: u64) {
    let (mut asked, mut reads) = (0, 0);
    for seed in base..base + cases(default) {
        let case = call(&mut Rng::new(seed), size);
        if let Some(pieces) = case.verify_away(&format!("TAKEWISE_SEED={seed}")) {
            reads += 1;
            asked += usize::from(pieces > 0);
        }
    }
    assert!(reads < 50 || asked * 3 > reads, "only {asked} of {reads} reads asked for anything");
}

#[test]
fn small_reads_against_the_oracle() {
    random(SMALL, 8_000, 11 << 32);
}

#[test]
fn large_reads_against_the_oracle() {
    random(LARGE, 200, 12 << 32);
}

/// A table of numbers that lies elsewhere, in pages of 64 bytes, and what was asked of it.
struct Table {
    truth: Vec<i64>,
    most: usize,
    asked: Mutex<Vec<(usize, usize)>>,
    ready: AtomicUsize,
    brought: Result<Brought, String>,
    lost: Option<String>,
}

impl Table {
    fn new(most: usize) -> Table {
        let truth = (0..1000).collect();
        let (asked, ready) = (Mutex::default(), AtomicUsize::new(0));
        Table { truth, most, asked, ready, brought: Ok(Brought::All), lost: None }
    }

    fn asked(&self) -> Vec<(usize, usize)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Far for Table {
    fn page(&self) -> usize {
        64
    }

    fn most_pages(&self) -> usize {
        self.most
    }

    fn requests(&self, pieces: &[Piece], _: usize) -> usize {
        pieces.len()
    }

    unsafe fn bring(&self, pieces: &[Piece], chunk: usize, target: *mut u8) -> Result<Brought, String> {
        self.asked.lock().unwrap().extend(pieces.iter().map(|p| (p.from / 8, chunk / 8)));
        if self.brought == Ok(Brought::All) {
            for piece in pieces {
                // SAFETY: whole numbers of the table; the engine's promise for where they go.
                unsafe {
                    let from = self.truth.as_ptr().cast::<u8>().add(piece.from);
                    target.offset(piece.to).copy_from_nonoverlapping(from, chunk);
                }
            }
        }
        self.brought.clone()
    }

    fn ready(&self, pieces: &[Piece], _: usize) {
        self.ready.fetch_add(pieces.len(), Ordering::Relaxed);
    }

    fn lost(&self, _: Range<usize>) -> Option<String> {
        self.lost.clone()
    }
}

/// Runs `f` with a table's memory, which holds -1 throughout.
fn with<T>(table: Table, f: impl FnOnce(&Table, &mut [i64]) -> T) -> T {
    let mut memory = vec![-1i64; table.truth.len()];
    let (start, table) = (memory.as_ptr().addr(), Arc::new(table));
    let known = stands_for(start..start + 8 * memory.len(), table.clone());
    let done = f(&table, &mut memory);
    drop(known);
    done
}

fn elements(t: takewise::Result<Tensor>) -> Vec<i64> {
    t.unwrap().to_vec().unwrap()
}

#[test]
fn few_pages_are_asked_for_in_order_and_many_are_touched() {
    with(Table::new(30), |table, memory| {
        let x = View::new(memory, &[250, 4]).unwrap();
        // Rows in the order in which they lie, into the order of the index; one that is named twice is asked for twice.
        assert_eq!(
            elements(ops::index(&x, &ix![&[200usize, 3, 100, 3], 1..3], &R)),
            [801, 802, 13, 14, 401, 402, 13, 14]
        );
        assert_eq!(table.asked(), [(13, 2), (13, 2), (401, 2), (801, 2)]);
        // So are slices, which are copied without an index.
        let part = [Index::Range(Slice { start: Some(10), stop: Some(12), step: None })];
        assert_eq!(elements(ops::index(&x, &part, &R)), (40..48).collect::<Vec<_>>());
        assert_eq!(table.asked(), [(40, 8)]);
        // 31 rows on pages of their own are too many; 60 on 30 pages are not.
        let apart: Vec<usize> = (0..31).map(|k| 4 * k).collect();
        assert_eq!(elements(ops::take_axis(&x, 0, &apart, &R)), [-1; 4 * 31]);
        let near: Vec<usize> = (0..60).rev().collect();
        assert_eq!(elements(ops::take_axis(&x, 0, &near, &R))[..4], [236, 237, 238, 239]);
        assert_eq!(table.asked().len(), 60);
        // A mask of few rows.
        let mask: Vec<bool> = (0..250).map(|k| k % 100 == 7).collect();
        assert_eq!(elements(ops::index(&x, &ix![&mask, 0], &R)), [28, 428, 828]);
        assert_eq!(table.asked().len(), 3);
    });
    with(Table::new(0), |table, memory| {
        let x = View::new(memory, &[1000]).unwrap();
        assert_eq!(elements(ops::take(&x, &[5usize], &R)), [-1]);
        assert!(table.asked().is_empty());
    });
}

#[test]
fn a_bad_index_asks_for_nothing() {
    with(Table::new(30), |table, memory| {
        let x = View::new(memory, &[250, 4]).unwrap();
        let mut out = [7i64; 8];
        let error =
            ops::take_axis_into(&x, 0, &[3usize, 250], &mut ViewMut::new(&mut out, &[2, 4]).unwrap().into(), &R);
        assert_eq!(error.unwrap_err().value(), Some(250));
        assert_eq!(out, [7; 8]);
        assert!(ops::take_axis(&x, 0, &[3usize, 250], &R).is_err());
        assert!(table.asked().is_empty());
        let fill = Rules { outside: takewise::rules::Outside::Fill, ..R };
        assert_eq!(elements(ops::take(&x, &[3usize, 2000], &fill)), [3, i64::MIN]);
    });
}

#[test]
fn what_fails_and_what_was_lost_is_an_error() {
    let failing = Table { brought: Err("x.npy: was cut short".into()), ..Table::new(30) };
    with(failing, |_, memory| {
        let error = ops::take(View::from(&memory[..]), &[5usize], &R).unwrap_err();
        assert_eq!((error.kind(), error.class().name()), (Kind::Storage, "OSError"));
        assert_eq!(error.to_string(), "take: x.npy: was cut short");
    });
    let lost = Table { lost: Some("x.npy: was cut short".into()), ..Table::new(0) };
    with(lost, |_, memory| {
        assert_eq!(ops::take(View::from(&memory[..]), &[5usize], &R).unwrap_err().kind(), Kind::Storage);
    });
    // Memory that was written holds something else than what it stands for.
    let parted = Table { brought: Ok(Brought::Touch), ..Table::new(30) };
    with(parted, |_, memory| {
        memory[5] = 55;
        assert_eq!(elements(ops::take(View::from(&memory[..]), &[5usize], &R)), [55]);
    });
}

#[test]
fn writes_go_to_memory_which_is_made_ready() {
    with(Table::new(30), |table, memory| {
        let places = [900usize, 5];
        ops::put_(&mut (&mut *memory).into(), &places, &[1i64, 2], false, &R).unwrap();
        assert_eq!((memory[900], memory[5], table.ready.load(Ordering::Relaxed)), (1, 2, 2));
        ops::put_(&mut (&mut *memory).into(), &places, &[1i64, 2], true, &R).unwrap();
        assert_eq!((memory[900], memory[5]), (2, 4));
        let bad = ops::put_(&mut (&mut *memory).into(), &[3usize, 1000], &[1i64, 2], false, &R);
        assert_eq!((bad.unwrap_err().kind(), memory[3]), (Kind::OutOfRange, -1));
    });
}

#[test]
fn a_watched_call_tells_its_requests() {
    with(Table::new(30), |table, memory| {
        let x = View::from(&memory[..]);
        let (_, plans) = strategy::trace(true, || ops::take(&x, &[900usize, 5, 6], &R));
        assert_eq!((plans[0].steps[0], plans[0].requests), (Strategy::Fetch, Some(3)));
        assert!(table.asked().is_empty());
        let all: Vec<usize> = (0..1000).collect();
        let (_, plans) = strategy::trace(true, || ops::take(&x, &all, &R));
        assert_eq!(plans[0].requests, None);
        assert_ne!(plans[0].steps[0], Strategy::Fetch);
    });
    let (_, plans) = strategy::trace(true, || ops::take(&[1i64, 2], &[0usize], &R));
    assert_eq!(plans[0].requests, None);
}

#[test]
fn regions_are_found_by_their_addresses_until_they_end() {
    let memory = [0u8; 100];
    let start = memory.as_ptr().addr();
    let away = || Arc::new(Table::new(1));
    let whole = stands_for(start..start + 100, away());
    let part = stands_for(start + 20..start + 30, away());
    let holds = |at: usize| takewise::internal::far::holds(start + at);
    assert!(holds(0) && holds(25) && holds(99) && !holds(100));
    drop(whole);
    assert!(!holds(0) && holds(25) && !holds(30));
    drop(part);
    assert!(!holds(25));
}
