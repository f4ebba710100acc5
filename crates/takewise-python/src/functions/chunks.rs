//! The chunk planner as arrays, for modules that move chunks about themselves.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use takewise::chunks::{Chunks, Factor, Grid, Points, Run};
use takewise::{Rules, Tensor};

use super::arguments::{Bounds, Policy};
use crate::border::key::Key;
use crate::border::to_numpy;
use crate::error::OrRaise;
use crate::threads::divided;

/// Extents of the chunks along one axis: one for all but the last, or each.
#[derive(FromPyObject)]
enum Extents {
    Every(usize),
    Each(Vec<usize>),
}

fn grid(py: Python<'_>, shape: &[usize], chunks: &[Extents]) -> PyResult<Grid> {
    if chunks.len() != shape.len() {
        let text = format!("chunks of {} axes do not cut an array of {}", chunks.len(), shape.len());
        return Err(PyValueError::new_err(text));
    }
    if chunks.iter().all(|c| matches!(c, Extents::Every(_))) {
        // No chunk is larger than the array, so that numbers in a chunk are the same however the grid is given.
        let size = |(c, &len): (&Extents, &usize)| if let Extents::Every(n) = c { (*n).min(len.max(1)) } else { 0 };
        let even: Vec<usize> = chunks.iter().zip(shape).map(size).collect();
        return Grid::new(shape, &even).or_raise(py);
    }
    let listed: Vec<Vec<usize>> = shape.iter().zip(chunks).map(|(&len, c)| spelled(len, c)).collect::<PyResult<_>>()?;
    let grid = Grid::uneven(&listed.iter().map(Vec::as_slice).collect::<Vec<_>>()).or_raise(py)?;
    if grid.shape() != shape {
        let text = format!("chunks that add up to the shape {:?} do not cut one of {shape:?}", grid.shape());
        return Err(PyValueError::new_err(text));
    }
    Ok(grid)
}

/// The extents of all chunks along an axis.
fn spelled(len: usize, extents: &Extents) -> PyResult<Vec<usize>> {
    match extents {
        Extents::Each(list) => Ok(list.clone()),
        Extents::Every(0) => Err(PyValueError::new_err("a chunk of extent 0 holds nothing")),
        Extents::Every(size) => Ok((0..len.div_ceil(*size)).map(|k| (*size).min(len - k * size)).collect()),
    }
}

fn array<'py>(py: Python<'py>, list: impl ExactSizeIterator<Item = usize>) -> PyResult<Bound<'py, PyAny>> {
    let list: Vec<i64> = list.map(|n| n as i64).collect();
    let shape = [list.len()];
    to_numpy(py, Tensor::from_vec(list, &shape).or_raise(py)?, None)
}

/// Which chunks of an array of ``shape``, cut into ``chunks``, ``key`` touches, and what of each goes where in the result.
///
/// ``chunks`` has an extent for each axis, or the list of all; ``way`` is "plain", "outer" or "points", for what ``index``,
/// ``oindex`` and ``vindex`` read. Gives ``(shape, id, local, factors)``: the result's shape, and a list of factors in the order of
/// its axes. A factor is ``("line", (axis,), (dim,), (first, step, count), ids, ends, local, places)`` for a slice or
/// ``("points", axes, dims, None, ids, ends, local, places)`` for index arrays. ``ids`` has what each run of a factor adds to a
/// chunk's number, ``ends`` where it ends. ``local`` and ``places`` have what each position of points, or the first of each
/// run of a line, adds to the place in the chunk and in the result. All of them are sums over the factors, with ``id`` and
/// ``local`` for plain integers: a chunk that is touched is a run of every factor. They are row-major numbers, as
/// ``numpy.unravel_index`` reads, over the grid, over the extents of the largest chunk, and over the result.
#[pyfunction]
#[pyo3(signature = (shape, chunks, key, way="plain", bounds=None, negative=None))]
fn _chunks<'py>(
    py: Python<'py>,
    shape: Vec<usize>,
    chunks: Vec<Extents>,
    key: &Bound<'py, PyAny>,
    way: &str,
    bounds: Option<Bounds>,
    negative: Option<bool>,
) -> PyResult<Bound<'py, PyTuple>> {
    let rules = Policy { bounds, negative, ..Policy::default() }.rules_of(py, false)?;
    let (grid, key) = (grid(py, &shape, &chunks)?, Key::of(key)?);
    let plan = |make: fn(&Grid, &[takewise::Index<'_>], &Rules) -> takewise::Result<Chunks>| {
        divided(py, None, key.bytes(), || make(&grid, &key.indices(), &rules)).or_raise(py)
    };
    let chunks = match way {
        "plain" => plan(Chunks::index)?,
        "outer" => plan(Chunks::oindex)?,
        "points" => plan(Chunks::vindex)?,
        other => return Err(PyValueError::new_err(format!("no way {other:?}: there are plain, outer and points"))),
    };
    let factors = PyList::empty(py);
    for factor in chunks.factors() {
        factors.append(match factor {
            Factor::Points(points) => listed(py, points)?,
            Factor::Line(line) => {
                let runs: Vec<(usize, Run<'_>)> = line.all().collect();
                let mut end = 0;
                let ends: Vec<usize> = runs
                    .iter()
                    .map(|(_, run)| {
                        end += run.len();
                        end
                    })
                    .collect();
                let first =
                    |run: &Run<'_>| if let Run::Line { local, place, .. } = run { (*local, *place) } else { (0, 0) };
                let whole = (line.first(), line.step(), line.count());
                let ids = array(py, runs.iter().map(|(id, _)| *id))?;
                let local = array(py, runs.iter().map(|(_, run)| first(run).0))?;
                let places = array(py, runs.iter().map(|(_, run)| first(run).1))?;
                let ends = array(py, ends.into_iter())?;
                ("line", (line.axis(),), (line.dim(),), whole, ids, ends, local, places).into_pyobject(py)?.into_any()
            }
        })?;
    }
    let shape = PyTuple::new(py, chunks.shape())?;
    (shape, chunks.id(), chunks.local(), factors).into_pyobject(py)
}

fn listed<'py>(py: Python<'py>, points: &Points) -> PyResult<Bound<'py, PyAny>> {
    let (axes, dims) = (PyTuple::new(py, points.axes())?, PyTuple::new(py, points.dims())?);
    let [ids, ends, local, places] =
        [points.ids(), points.ends(), points.local(), points.places()].map(|list| array(py, list.iter().copied()));
    Ok(("points", axes, dims, py.None(), ids?, ends?, local?, places?).into_pyobject(py)?.into_any())
}

/// Adds the function to the module.
pub(super) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(_chunks, m)?)
}
