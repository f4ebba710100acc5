//! Explanations are true: replaying the moves a dry run lists, by a plain loop, gives what the call gives.

use takewise::rules::{Duplicates, Outside};
use takewise::strategy::{MOST, Meeting, Note, Traced, trace, watch};
use takewise::{AnyViewMut, Kind, Reduce, Result, Rules, Tensor, View, ViewMut, ix, ops};

const R: Rules = Rules::NEUTRAL;

/// Numbers without a pattern.
fn noise(n: usize, below: i64, seed: u64) -> Vec<i64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as i64 % below
    };
    (0..n).map(|_| next()).collect()
}

fn view<'a>(data: &'a [i64], shape: &'a [usize]) -> View<'a, i64> {
    View::new(data, shape).unwrap()
}

/// The only plan of a dry run, and its moves.
fn listed(call: impl FnOnce() -> Result<()>) -> Traced {
    let (done, mut plans) = trace(true, call);
    done.unwrap();
    assert_eq!(plans.len(), 1);
    plans.remove(0)
}

/// What a read gives, by its moves.
fn reads(x: &[i64], fill: i64, call: impl Fn() -> Result<Tensor>) {
    let traced = listed(|| call().map(drop));
    assert_eq!(traced.meeting, Meeting::Read);
    let want = call().unwrap().to_vec::<i64>().unwrap();
    let mut got = vec![i64::MIN; want.len()];
    for moved in traced.moves.unwrap() {
        got[moved.linear as usize / 8] = moved.indexed.map_or(fill, |place| x[place as usize / 8]);
    }
    assert_eq!(got, want);
}

/// What a write leaves behind, by its moves.
fn writes(x: &[i64], shape: &[usize], values: &[i64], call: impl Fn(&mut AnyViewMut<'_>) -> Result<()>) {
    let run = |dry: bool| {
        let mut data = x.to_vec();
        let mut dst: AnyViewMut = ViewMut::new(&mut data, shape).unwrap().into();
        let traced = if dry { Some(listed(|| call(&mut dst))) } else { None };
        if !dry {
            call(&mut dst).unwrap();
        }
        drop(dst);
        (data, traced)
    };
    let ((untouched, traced), (want, _)) = (run(true), run(false));
    assert_eq!(untouched, x, "a dry run writes nothing");
    let traced = traced.unwrap();
    let mut got = x.to_vec();
    let mut met = vec![false; x.len()];
    for moved in traced.moves.unwrap() {
        let Some(place) = moved.indexed.map(|place| place as usize / 8) else { continue };
        let value = values[moved.linear as usize / 8];
        let first = !std::mem::replace(&mut met[place], true);
        let to = &mut got[place];
        *to = match traced.meeting {
            Meeting::Last => value,
            Meeting::First => {
                if first {
                    value
                } else {
                    *to
                }
            }
            Meeting::Afresh(_) if first => value,
            Meeting::Combined(Reduce::Sum) | Meeting::Afresh(Reduce::Sum) => *to + value,
            Meeting::Combined(Reduce::Max) | Meeting::Afresh(Reduce::Max) => value.max(*to),
            Meeting::Combined(Reduce::Prod) | Meeting::Afresh(Reduce::Prod) => to.wrapping_mul(value),
            other => panic!("{other:?}"),
        };
    }
    assert_eq!(got, want);
}

#[test]
fn reads_replay() {
    for seed in 0..40 {
        let (rows, columns) = (1 + seed as usize % 5, 1 + seed as usize / 5 % 7);
        let shape = [rows, columns];
        let x = noise(rows * columns, 1000, seed + 1);
        let i = noise(12, rows as i64, seed + 2);
        reads(&x, 0, || ops::take_axis(view(&x, &shape), 0, view(&i, &[12]), &R));
        reads(&x, 0, || ops::take_axis(view(&x, &shape), 0, view(&i, &[3, 4]), &R));
        let flat = noise(9, (rows * columns) as i64, seed + 3);
        reads(&x, 0, || ops::take(view(&x, &shape), view(&flat, &[9]), &R));
        let along = noise(rows * 4, columns as i64, seed + 4);
        reads(&x, 0, || ops::gather(view(&x, &shape), 1, view(&along, &[rows, 4]), &R));
        let mask: Vec<bool> = noise(rows * columns, 2, seed + 5).iter().map(|v| *v == 0).collect();
        if mask.contains(&true) {
            reads(&x, 0, || ops::masked_select(view(&x, &shape), View::new(&mask, &shape)?, &R));
        }
        let j = noise(12, columns as i64, seed + 6);
        reads(&x, 0, || ops::index(view(&x, &shape), &ix![&i[..], &j[..]], &R));
        reads(&x, 0, || ops::index(view(&x, &shape), &ix![.., &j[..]], &R));
        let wild: Vec<i64> = noise(12, 3 * rows as i64, seed + 7).iter().map(|v| v - rows as i64).collect();
        for outside in [Outside::Wrap, Outside::Clip] {
            let rules = Rules { outside, ..R };
            reads(&x, 0, || ops::take_axis(view(&x, &shape), 0, view(&wild, &[12]), &rules));
        }
    }
}

#[test]
fn writes_replay() {
    for seed in 0..40 {
        let (rows, columns) = (2 + seed as usize % 4, 1 + seed as usize / 4 % 6);
        let shape = [rows, columns];
        let x = noise(rows * columns, 1000, seed + 1);
        let values = noise(rows * columns, 50, seed + 2);
        let i = noise(rows * columns, rows as i64, seed + 3);
        let (iv, vv) = (|| view(&i, &shape), || view(&values, &shape));
        writes(&x, &shape, &values, |dst| ops::scatter_(dst, 0, iv(), &vv(), None, &R));
        let first = Rules { duplicates: Duplicates::First, ..R };
        writes(&x, &shape, &values, |dst| ops::scatter_(dst, 0, iv(), &vv(), None, &first));
        for how in [Reduce::Sum, Reduce::Max, Reduce::Prod] {
            for include_self in [true, false] {
                writes(&x, &shape, &values, |dst| ops::scatter_reduce_(dst, 0, iv(), &vv(), how, include_self, &R));
            }
        }
        let one = noise(rows, rows as i64, seed + 4);
        writes(&x, &shape, &values, |dst| ops::index_copy_(dst, 0, view(&one, &[rows]), vv(), &R));
        let wild: Vec<i64> = i.iter().map(|v| v * 3 - rows as i64).collect();
        let drop = Rules { outside: Outside::Drop, ..R };
        writes(&x, &shape, &values, |dst| ops::scatter_add_(dst, 0, view(&wild, &shape), &vv(), &drop));
        let mask: Vec<bool> = noise(rows * columns, 2, seed + 5).iter().map(|v| *v == 0).collect();
        writes(&x, &shape, &[7], |dst| ops::masked_fill_(dst, View::new(&mask, &shape)?, 7, &R));
        if mask.contains(&true) {
            writes(&x, &shape, &values, |dst| ops::masked_scatter_(dst, View::new(&mask, &shape)?, vv(), &R));
        }
    }
}

#[test]
fn a_dry_run_fails_as_the_call_does() {
    let x = [1i64, 2, 3];
    let call = || ops::take(&x, &[0usize, 7], &R);
    let (dry, _) = trace(true, call);
    let (dry, real) = (dry.unwrap_err(), call().unwrap_err());
    assert_eq!((dry.kind(), dry.to_string()), (Kind::OutOfRange, real.to_string()));
}

#[test]
fn long_calls_list_a_sample() {
    let (x, i) = (noise(5000, 9, 1), noise(5000, 5000, 2));
    let traced = listed(|| ops::take(view(&x, &[5000]), view(&i, &[5000]), &R).map(drop));
    let moves = traced.moves.unwrap();
    assert_eq!((moves.len(), traced.total), (MOST, 5000));
    assert!(moves.iter().zip(&i).all(|(moved, i)| moved.indexed == Some(*i as isize * 8)));
}

/// What a huge array is made of in a moment: nothing.
#[test]
fn huge_layouts_are_listed_without_being_walked() {
    const HUGE: i64 = 1 << 40;
    let zero = [7u8];
    let x = View::new(&zero, &[1, 1]).unwrap().expand(&[HUGE, 3]).unwrap();
    let (i, started) = ([HUGE - 1, 0], std::time::Instant::now());
    let traced = listed(|| ops::take_axis(x.any(), 0, &i, &R).map(drop));
    assert_eq!((traced.moves.unwrap().len(), traced.total), (6, 6));
    let mut out = vec![0u8; 6];
    let mut out: AnyViewMut = ViewMut::new(&mut out, &[2, 3]).unwrap().into();
    let part = x.slice(0, takewise::Slice { start: Some(HUGE - 2), stop: None, step: None }).unwrap();
    listed(|| ops::copy_into(&part.any(), &mut out));
    assert!(started.elapsed().as_secs() < 1);
}

#[test]
fn index_elements_lead_to_their_moves() {
    let (x, i, j) = (noise(12, 99, 1), [2i64, 0, 1], [1i64, 3]);
    let i = View::new(&i, &[3, 1]).unwrap();
    let traced = listed(|| ops::index(view(&x, &[3, 4]), &ix![i.any(), &j[..]], &R).map(drop));
    let by: Vec<Vec<isize>> = traced.moves.unwrap().iter().map(|m| m.by.to_vec()).collect();
    assert_eq!(by, [[0, 0], [0, 8], [8, 0], [8, 8], [16, 0], [16, 8]]);
    let mask = [false, true, true, false, true];
    let traced = listed(|| ops::masked_select(view(&x, &[12]).slice(0, 0..5).unwrap().any(), &mask, &R).map(drop));
    let by: Vec<isize> = traced.moves.unwrap().iter().map(|m| m.by[0]).collect();
    assert_eq!(by, [1, 2, 4]);
}

#[test]
fn a_real_run_lists_what_a_dry_one_does_before_it_writes() {
    let (i, v) = ([2usize, 0, 2], [5i64, 6, 7]);
    let run = |dry| {
        let mut x = [1i64, 2, 3];
        let (done, plans) = trace(dry, || ops::put_(&mut (&mut x).into(), &i, &v, true, &R));
        done.unwrap();
        (plans[0].moves.clone().unwrap(), x)
    };
    assert_eq!(run(true).0, run(false).0);
    assert_eq!((run(true).1, run(false).1), ([1, 2, 3], [7, 2, 15]));
}

#[test]
fn all_bad_values_are_listed() {
    let (x, i) = ([1i64, 2, 3], [0i64, 3, -1, -4, 2, 9]);
    for dry in [false, true] {
        let (_, watched) = watch(dry, || ops::take(&x, &i, &R).map(drop));
        let Some(Note::Bad { at, .. }) = watched.notes.last() else { panic!("{:?}", watched.notes) };
        assert_eq!(at[..], [8, 24, 40]);
        assert!(watched.plans[0].moves.is_none());
    }
}
