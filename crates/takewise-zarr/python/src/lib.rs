//! The extension module `takewise_zarr._zarr`: keys to the engine's subscripts; reads into memory that NumPy owns, and writes from it.

#![forbid(unsafe_code)]

use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn, PyReadwriteArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};
use std::sync::Arc;
use takewise::chunks::Chunks;
use takewise::threads::on_threads;
use takewise::{AnyView, AnyViewMut, Class, DType, Index, Reduce, Rules, Slice, View};
use takewise_zarr::{Compressor, Create, Error, Remote};

mod called;
mod table;
use called::Called;

/// Where an array is: a folder; or what a store is called, the object that is asked, and a path in it.
#[derive(FromPyObject)]
enum Place<'py> {
    Folder(std::path::PathBuf),
    Called(String, Bound<'py, PyAny>, String),
}

impl Place<'_> {
    fn store(self) -> PyResult<(Arc<dyn Remote>, String)> {
        match self {
            Place::Folder(_) => Err(PyTypeError::new_err("a folder is no store")),
            Place::Called(name, store, path) => Ok((Arc::new(Called { name, store: store.unbind() }), path)),
        }
    }
}

/// An array of a store.
#[pyclass(frozen, module = "takewise_zarr")]
struct Array(takewise_zarr::Array);

/// What one read or write touches.
#[pyclass(frozen, module = "takewise_zarr")]
struct Plan(Chunks);

/// One entry of a key, and the array it holds.
enum Entry<'py> {
    Plain(Index<'static>),
    Signed(PyReadonlyArrayDyn<'py, i64>),
    Unsigned(PyReadonlyArrayDyn<'py, u64>),
    Mask(PyReadonlyArrayDyn<'py, bool>),
}

impl<'py> Entry<'py> {
    /// Of what `takewise_zarr._key` makes of a key.
    fn of(object: &Bound<'py, PyAny>) -> PyResult<Entry<'py>> {
        if object.is_none() {
            return Ok(Entry::Plain(Index::NewAxis));
        }
        if object.is_instance_of::<PyEllipsis>() {
            return Ok(Entry::Plain(Index::Ellipsis));
        }
        if let Ok(truth) = object.cast::<PyBool>() {
            return Ok(Entry::Plain(Index::Bool(truth.is_true())));
        }
        if object.is_instance_of::<PyInt>() {
            return Ok(Entry::Plain(Index::Int(object.extract()?)));
        }
        if let Ok(slice) = object.cast::<PySlice>() {
            let part = |name: &str| -> PyResult<Option<i64>> { slice.getattr(name)?.extract() };
            let (start, stop, step) = (part("start")?, part("stop")?, part("step")?);
            return Ok(Entry::Plain(Index::Range(Slice { start, stop, step })));
        }
        if let Ok(array) = object.extract() {
            return Ok(Entry::Signed(array));
        }
        if let Ok(array) = object.extract() {
            return Ok(Entry::Unsigned(array));
        }
        object.extract().map(Entry::Mask).map_err(|_| PyTypeError::new_err("not an entry of a key"))
    }

    fn index(&self) -> PyResult<Index<'_>> {
        match self {
            Entry::Plain(index) => Ok(index.clone()),
            array => array.view().map(Index::Array),
        }
    }

    /// The array; that of other entries is empty.
    fn view(&self) -> PyResult<AnyView<'_>> {
        fn any<'a, T: takewise::Element>(data: &'a [T], shape: &[usize]) -> PyResult<AnyView<'a>> {
            View::new(data, shape).map(|view| view.any()).map_err(raised)
        }
        let rows = |_| PyValueError::new_err("an index array has to be row-major");
        match self {
            Entry::Signed(array) => any(array.as_slice().map_err(rows)?, array.shape()),
            Entry::Unsigned(array) => any(array.as_slice().map_err(rows)?, array.shape()),
            Entry::Mask(array) => any(array.as_slice().map_err(rows)?, array.shape()),
            Entry::Plain(_) => Err(PyTypeError::new_err("an index array is wanted here")),
        }
    }
}

/// The engine's error as an exception of `takewise.exceptions`, with its facts.
fn raised(error: takewise::Error) -> PyErr {
    Python::attach(|py| {
        let made = || -> PyResult<PyErr> {
            let axis = error.kind() == takewise::Kind::Axis && error.class() == Class::IndexError;
            let module = py.import("takewise.exceptions")?;
            let value = match axis {
                true => module.call_method1("_axis_error", (error.to_string(),))?,
                false => {
                    let classes = module.getattr("CLASSES")?;
                    let name = error.class().name();
                    let class = match classes.contains(name)? {
                        true => classes.get_item(name)?,
                        false => py.import("builtins")?.getattr(name)?,
                    };
                    class.call1((error.to_string(),))?
                }
            };
            value.setattr("axis", error.axis())?;
            value.setattr("position", error.position().map(|p| PyTuple::new(py, p)).transpose()?)?;
            value.setattr("value", error.value())?;
            value.setattr("size", error.len())?;
            Ok(PyErr::from_value(value))
        };
        made().unwrap_or_else(|failed| failed)
    })
}

fn told(error: Error) -> PyErr {
    match error {
        Error::Index(error) => raised(error),
        Error::Store { .. } => PyOSError::new_err(error.to_string()),
        Error::Unsupported { .. } => pyo3::exceptions::PyNotImplementedError::new_err(error.to_string()),
        other => PyValueError::new_err(other.to_string()),
    }
}

#[pymethods]
impl Array {
    #[new]
    fn open(place: Place<'_>, gap: Option<u64>) -> PyResult<Array> {
        let array = match place {
            Place::Folder(path) => takewise_zarr::Array::open(path),
            place => {
                let (store, path) = place.store()?;
                takewise_zarr::Array::open_in(store, &path)
            }
        };
        let array = array.map_err(told)?;
        Ok(Array(match gap {
            Some(gap) => array.with_gap(gap),
            None => array,
        }))
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    #[getter]
    fn dtype(&self) -> String {
        self.0.dtype().name().to_string()
    }

    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.chunks())
    }

    #[getter]
    fn shards<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.0.shards().map(|shards| PyTuple::new(py, shards)).transpose()
    }

    #[getter]
    fn format(&self) -> u8 {
        self.0.format()
    }

    #[getter]
    fn traffic(&self) -> (u64, u64, u64, u64, u64) {
        let traffic = self.0.traffic();
        (traffic.requests, traffic.bytes, traffic.decoded, traffic.writes, traffic.written)
    }

    /// The plan of a subscript: "plain", "outer" or "points".
    fn plan(&self, py: Python<'_>, way: &str, key: Vec<Bound<'_, PyAny>>) -> PyResult<Plan> {
        let entries: Vec<Entry<'_>> = key.iter().map(Entry::of).collect::<PyResult<_>>()?;
        let items: Vec<Index<'_>> = entries.iter().map(Entry::index).collect::<PyResult<_>>()?;
        let make = match way {
            "outer" => Chunks::oindex,
            "points" => Chunks::vindex,
            _ => Chunks::index,
        };
        py.detach(|| make(self.0.grid(), &items, &Rules::NEUTRAL)).map(Plan).map_err(raised)
    }

    /// The plan of `take`, `take_along_axis`, `scatter` or `gather_nd`.
    #[pyo3(signature = (way, index, axis=None))]
    fn plan_of(&self, py: Python<'_>, way: &str, index: &Bound<'_, PyAny>, axis: Option<i64>) -> PyResult<Plan> {
        let entry = Entry::of(index)?;
        let view = entry.view()?;
        let plan = py.detach(|| match (way, axis) {
            ("along", Some(axis)) => self.0.plan_take_along(&view, axis),
            ("scatter", Some(axis)) => self.0.plan_scatter(&view, axis),
            ("nd", _) => self.0.plan_gather_nd(&view),
            _ => self.0.plan_take(&view, axis),
        });
        plan.map(Plan).map_err(told)
    }

    /// Reads what a plan touches into the bytes of a row-major array of its shape.
    fn read(&self, py: Python<'_>, plan: &Plan, mut out: PyReadwriteArray1<'_, u8>, threads: usize) -> PyResult<()> {
        let bytes = out.as_slice_mut().map_err(|_| PyValueError::new_err("the result has to be row-major"))?;
        let out = AnyViewMut::of_elements(bytes, self.0.dtype(), plan.0.shape()).map_err(raised)?;
        py.detach(|| on_threads(threads, || self.0.read(&plan.0, out))).map_err(told)
    }

    /// Writes the bytes of a row-major array into what a plan touches: stored, or combined ("sum", "prod", "max", "min", "mean")
    /// with what is there or without.
    #[pyo3(signature = (plan, values, shape, how, threads, include_self=true))]
    #[allow(clippy::too_many_arguments)] // one call for all writes
    fn write(
        &self,
        py: Python<'_>,
        plan: &Plan,
        values: PyReadonlyArray1<'_, u8>,
        shape: Vec<usize>,
        how: Option<&str>,
        threads: usize,
        include_self: bool,
    ) -> PyResult<()> {
        let bytes = values.as_slice().map_err(|_| PyValueError::new_err("values have to be row-major"))?;
        let values = AnyView::of_elements(bytes, self.0.dtype(), &shape).map_err(raised)?;
        let how = match how {
            None => None,
            Some("sum") => Some(Reduce::Sum),
            Some("prod") => Some(Reduce::Prod),
            Some("max") => Some(Reduce::Max),
            Some("min") => Some(Reduce::Min),
            Some("mean") => Some(Reduce::Mean),
            Some(other) => return Err(PyValueError::new_err(format!("{other} combines nothing"))),
        };
        let write = || match how {
            Some(how) if !include_self => self.0.reduce(&plan.0, &values, how, false),
            how => self.0.write(&plan.0, &values, how),
        };
        py.detach(|| on_threads(threads, write)).map_err(told)
    }
}

/// Makes an array in a folder; the fill value comes as the bytes of an element.
#[pyfunction]
#[pyo3(signature = (place, shape, dtype, chunks, shards, compressor, level, fill, format))]
#[allow(clippy::too_many_arguments)] // what an array is, told by create() of the package
fn create(
    place: Place<'_>,
    shape: Vec<usize>,
    dtype: &str,
    chunks: Vec<usize>,
    shards: Option<Vec<usize>>,
    compressor: Option<&str>,
    level: i32,
    fill: &[u8],
    format: u8,
) -> PyResult<()> {
    let number = |name: &str| format!("an array here has elements that are numbers, not {name}");
    let dtype = DType::from_name(dtype).ok_or_else(|| PyTypeError::new_err(number(dtype)))?;
    let unsigned = u32::try_from(level).map_err(|_| PyValueError::new_err("the level is below 0"));
    let compressor = match compressor {
        None => Compressor::None,
        Some("gzip") => Compressor::Gzip(unsigned?),
        Some("blosc") => Compressor::Blosc(unsigned?),
        Some(_) => Compressor::Zstd(level),
    };
    let fill = AnyView::of_elements(fill, dtype, &[]).map_err(raised)?;
    let new = Create::new(&shape, dtype, &chunks).compressor(compressor).fill_element(&fill).format(format);
    let new = match shards {
        Some(shards) => new.shards(&shards),
        None => new,
    };
    let made = match place {
        Place::Folder(path) => new.create(path),
        place => {
            let (store, path) = place.store()?;
            new.create_in(store, &path)
        }
    };
    made.map(|_| ()).map_err(told)
}

#[pymethods]
impl Plan {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.shape())
    }

    /// Touched chunks.
    fn __len__(&self) -> usize {
        self.0.len()
    }
}

#[pymodule(gil_used = false)]
fn _zarr(m: &Bound<'_, PyModule>) -> PyResult<()> {
    takewise::threads::prepare();
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_function(wrap_pyfunction!(create, m)?)?;
    m.add_class::<Array>()?;
    m.add_class::<table::Columns>()?;
    m.add_class::<Plan>()
}
