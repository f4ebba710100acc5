//! Every strategy by its name: a call that it serves gives what plain Rust gives, at one, two and seven threads, writes
//! nothing if an index value is bad, and really was run that way; a call that it cannot serve is refused.

use std::collections::BTreeSet;
use takewise::Reduce;
use takewise::strategy::Strategy;
use takewise::{AnyView, Kind, Result, Rules, Slice, Tensor, View, ViewMut, ops, strategy, threads};

const R: Rules = Rules::NEUTRAL;

/// Numbers without a pattern, below `n`.
fn noise(count: usize, n: u64) -> Vec<i64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(|_| (next() % n) as i64).collect()
}

fn view<'a, T: takewise::Element>(data: &'a [T], shape: &[usize]) -> AnyView<'a> {
    View::new(data, shape).unwrap().any()
}

/// What a call gives, looked at when no strategy is asked for any more.
trait Elements {
    fn elements(self) -> Vec<i64>;
}

impl Elements for Vec<i64> {
    fn elements(self) -> Vec<i64> {
        self
    }
}

impl Elements for Tensor {
    fn elements(self) -> Vec<i64> {
        self.to_vec().unwrap()
    }
}

/// Runs a call by a strategy at several numbers of threads; all give `want`, and all took that strategy.
fn served<T: Elements>(strategy: Strategy, threads: &[usize], want: &[i64], call: impl Fn() -> Result<T>) {
    for &n in threads {
        let forced = || strategy::with_strategy(strategy, || threads::with_threads(n, &call));
        let (result, traced) = strategy::trace(false, forced);
        assert_eq!(result.unwrap().elements(), want, "{strategy} on {n} threads");
        let taken: BTreeSet<&str> = traced.iter().map(|t| t.steps[0].name()).collect();
        assert!(taken.contains(strategy.name()), "{strategy} on {n} threads: {taken:?}");
    }
}

/// A bad value fails, and what is there stays.
fn refuses_bad(strategy: Strategy, threads: &[usize], x: &[i64], write: impl Fn(&mut [i64], &[i64]) -> Result<()>) {
    for &n in threads {
        let mut to = x.to_vec();
        let mut bad = noise(600, x.len() as u64);
        bad[599] = x.len() as i64;
        let failed =
            strategy::with_strategy(strategy, || threads::with_threads(n, || write(&mut to, &bad))).unwrap_err();
        assert_eq!((failed.kind(), failed.value()), (Kind::OutOfRange, Some(x.len() as i128)), "{strategy}: {failed}");
        assert_eq!(failed.position(), Some(&[599][..]), "{strategy}");
        assert_eq!(to, x, "{strategy} on {n} threads");
    }
}

fn ramp(n: usize) -> Vec<i64> {
    (0..n as i64).collect()
}

#[test]
fn small_calls() {
    let (x, i) = (ramp(50), noise(20, 50));
    let take = || ops::take(view(&x, &[50]), view(&i, &[20]), &R);
    served(Strategy::Small, &[1], &i, take);
}

#[test]
fn reads_of_one_axis() {
    let (x, i) = (ramp(5000), noise(900, 5000));
    let take = || ops::take(view(&x, &[5000]), view(&i, &[900]), &R);
    for strategy in [Strategy::FusedRead, Strategy::Blocks] {
        served(strategy, &[1, 2, 7], &i, take);
    }
    let bad = [i[..899].to_vec(), vec![5000]].concat();
    for strategy in [Strategy::FusedRead, Strategy::Blocks] {
        let mut out = vec![-1i64; 900];
        let to = &mut ViewMut::new(&mut out, &[900]).unwrap().into();
        let run = || ops::take_into(view(&x, &[5000]), view(&bad, &[900]), to, &R);
        assert_eq!(strategy::with_strategy(strategy, run).unwrap_err().position(), Some(&[899][..]));
        assert!(out.iter().all(|v| *v == -1), "{strategy}");
    }
}

#[test]
fn reads_of_many_rows() {
    let (rows, columns, picked) = (40, 30, 200);
    let (x, i) = (ramp(rows * columns), noise(picked, columns as u64));
    let want: Vec<i64> = (0..rows * picked).map(|k| (k / picked * columns) as i64 + i[k % picked]).collect();
    let select = || ops::index_select(view(&x, &[rows, columns]), 1, view(&i, &[picked]), &R);
    for strategy in [Strategy::SharedOffsets, Strategy::Blocks] {
        served(strategy, &[1, 2, 7], &want, select);
    }
}

#[test]
fn strips_of_columns() {
    let (rows, columns) = (90, 70);
    let (x, i) = (ramp(rows * columns), noise(rows * columns, rows as u64));
    let at = |k: usize| i[k] as usize * columns + k % columns;
    let want: Vec<i64> = (0..rows * columns).map(|k| x[at(k)]).collect();
    let shape = [rows, columns];
    let gather = || ops::gather(view(&x, &shape), 0, view(&i, &shape), &R);
    served(Strategy::Strips, &[1, 2, 7], &want, gather);
    let mut sums = x.clone();
    (0..rows * columns).for_each(|k| sums[at(k)] += k as i64);
    let add = || {
        let mut to = x.clone();
        ops::scatter_add_(&mut ViewMut::new(&mut to, &shape)?.into(), 0, view(&i, &shape), view(&x, &shape), &R)?;
        Ok(to)
    };
    served(Strategy::Strips, &[1, 2, 7], &sums, add);
}

#[test]
fn transposed_copies() {
    let x = Tensor::from_slice(&ramp(60 * 50), &[60, 50]).unwrap();
    let want: Vec<i64> = (0..50 * 60).map(|k| (k % 60 * 50 + k / 60) as i64).collect();
    served(Strategy::Transpose, &[1, 2, 7], &want, || x.t()?.contiguous());
}

#[test]
fn masks() {
    let x = ramp(3000);
    let mask: Vec<bool> = noise(3000, 3).iter().map(|v| *v == 0).collect();
    let want: Vec<i64> = x.iter().zip(&mask).filter(|(_, m)| **m).map(|(v, _)| *v).collect();
    let select = || ops::masked_select(view(&x, &[3000]), view(&mask, &[3000]), &R);
    for strategy in [Strategy::MaskWords, Strategy::Blocks] {
        served(strategy, &[1, 2, 7], &want, select);
    }
}

/// Stores into elements of four bytes, or adds to them; what was done shows in `x`, also after an error.
fn narrow(x: &mut [i64], i: &[i64], adds: bool) -> Result<()> {
    let (n, m) = (x.len(), i.len());
    let mut to: Vec<i32> = x.iter().map(|v| *v as i32).collect();
    let values: Vec<i32> = (0..m as i32).collect();
    let dst = &mut ViewMut::new(&mut to, &[n])?.into();
    let (i, values) = (view(i, &[m]), view(&values, &[m]));
    let done = match adds {
        false => ops::scatter_(dst, 0, i, &values, None, &R),
        true => ops::scatter_add_(dst, 0, i, &values, &R),
    };
    x.iter_mut().zip(to).for_each(|(x, v)| *x = i64::from(v));
    done
}

fn store(x: &mut [i64], i: &[i64]) -> Result<()> {
    narrow(x, i, false)
}

fn add(x: &mut [i64], i: &[i64]) -> Result<()> {
    narrow(x, i, true)
}

#[test]
fn stores_and_sums() {
    let (x, i) = (ramp(40), noise(600, 40));
    let (mut stored, mut summed) = (x.clone(), x.clone());
    for (k, &at) in i.iter().enumerate() {
        stored[at as usize] = k as i64;
        summed[at as usize] += k as i64;
    }
    use Strategy::{Blocks, FusedWrite, LastPosition, Partition, ShadowCopy, ShortBlocks};
    for strategy in [LastPosition, ShadowCopy, Partition, FusedWrite, ShortBlocks, Blocks] {
        let run = || {
            let mut to = x.clone();
            store(&mut to, &i).map(|()| to)
        };
        served(strategy, &[1, 2, 7], &stored, run);
        refuses_bad(strategy, &[1, 2, 7], &x, store);
    }
    for strategy in [ShadowCopy, Partition, FusedWrite, ShortBlocks, Blocks] {
        let run = || {
            let mut to = x.clone();
            add(&mut to, &i).map(|()| to)
        };
        served(strategy, &[1, 2, 7], &summed, run);
        refuses_bad(strategy, &[1, 2, 7], &x, add);
    }
}

#[test]
fn sums_that_need_all_of_a_place() {
    let (x, i) = (vec![7i64; 40], noise(600, 40));
    let sum = |to: &mut [i64], i: &[i64], how: Reduce| {
        let (n, m) = (to.len(), i.len());
        let values = ramp(m);
        ops::scatter_reduce_(&mut ViewMut::new(to, &[n])?.into(), 0, view(i, &[m]), view(&values, &[m]), how, false, &R)
    };
    let of_place = |at: usize| (0..600).filter(|k| i[*k] == at as i64).map(|k| k as i64).collect::<Vec<i64>>();
    let sums: Vec<i64> = (0..40).map(|at| of_place(at).iter().sum()).collect();
    let means: Vec<i64> = (0..40).map(|at| of_place(at).iter().sum::<i64>() / of_place(at).len() as i64).collect();
    let cases = [
        (Strategy::StartValues, Reduce::Sum, &sums),
        (Strategy::Dense, Reduce::Sum, &sums),
        (Strategy::Sorted, Reduce::Sum, &sums),
        (Strategy::Dense, Reduce::Mean, &means),
        (Strategy::Sorted, Reduce::Mean, &means),
    ];
    for (strategy, how, want) in cases {
        let run = || {
            let mut to = x.clone();
            sum(&mut to, &i, how).map(|()| to)
        };
        served(strategy, &[1, 2, 7], want, run);
        refuses_bad(strategy, &[1, 2, 7], &x, |to, i| sum(to, i, how));
    }
}

/// A strategy that is asked for and cannot serve the plan is an error that says so; nothing is written.
#[test]
fn what_cannot_serve_is_refused() {
    let (x, i) = (ramp(50), noise(20, 50));
    let take = || ops::take(view(&x, &[50]), view(&i, &[20]), &R);
    for strategy in Strategy::ALL {
        let outcome = strategy::with_strategy(strategy, take);
        match strategy {
            Strategy::Small | Strategy::FusedRead | Strategy::Blocks => assert_eq!(outcome.unwrap().elements(), i),
            _ => {
                let refused = outcome.unwrap_err();
                let text = format!("the strategy `{strategy}` cannot serve this plan");
                assert!(refused.kind() == Kind::Argument && refused.to_string().contains(&text), "{refused}");
            }
        }
        assert_eq!(strategy::prefer_strategy(strategy, take).unwrap().elements(), i);
    }
    // What moves nothing is no question of strategies.
    let nothing = || ops::take(view(&x, &[50]), view::<i64>(&[], &[0]), &R);
    assert_eq!(strategy::with_strategy(Strategy::Transpose, nothing).unwrap().elements(), []);
}

/// Names are those of the table, each once, and every one says why it is taken.
#[test]
fn names_and_reasons() {
    let names: BTreeSet<&str> = Strategy::ALL.iter().map(|s| s.name()).collect();
    assert_eq!(names.len(), Strategy::ALL.len());
    assert!(Strategy::ALL.iter().all(|s| s.reason().len() > 30 && *s != Strategy::Nothing));
    assert_eq!(strategy::strategies().lines().count(), Strategy::ALL.len());
    let (_, traced) = strategy::trace(true, || ops::take(view(&[1i64], &[1]), view(&[0i64], &[1]), &R));
    assert_eq!(traced[0].steps, [Strategy::Small]);
    let x = Tensor::from_slice(&ramp(4), &[4]).unwrap();
    let empty = Slice { start: Some(2), stop: Some(2), step: None };
    let (_, traced) = strategy::trace(true, || x.index(&[takewise::Index::Range(empty)], &R)?.contiguous());
    assert!(traced.iter().all(|t| t.steps == [Strategy::Nothing]));
}
