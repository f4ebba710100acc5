//! Results put together from chunks, and values written into chunks, against the same operations on the whole array.

use takewise::chunks::{Assembly, Chunks, Grid, Touched};
use takewise::index::rules::{Outside, Rules};
use takewise::{AnyView, AnyViewMut, Index, Reduce, Tensor, ops};
use takewise_testkit::calls::{self, SMALL, Size};
use takewise_testkit::verify::entries;
use takewise_testkit::{Op, Operand, Rng};

/// The elements of a chunk of a row-major array of i64, whole: beyond the array there are zeros.
fn chunk(x: &[i64], touched: &Touched<'_>, grid: &Grid) -> Vec<i64> {
    let mut out = vec![0; grid.chunk().iter().product()];
    each(touched, grid, |k, cell| out[k] = x[cell]);
    out
}

/// Puts a chunk back.
fn put_back(x: &mut [i64], chunk: &[i64], touched: &Touched<'_>, grid: &Grid) {
    each(touched, grid, |k, cell| x[cell] = chunk[k]);
}

/// Every element of a chunk that lies in the array: its place in the chunk, and in the array.
fn each(touched: &Touched<'_>, grid: &Grid, mut f: impl FnMut(usize, usize)) {
    let (starts, extents) = (touched.starts(), touched.extents());
    for at in takewise::layout::Coordinates::new(&extents) {
        let place = |shape: &[usize], from: &[usize]| {
            at.iter().zip(shape).zip(from).fold(0, |sum, ((i, n), start)| sum * n + start + i)
        };
        f(place(grid.chunk(), &vec![0; at.len()]), place(grid.shape(), &starts));
    }
}

fn grid_of(rng: &mut Rng, shape: &[usize]) -> Grid {
    let chunk: Vec<usize> = shape.iter().map(|&n| 1 + rng.below(n + 1)).collect();
    Grid::new(shape, &chunk).unwrap()
}

/// The same random subscripts of a size, `count` of them that read and are good: their grid, plan, items and array.
fn cases(seed: u64, count: usize, size: Size, mut f: impl FnMut(&mut Rng, &Grid, &Chunks, &[Index<'_>], &[i64])) {
    let mut rng = Rng::new(seed);
    let mut done = 0;
    while done < count {
        let case = calls::call(&mut rng, size);
        if case.op != Op::Get {
            continue;
        }
        let shape = case.x.value().shape.clone();
        let views: Vec<AnyView> = case.index.iter().map(Operand::view).collect();
        let items = entries(&case.subs, &views);
        let grid = grid_of(&mut rng, &shape);
        let rules = Rules { outside: Outside::Raise, ..Rules::NEUTRAL };
        let x: Vec<i64> = (0..shape.iter().product::<usize>() as i64).collect();
        if let Ok(chunks) = Chunks::index(&grid, &items, &rules) {
            done += 1;
            f(&mut rng, &grid, &chunks, &items, &x);
        }
    }
}

fn whole(x: &[i64], shape: &[usize]) -> Tensor {
    Tensor::from_slice(x, shape).unwrap()
}

#[test]
fn results_come_together_in_any_order() {
    for (seed, count, size) in [(1, 1500, SMALL), (2, 60, calls::LARGE)] {
        cases(seed, count, size, |rng, grid, chunks, items, x| {
            let mut out = vec![-1i64; chunks.shape().iter().product()];
            let mut order: Vec<usize> = (0..chunks.len()).collect();
            (1..order.len()).for_each(|k| order.swap(k, rng.below(k + 1)));
            {
                let view = takewise::ViewMut::new(&mut out, chunks.shape()).unwrap();
                let assembly = Assembly::new(chunks, view.into()).unwrap();
                for n in order {
                    let piece = chunk(x, &chunks.touched(n).unwrap(), grid);
                    let view = takewise::View::new(&piece, grid.chunk()).unwrap().any();
                    assembly.put(n, &view).unwrap();
                    assert!(assembly.put(n, &view).unwrap_err().to_string().contains("put before"));
                }
                assembly.finish().unwrap();
            }
            let want = ops::index(whole(x, grid.shape()).read_any().unwrap().view(), items, &Rules::NEUTRAL).unwrap();
            assert_eq!(out, want.to_vec::<i64>().unwrap(), "{items:?} in {:?} of {:?}", grid.chunk(), grid.shape());
        });
    }
}

#[test]
fn several_threads_put_at_once() {
    let grid = Grid::new(&[400, 30], &[7, 30]).unwrap();
    let rows: Vec<usize> = (0..5000).map(|k| k * 7919 % 400).collect();
    let chunks = Chunks::index(&grid, &takewise::ix![&rows], &Rules::NEUTRAL).unwrap();
    let x: Vec<i64> = (0..400 * 30).collect();
    let mut out = vec![-1i64; 5000 * 30];
    let assembly = Assembly::new(&chunks, takewise::ViewMut::new(&mut out, chunks.shape()).unwrap().into()).unwrap();
    std::thread::scope(|scope| {
        for part in 0..4 {
            let (assembly, chunks, grid, x) = (&assembly, &chunks, &grid, &x);
            scope.spawn(move || {
                for touched in chunks.iter().filter(|touched| touched.number() % 4 == part) {
                    let piece = chunk(x, &touched, grid);
                    let view = takewise::View::new(&piece, grid.chunk()).unwrap().any();
                    assembly.put(touched.number(), &view).unwrap();
                }
            });
        }
    });
    assembly.finish().unwrap();
    for (k, &row) in rows.iter().enumerate() {
        assert_eq!(out[k * 30..(k + 1) * 30], x[row * 30..(row + 1) * 30]);
    }
}

/// Stores (the last of several stays), stores of one number, sums and maxima, chunk by chunk.
#[test]
fn chunks_take_what_the_whole_array_would() {
    for (seed, count, size) in [(3, 1500, SMALL), (4, 40, calls::LARGE)] {
        cases(seed, count, size, |rng, grid, chunks, items, x| {
            let values: Vec<i64> =
                (0..chunks.shape().iter().product::<usize>()).map(|_| rng.between(-50, 50)).collect();
            let view = takewise::View::new(&values, chunks.shape()).unwrap().any();
            let one = takewise::View::new(&[77i64], &[]).unwrap().any();
            for way in 0..4 {
                let mut pieces = x.to_vec();
                for touched in chunks.iter() {
                    let mut piece = chunk(&pieces, &touched, grid);
                    let mut into: AnyViewMut = takewise::ViewMut::new(&mut piece, grid.chunk()).unwrap().into();
                    match way {
                        0 => touched.store(&view, &mut into),
                        1 => touched.store(&one, &mut into),
                        2 => touched.combine(&view, &mut into, Reduce::Sum),
                        _ => touched.combine(&view, &mut into, Reduce::Max),
                    }
                    .unwrap();
                    put_back(&mut pieces, &piece, &touched, grid);
                }
                let mut want = x.to_vec();
                let mut dst: AnyViewMut = takewise::ViewMut::new(&mut want, grid.shape()).unwrap().into();
                match way {
                    0 => ops::index_set_(&mut dst, items, &view, &Rules::NEUTRAL),
                    1 => ops::index_set_(&mut dst, items, &one, &Rules::NEUTRAL),
                    2 => ops::index_accumulate_(&mut dst, items, &view, Reduce::Sum, &Rules::NEUTRAL),
                    _ => ops::index_accumulate_(&mut dst, items, &view, Reduce::Max, &Rules::NEUTRAL),
                }
                .unwrap();
                assert_eq!(pieces, want, "way {way}: {items:?} in {:?} of {:?}", grid.chunk(), grid.shape());
            }
        });
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let grid = Grid::new(&[10], &[4]).unwrap();
    let chunks = Chunks::index(&grid, &takewise::ix![&[9usize, 0]], &Rules::NEUTRAL).unwrap();
    let mut out = [0i64; 2];
    assert!(Assembly::new(&chunks, AnyViewMut::from(&mut [0i64; 3])).is_err());
    {
        let mut four = [0i64; 4];
        let wide = takewise::ViewMut::strided(&mut four, 0, &[2], &[2]).unwrap();
        assert!(Assembly::new(&chunks, wide.into()).is_err());
    }
    let assembly = Assembly::new(&chunks, AnyViewMut::from(&mut out)).unwrap();
    for (n, text, view) in [
        (2, "no touched chunk 2", AnyView::from(&[1i64; 4])),
        (0, "of shape [3]", AnyView::from(&[1i64; 3])),
        (0, "float64", AnyView::from(&[1.0f64; 4])),
    ] {
        let error = assembly.put(n, &view).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    assembly.put(0, &AnyView::from(&[5i64; 4])).unwrap();
    assert!(assembly.finish().unwrap_err().to_string().contains("chunk 1 was not put"));
    let touched = chunks.touched(0).unwrap();
    let mut into = [0i64; 4];
    assert!(touched.store(&AnyView::from(&[1i64; 3]), &mut AnyViewMut::from(&mut into)).is_err());
    assert!(touched.store(&AnyView::from(&[1i32; 2]), &mut AnyViewMut::from(&mut into)).is_err());
    assert!(touched.store(&AnyView::from(&[1i64; 2]), &mut AnyViewMut::from(&mut into[..3])).is_err());
    assert!(touched.combine(&AnyView::from(&[1i64; 2]), &mut AnyViewMut::from(&mut into), Reduce::Mean).is_err());
    assert_eq!(into, [0; 4]);
}
