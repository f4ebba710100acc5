//! Every small subscript on every small grid: which element of which chunk each element of the result is, against the oracle.

use std::collections::{BTreeMap, BTreeSet};
use takewise::chunks::{Chunks, Factor, Grid};
use takewise::index::rules::*;
use takewise::{AnyView, DType, Error, Index, Kind, Slice, Tensor, ops};
use takewise_testkit::oracle::{Cells, subscript};
use takewise_testkit::verify::entries;
use takewise_testkit::worlds::{OUTSIDES, World, masks, shapes, tuples};
use takewise_testkit::{Arr, Operand, Rng, Sub, Twist, coords, numel};

fn slice(start: Option<i64>, stop: Option<i64>, step: Option<i64>) -> Sub {
    Sub::Range(Slice { start, stop, step })
}

fn array(shape: &[usize], values: &[i64]) -> Sub {
    Sub::Array(Arr::ints(shape, DType::I64, values))
}

fn mask(n: usize, every: usize) -> Sub {
    Sub::Array(Arr::mask(&[n], &(0..n).map(|k| k % every == 0).collect::<Vec<_>>()))
}

/// One or a few entries of every kind for an axis of length `n`.
fn kinds(n: usize) -> Vec<Sub> {
    let m = n as i64;
    vec![
        Sub::Int(m - 1),
        slice(None, None, None),
        slice(Some(1), None, Some(2)),
        slice(None, None, Some(-1)),
        slice(Some(-1), None, Some(-3)),
        slice(Some(2), Some(2), None),
        Sub::New,
        Sub::Ellipsis,
        Sub::Bool(true),
        Sub::Bool(false),
        array(&[], &[m - 1]),
        array(&[0], &[]),
        array(&[1], &[-1]),
        array(&[3], &[m - 1, 0, m - 1]),
        array(&[2], &[m - 1, m]),
        array(&[2, 1], &[-m, m - 1]),
        mask(n, 2),
        mask(n, n + 1),
    ]
}

fn rules() -> Vec<Rules> {
    let torch = Rules {
        lone_int: LoneInt::SelectsFirst,
        ellipsis_splits: false,
        empty: Empty::Forgives,
        negative_step: false,
        ..Rules::NEUTRAL
    };
    let numpy = OUTSIDES.map(|outside| Rules { outside, ..Rules::NEUTRAL });
    [torch].into_iter().chain(numpy).collect()
}

/// The number of a chunk, and the place in a chunk of full extents, of a cell.
fn split(grid: &Grid, cell: usize) -> (usize, usize) {
    let at = takewise::layout::unravel(cell, grid.shape());
    let along = |axis: usize| {
        let ends = (0..grid.counts()[axis]).map(|k| {
            let mut chunk = vec![0; at.len()];
            chunk[axis] = k;
            (k, grid.starts(&chunk)[axis], grid.starts(&chunk)[axis] + grid.extents(&chunk)[axis])
        });
        let mut found = ends.filter(|(_, start, end)| (*start..*end).contains(&at[axis]));
        let (k, start, _) = found.next().expect("every position lies in a chunk");
        assert_eq!(found.next(), None, "and in one alone");
        (k, at[axis] - start)
    };
    let parts: Vec<(usize, usize)> = (0..at.len()).map(along).collect();
    let fold = |extents: &[usize], part: fn(&(usize, usize)) -> usize| {
        extents.iter().zip(&parts).fold(0, |sum, (n, p)| sum * n + part(p))
    };
    (fold(grid.counts(), |p| p.0), fold(grid.chunk(), |p| p.1))
}

/// Holds chunks to the cells they must have: each element of the result once, in the right chunk at the right place, each chunk
/// once and none for nothing, places that meet in index order.
fn hold(chunks: &Chunks, cells: &Cells, what: &str) {
    assert_eq!(chunks.shape(), cells.shape, "{what}");
    let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut ids = BTreeSet::new();
    for (n, touched) in chunks.iter().enumerate() {
        assert!(ids.insert(touched.id()), "chunk {} comes twice: {what}", touched.id());
        assert_eq!((touched.number(), touched.id()), (n, chunks.grid().id(touched.at())), "{what}");
        let (mut count, mut last) = (0, BTreeMap::new());
        touched.for_each(|local, place| {
            count += 1;
            assert_eq!(found.insert(place, (touched.id(), local)), None, "place {place} comes twice: {what}");
            assert!(last.insert(local, place) < Some(place), "{place} is out of order: {what}");
        });
        assert!(count > 0 && count == touched.len(), "{what}");
    }
    assert_eq!((ids.len(), chunks.touched(ids.len()).is_none()), (chunks.len(), true), "{what}");
    let wanted = cells.cell.iter().enumerate().filter_map(|(place, cell)| cell.map(|cell| (place, cell)));
    let wanted: BTreeMap<_, _> = wanted.map(|(place, cell)| (place, split(chunks.grid(), cell))).collect();
    assert_eq!(found, wanted, "{what}");
    assert_eq!(chunks.is_whole(), wanted.len() == cells.cell.len(), "{what}");
}

/// The same error, or what the cells say.
fn compare(got: Result<Chunks, Error>, cells: Option<Cells>, same: impl Fn() -> Error, what: &str) {
    match (got, cells) {
        (Ok(chunks), Some(cells)) => hold(&chunks, &cells, what),
        (Err(error), None) => assert_eq!(error.to_string(), same().to_string(), "{what}"),
        (got, cells) => panic!("{:?} against {cells:?}: {what}", got.map(|chunks| chunks.len())),
    }
}

/// A subscript by the oracle and by the planner, index arrays laid out at random.
fn check(rng: &mut Rng, grid: &Grid, subs: &[Sub], rules: &Rules) {
    let what = format!("{:?} in {:?}: {subs:?}, {:?}", grid.shape(), grid.chunk(), rules.outside);
    let mut subs = subs.to_vec();
    let mut operands = Vec::new();
    for sub in &mut subs {
        if let Sub::Array(a) = sub {
            let index = if a.dtype == DType::I64 { World::narrowed(rng, a) } else { a.clone() };
            let operand = Operand::new(&index, &Twist::random(rng, index.shape.len(), true));
            *a = operand.value().clone();
            operands.push(operand);
        }
    }
    let views: Vec<AnyView> = operands.iter().map(Operand::view).collect();
    let items = entries(&subs, &views);
    let cells = subscript(grid.shape(), &subs, rules).ok();
    let same = || {
        let x = Tensor::zeros(grid.shape(), DType::U8).unwrap();
        ops::index(x.read_any().unwrap().view(), &items, rules).map(|t| t.shape().to_vec()).unwrap_err()
    };
    compare(Chunks::index(grid, &items, rules), cells, same, &what);
}

/// Every even grid of a shape, and an uneven one.
fn grids(shape: &[usize]) -> Vec<Grid> {
    let most = shape.iter().map(|n| n + 1).max().unwrap_or(1);
    let even = shapes(shape.len(), 1, most).into_iter();
    let even = even.filter(|chunk| chunk.iter().zip(shape).all(|(c, n)| *c <= n + 1));
    let mut all: Vec<Grid> = even.map(|chunk| Grid::new(shape, &chunk).unwrap()).collect();
    let cut = |n: &usize| match n {
        0 => vec![],
        1 => vec![0, 1],
        n => vec![1, 0, n - 1],
    };
    let uneven: Vec<Vec<usize>> = shape.iter().map(cut).collect();
    all.push(Grid::uneven(&uneven.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap());
    all
}

fn ellipses(subs: &[Sub]) -> usize {
    subs.iter().filter(|s| **s == Sub::Ellipsis).count()
}

#[test]
fn every_slice_and_array_of_a_line() {
    let mut rng = Rng::new(1);
    for n in 0..=5usize {
        let m = n as i64;
        let mut bounds: Vec<Option<i64>> = (-m - 1..=m + 1).map(Some).collect();
        bounds.push(None);
        let mut all = kinds(n);
        for &start in &bounds {
            for &stop in &bounds {
                for step in [None, Some(2), Some(3), Some(-1), Some(-2), Some(i64::MAX), Some(i64::MIN)] {
                    all.push(slice(start, stop, step));
                }
            }
        }
        for len in 1..=3 {
            all.extend(tuples(len, -m.min(3) - 1, m.min(3)).iter().map(|t| array(&[len], t)));
        }
        all.extend(masks(&[n]).into_iter().map(Sub::Array));
        for grid in grids(&[n]) {
            for sub in &all {
                check(&mut rng, &grid, std::slice::from_ref(sub), &Rules::NEUTRAL);
            }
        }
    }
}

#[test]
fn kinds_in_pairs() {
    let mut rng = Rng::new(2);
    for shape in [&[][..], &[3], &[3, 2], &[2, 3], &[1, 3], &[3, 0], &[0, 2]] {
        let kinds_of = |axis: usize| kinds(shape.get(axis).copied().unwrap_or(1));
        for a in kinds_of(0) {
            for b in kinds_of(1) {
                let subs = [a.clone(), b];
                if ellipses(&subs) <= 1 {
                    for grid in grids(shape) {
                        for rules in rules() {
                            check(&mut rng, &grid, &subs, &rules);
                        }
                    }
                }
            }
        }
    }
}

/// In threes, so that something can stand between index arrays; grids and rules in turn.
#[test]
fn kinds_in_threes() {
    let mut rng = Rng::new(3);
    let mut turn = 0;
    for shape in [&[2, 3, 4][..], &[3, 2, 3, 2], &[3, 4, 1]] {
        let (grids, rules) = (grids(shape), rules());
        for a in kinds(shape[0]) {
            for b in kinds(shape[1]) {
                for c in kinds(shape[2]) {
                    let subs = [a.clone(), b.clone(), c];
                    if ellipses(&subs) <= 1 {
                        turn += 1;
                        let grid = &grids[turn * 7 % grids.len()];
                        check(&mut rng, grid, &subs, &rules[turn % rules.len()]);
                        check(&mut rng, &grids[turn * 11 % grids.len()], &subs, &Rules::NEUTRAL);
                    }
                }
            }
        }
    }
}

/// Masks of two and three axes, and arrays that move in some of the loops alone.
#[test]
fn masks_and_arrays_of_every_rank() {
    let mut rng = Rng::new(4);
    let shape = [2, 3, 2];
    for grid in grids(&shape) {
        for first in 0..=1 {
            for mask in masks(&shape[first..first + 2]).into_iter().step_by(5) {
                let mut subs = vec![slice(None, None, None); first];
                subs.push(Sub::Array(mask.clone()));
                check(&mut rng, &grid, &subs, &Rules::NEUTRAL);
                subs.push(array(&[1], &[1]));
                check(&mut rng, &grid, &subs, &Rules::NEUTRAL);
            }
        }
        for mask in masks(&shape).into_iter().step_by(97) {
            check(&mut rng, &grid, &[Sub::Array(mask)], &Rules::NEUTRAL);
        }
        let three = [
            [array(&[2, 1, 1], &[1, 0]), array(&[3, 1], &[2, 2, 0]), array(&[2], &[0, 1])],
            [array(&[2, 1, 2], &[1, 0, 1, 1]), array(&[3, 1], &[2, 0, 0]), array(&[2], &[1, 1])],
            [array(&[2, 2], &[1, 0, 1, 1]), array(&[2, 1], &[2, 0]), array(&[], &[1])],
        ];
        for subs in three {
            check(&mut rng, &grid, &subs, &Rules::NEUTRAL);
        }
    }
}

/// Outer subscripts: each index array stands for its own axis, as the same arrays in an open mesh do beside permuted axes.
#[test]
fn outer_and_pointwise() {
    let mut rng = Rng::new(5);
    let shape = [3, 2, 4];
    let x = Tensor::from_vec((0..24u8).collect(), &shape).unwrap();
    for grid in grids(&shape).into_iter().step_by(3) {
        for a in kinds(shape[0]) {
            for b in kinds(shape[1]) {
                for c in kinds(shape[2]) {
                    let subs = [a.clone(), b.clone(), c];
                    let plain =
                        |s: &Sub| !matches!(s, Sub::Bool(_)) && !matches!(s, Sub::Array(a) if a.shape.is_empty());
                    if ellipses(&subs) > 1 || !subs.iter().all(plain) || !rng.one_in(4) {
                        continue;
                    }
                    let held: Vec<Option<Tensor>> = subs.iter().map(tensor).collect();
                    let items: Vec<Index> = subs
                        .iter()
                        .zip(&held)
                        .map(|(s, t)| match t {
                            Some(t) => Index::Tensor(t),
                            None => entries(std::slice::from_ref(s), &[]).remove(0),
                        })
                        .collect();
                    let what = format!("{:?}: {subs:?}", grid.chunk());
                    for (got, want) in [
                        (Chunks::oindex(&grid, &items, &Rules::NEUTRAL), x.oindex(&items, &Rules::NEUTRAL)),
                        (Chunks::vindex(&grid, &items, &Rules::NEUTRAL), x.vindex(&items, &Rules::NEUTRAL)),
                    ] {
                        match (got, want) {
                            (Ok(chunks), Ok(want)) => {
                                let cell = want.to_vec::<u8>().unwrap().into_iter().map(|v| Some(v as usize)).collect();
                                hold(&chunks, &Cells { shape: want.shape().to_vec(), cell }, &what);
                            }
                            (Err(got), Err(want)) => {
                                assert!(got.kind() == want.kind(), "{what}: {got} against {want}");
                            }
                            (got, want) => panic!("{what}: {:?} against {:?}", got.map(|_| ()), want.map(|_| ())),
                        }
                    }
                }
            }
        }
    }
}

fn tensor(sub: &Sub) -> Option<Tensor> {
    let Sub::Array(a) = sub else { return None };
    Some(match a.dtype {
        DType::Bool => Tensor::from_vec((0..a.data.len()).map(|k| a.truth(k)).collect(), &a.shape).unwrap(),
        _ => Tensor::from_vec((0..a.data.len()).map(|k| a.int_at(k) as i64).collect(), &a.shape).unwrap(),
    })
}

/// Arrays that no memory holds: what is listed does not grow with them.
#[test]
fn huge_arrays_take_no_memory() {
    let side = 1usize << 20;
    let shape = [side, side, side];
    let grid = Grid::new(&shape, &[1, 1000, 7]).unwrap();
    let far = [side - 1, 0, side / 2, side - 1];
    let items = takewise::ix![.., &far, takewise::index::step(.., -1)];
    let chunks = Chunks::index(&grid, &items, &Rules::NEUTRAL).unwrap();
    assert_eq!(chunks.shape(), [side, 4, side]);
    assert_eq!(chunks.len(), side * 3 * side.div_ceil(7));
    let Factor::Points(points) = &chunks.factors()[1] else { panic!("points stand second") };
    assert_eq!((points.local().len(), points.ends()), (4, &[1, 2, 4][..]));
    let last = chunks.touched(chunks.len() - 1).unwrap();
    assert_eq!((last.id(), last.at()), (grid.len() - 1, &[side - 1, side / 1000, side / 7][..]));
    let mut pairs = Vec::new();
    last.for_each(|local, place| pairs.push((local, place)));
    assert_eq!(pairs.len(), 2 * (side % 7));
    // The last row, the first of the two, the last but `side % 7` columns from the end: the first of the result.
    let row = (side - 1) * 4 * side;
    assert_eq!(pairs[0], ((side - 1) % 1000 * 7 + side % 7 - 1, row));
    assert_eq!(numel(&[2, side % 7]), coords(&[2, side % 7]).len());

    // As many chunks as elements, next to the largest count there can be.
    let grid = Grid::new(&[isize::MAX as usize], &[1]).unwrap();
    let ends = [isize::MAX as usize - 1, 0];
    let chunks = Chunks::index(&grid, &takewise::ix![&ends], &Rules::NEUTRAL).unwrap();
    assert_eq!(chunks.iter().map(|c| c.id()).collect::<Vec<_>>(), [0, isize::MAX as usize - 1]);
    let all = Chunks::index(&grid, &takewise::ix![..], &Rules::NEUTRAL).unwrap();
    assert_eq!((all.len(), all.touched(12345).map(|c| c.id())), (isize::MAX as usize, Some(12345)));
}

/// No plan reads them later, which would take them for numbers outside the axis: where those are clipped, for the last one.
#[test]
fn arrays_of_other_dtypes_name_no_chunks() -> Result<(), Error> {
    let grid = Grid::new(&[4, 6], &[2, 3])?;
    let halves = Tensor::from_slice(&[0.5f32, 1.0], &[2])?;
    let none = Tensor::from_slice::<f32>(&[], &[0])?;
    for outside in OUTSIDES {
        let rules = Rules { outside, ..Rules::NEUTRAL };
        for index in [&halves, &none] {
            let items = takewise::ix![index, ..];
            for made in [Chunks::index, Chunks::oindex, Chunks::vindex].map(|of| of(&grid, &items, &rules)) {
                assert_eq!(made.err().map(|e| e.kind()), Some(Kind::DType), "{outside:?}");
            }
        }
    }
    Ok(())
}

/// Index values of one axis are checked and listed by themselves, however many elements the product has.
#[test]
fn an_outer_subscript_is_never_multiplied_out() -> Result<(), Error> {
    // 10^12 elements of the result from 2 * 10^6 index values.
    let side = 1_000_000usize;
    let grid = Grid::new(&[side, side], &[1000, 1000])?;
    let rows: Vec<usize> = (0..side).rev().collect();
    let chunks = Chunks::oindex(&grid, &takewise::ix![&rows, &rows], &Rules::NEUTRAL)?;
    assert_eq!((chunks.shape(), chunks.len()), (&[side, side][..], side));
    let listed = |factor: &Factor| match factor {
        Factor::Points(points) => points.local().len(),
        Factor::Line(_) => 0,
    };
    assert_eq!(chunks.factors().iter().map(listed).sum::<usize>(), 2 * side);
    assert_eq!(chunks.touched(side - 1).map(|touched| (touched.id(), touched.len())), Some((side - 1, side)));
    // Nor are its errors: the second list's is met first, in the first row.
    let bad: Vec<usize> = (1..=side).collect();
    let error = Chunks::oindex(&grid, &takewise::ix![&bad, &bad], &Rules::NEUTRAL).err();
    let facts = error.as_ref().map(|e| (e.axis(), e.position().map(<[usize]>::to_vec), e.value()));
    assert_eq!(facts, Some((Some(1), Some(vec![side - 1]), Some(side as i128))));
    Ok(())
}
