//! Arrays of a store, and what can be read of them.

use crate::error::{Error, Result};
use crate::far::Remote;
use crate::meta::Meta;
use crate::read::{self, Counter, Traffic};
use crate::shard::Indexes;
use crate::store::{Folder, Source};
use std::path::Path;
use std::sync::Arc;
use takewise::chunks::{Chunks, Factor, Grid};
use takewise::internal::Lock;
use takewise::{AnyView, AnyViewMut, DType, Index, Rules, Tensor, View, ops};

/// Bytes between two chunks of a shard that are read along rather than asked for apart: what the time of one more request on a
/// local file would read.
const LOCAL_GAP: u64 = 64 << 10;

/// A Zarr array in a folder or a store: version 3, sharded or not, and version 2.
///
/// Opening reads its metadata. A read touches the files of the chunks it needs and no other; each chunk is read and decoded once.
/// Chunks that were never written hold the fill value. Several threads may read one array.
///
/// ```
/// # let folder = takewise_zarr::example();
/// use takewise::{DType, ix};
/// use takewise_zarr::Array;
/// // 0, 1, 2, ... of shape (6, 5) in chunks of (2, 2).
/// let x = Array::open(folder.path())?;
/// assert_eq!((x.shape(), x.dtype(), x.chunks(), x.shards()), (&[6, 5][..], DType::F32, &[2, 2][..], None));
/// let rows = [5i64, 0, -1];
/// assert_eq!(x.index(&ix![&rows, 1..3])?.to_vec::<f32>()?, [26.0, 27.0, 1.0, 2.0, 26.0, 27.0]);
///
/// let error = x.index(&ix![&[0i64, 6]]).unwrap_err();
/// assert!(error.to_string().starts_with("index: index 6 is out of bounds for axis 0 with size 6 (position [1]"));
/// # Ok::<(), takewise_zarr::Error>(())
/// ```
#[derive(Debug)]
pub struct Array {
    pub(crate) store: Source,
    pub(crate) meta: Meta,
    pub(crate) grid: Grid,
    pub(crate) gap: u64,
    pub(crate) indexes: Indexes,
    pub(crate) counter: Counter,
    /// Held while files are changed.
    pub(crate) writing: Lock<()>,
}

impl Array {
    /// Opens the array in a folder.
    ///
    /// Errors: no array there, a group, metadata that cannot be read; what is not supported, by name: elements without a fixed
    /// size, records, codecs and grids that are not known here, and URLs.
    pub fn open(path: impl AsRef<Path>) -> Result<Array> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        if let Some((scheme, _)) = shown.split_once("://") {
            let text = format!("stores behind {scheme}:// are not read here, only local folders");
            return Err(Error::unsupported(shown.as_str(), text));
        }
        Array::of(Source::Folder(Folder::new(path.to_path_buf())))
    }

    /// Opens the array under a path of a store; "" is the store itself. Errors as [`Array::open`].
    pub fn open_in(store: Arc<dyn Remote>, path: &str) -> Result<Array> {
        Array::of(Source::Remote(store, path.trim_matches('/').to_string()))
    }

    pub(crate) fn of(store: Source) -> Result<Array> {
        let gap = match &store {
            Source::Folder(_) => LOCAL_GAP,
            Source::Remote(remote, _) => remote.gap(),
        };
        let meta = Meta::read(&store)?;
        let grid = Grid::new(&meta.shape, &meta.chunk)?;
        let (indexes, counter) = (Indexes::default(), Counter::default());
        Ok(Array { store, meta, grid, gap, indexes, counter, writing: Lock::default() })
    }

    /// The same array, which reads bytes between two chunks of a shard along with them if they are no more than `gap`: what the
    /// store sends in the time that one more request costs. In a folder 64 KiB unless said otherwise; else [`Remote::gap`].
    pub fn with_gap(self, gap: u64) -> Array {
        Array { gap, ..self }
    }

    /// Extents.
    pub fn shape(&self) -> &[usize] {
        &self.meta.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.meta.dtype
    }

    /// Extents of the chunks that are decoded one by one: of a sharded array the inner chunks.
    pub fn chunks(&self) -> &[usize] {
        self.grid.chunk()
    }

    /// Extents of the shards, if the array has them.
    pub fn shards(&self) -> Option<&[usize]> {
        self.meta.sharding.as_ref().map(|_| &self.meta.outer[..])
    }

    /// The version of the format: 2 or 3.
    pub fn format(&self) -> u8 {
        self.meta.format
    }

    /// The grid of the chunks, to plan with.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What reads and writes have cost since the array was opened.
    pub fn traffic(&self) -> Traffic {
        self.counter.now()
    }

    pub(crate) fn name(&self) -> String {
        self.store.root()
    }

    /// Reads what a plan touches into row-major memory of its shape and of this array's element type.
    ///
    /// Memory: a byte for each touched chunk (of a sharded array 17), and for each thread a chunk and the bytes it comes from, of
    /// which no more than 8 MiB are asked for at a time unless one chunk is larger.
    ///
    /// Errors: a plan of another grid or that leaves elements out, memory that does not fit, files that cannot be read or decoded.
    /// What `out` holds after an error is not defined.
    pub fn read(&self, chunks: &Chunks, out: AnyViewMut<'_>) -> Result<()> {
        read::read(self, chunks, out)
    }

    fn tensor(&self, chunks: &Chunks) -> Result<Tensor> {
        let out = Tensor::empty(chunks.shape(), self.dtype())?;
        {
            let mut open = out.write_any()?;
            self.read(chunks, open.view_mut())?;
        }
        Ok(out)
    }

    /// `self[items]`, by NumPy's rules: integers, slices of any step, new axes, an ellipsis, index arrays and masks of any rank.
    ///
    /// All index values are checked before anything is read. Errors: those of [`takewise::ops::index`] with the same words, and of
    /// [`Array::read`].
    pub fn index(&self, items: &[Index<'_>]) -> Result<Tensor> {
        self.tensor(&Chunks::index(&self.grid, items, &Rules::NEUTRAL)?)
    }

    /// `self` at the cross product of the index arrays: each has an axis of the result, where its own axis stands. Errors as
    /// [`Array::index`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::ix;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// assert_eq!(x.oindex(&ix![&[5i64, 0], &[4i64, 1]])?.to_vec::<f32>()?, [29.0, 26.0, 4.0, 1.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn oindex(&self, items: &[Index<'_>]) -> Result<Tensor> {
        self.tensor(&Chunks::oindex(&self.grid, items, &Rules::NEUTRAL)?)
    }

    /// `self` at the points that the index arrays name together; their axes lead the result. Errors as [`Array::index`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::ix;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// assert_eq!(x.vindex(&ix![&[5i64, 0], &[4i64, 1]])?.to_vec::<f32>()?, [29.0, 1.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn vindex(&self, items: &[Index<'_>]) -> Result<Tensor> {
        self.tensor(&Chunks::vindex(&self.grid, items, &Rules::NEUTRAL)?)
    }

    /// Slices along an axis (`numpy.take`); without an axis, elements by row-major position. The index may have any rank.
    ///
    /// Errors as [`Array::index`]; kind `Axis` for an axis that is not there.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// assert_eq!(x.take(&[4i64, 0], Some(1))?.shape(), [6, 2]);
    /// assert_eq!(x.take(&[29i64, 0][..], None)?.to_vec::<f32>()?, [29.0, 0.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn take<'a>(&self, index: impl Into<AnyView<'a>>, axis: Option<i64>) -> Result<Tensor> {
        let index = index.into();
        if axis.is_none() && self.shape().is_empty() {
            return Ok(ops::take(self.index(&[])?.read_any()?.view(), index, &Rules::NEUTRAL)?);
        }
        self.tensor(&self.plan_take(&index, axis)?)
    }

    /// The plan of [`Array::take`].
    pub fn plan_take(&self, index: &AnyView<'_>, axis: Option<i64>) -> Result<Chunks> {
        let Some(axis) = axis else { return self.plan_flat(index) };
        let axis = self.axis(axis)?;
        let mut items = vec![Index::Range(takewise::Slice::ALL); axis];
        items.push(Index::Array(integers(index)?));
        Ok(Chunks::index(&self.grid, &items, &Rules::NEUTRAL)?)
    }

    /// Elements by row-major position: the positions are checked and taken apart.
    fn plan_flat(&self, index: &AnyView<'_>) -> Result<Chunks> {
        if self.shape().is_empty() {
            // A plan names places of the grid, and here there is none.
            return Err(Error::unsupported(self.name(), "has no axes; there is no plan of flat positions in it"));
        }
        let numel = self.shape().iter().try_fold(1, |all: usize, &n| all.checked_mul(n));
        let numel =
            numel.ok_or_else(|| Error::unsupported(self.name(), "has more elements than positions can name"))?;
        let whole = Grid::new(&[numel], &[numel.max(1)])?;
        let items = [Index::Array(integers(index)?)];
        let flat = Chunks::index(&whole, &items, &Rules::NEUTRAL)?;
        let at = match flat.factors() {
            [Factor::Points(points)] => points.local().to_vec(),
            // A single position.
            _ => vec![flat.local()],
        };
        let mut rest = at;
        let mut axes: Vec<Vec<usize>> = Vec::new();
        for &extent in self.shape().iter().rev() {
            axes.push(rest.iter().map(|p| p % extent.max(1)).collect());
            rest.iter_mut().for_each(|p| *p /= extent.max(1));
        }
        axes.reverse();
        let views: Vec<AnyView<'_>> =
            axes.iter().map(|list| Ok(View::new(list, flat.shape())?.any())).collect::<Result<_>>()?;
        let items: Vec<Index<'_>> = views.into_iter().map(Index::Array).collect();
        Ok(Chunks::index(&self.grid, &items, &Rules::NEUTRAL)?)
    }

    /// `numpy.take_along_axis`: for each element of the index the one along `axis` at its place. The index has as many axes as
    /// the array, and broadcasts against it but for `axis`.
    ///
    /// Errors as [`Array::index`]; kind `Axis` for an axis that is not there, kind `Shape` for an index of another rank.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::View;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let index = [0i64, 1, 2, 3, 4, 0];
    /// let got = x.take_along_axis(&View::new(&index, &[6, 1])?, 1)?;
    /// assert_eq!(got.to_vec::<f32>()?, [0.0, 6.0, 12.0, 18.0, 24.0, 25.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn take_along_axis<'a>(&self, index: impl Into<AnyView<'a>>, axis: i64) -> Result<Tensor> {
        self.tensor(&self.plan_take_along(&index.into(), axis)?)
    }

    /// The plan of [`Array::take_along_axis`].
    pub fn plan_take_along(&self, index: &AnyView<'_>, axis: i64) -> Result<Chunks> {
        self.along("take_along_axis", index, axis, self.shape())
    }

    /// The plan of [`Array::scatter`]: as of [`Array::take_along_axis`], but the other axes go as far as those of the index.
    pub fn plan_scatter(&self, index: &AnyView<'_>, axis: i64) -> Result<Chunks> {
        let over = index.shape().iter().zip(self.shape()).enumerate().find(|(_, (n, m))| n > m);
        match over {
            Some((d, (n, m))) if self.axis(axis)? != d => {
                let text = format!("scatter: the index has {n} places along axis {d}, and the array {m}");
                Err(Error::values(self.name(), text))
            }
            _ => self.along("scatter", index, axis, index.shape()),
        }
    }

    /// The plan of an index that says where along `axis`; the other axes count to `extents`.
    fn along(&self, op: &str, index: &AnyView<'_>, axis: i64, extents: &[usize]) -> Result<Chunks> {
        let axis = self.axis(axis)?;
        let rank = self.shape().len();
        if index.rank() != rank {
            let text = format!("{op}: an index of {} axes does not go along an array of {rank}", index.rank());
            return Err(Error::values(self.name(), text));
        }
        let counted = |(d, &n): (usize, &usize)| {
            let (mut list, extent) = (Vec::new(), if d == axis { 0 } else { n });
            list.try_reserve_exact(extent).map_err(|error| Error::values(self.name(), format!("{op}: {error}")))?;
            list.extend(0..extent);
            Ok(list)
        };
        let counts: Vec<Vec<usize>> = extents.iter().enumerate().map(counted).collect::<Result<_>>()?;
        let mut items = Vec::with_capacity(rank);
        for (d, list) in counts.iter().enumerate() {
            if d == axis {
                items.push(Index::Array(integers(index)?));
            } else {
                let shape: Vec<usize> = (0..rank).map(|k| if k == d { list.len() } else { 1 }).collect();
                items.push(Index::Array(View::new(list, &shape)?.any()));
            }
        }
        Ok(Chunks::index(&self.grid, &items, &Rules::NEUTRAL)?)
    }

    /// Slices at tuples of positions, which lie along the last axis of the index (`gather_nd`).
    ///
    /// Errors as [`Array::index`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::View;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let points = View::new(&[5i64, 4, 0, 1], &[2, 2])?;
    /// assert_eq!(x.gather_nd(&points)?.to_vec::<f32>()?, [29.0, 1.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn gather_nd<'a>(&self, index: impl Into<AnyView<'a>>) -> Result<Tensor> {
        self.tensor(&self.plan_gather_nd(&index.into())?)
    }

    /// The plan of [`Array::gather_nd`].
    pub fn plan_gather_nd(&self, index: &AnyView<'_>) -> Result<Chunks> {
        let Some(count) = index.shape().last() else {
            return Err(Error::unsupported(self.name(), "gather_nd: the index needs an axis of tuples"));
        };
        let index = integers(index)?;
        let part = |k| Ok(Index::Array(index.select(-1, k as i64)?));
        let items: Vec<Index<'_>> = (0..*count).map(part).collect::<Result<_>>()?;
        Ok(Chunks::index(&self.grid, &items, &Rules::NEUTRAL)?)
    }

    fn axis(&self, axis: i64) -> Result<usize> {
        Ok(takewise::layout::normalize_dim(takewise::Op::Take, axis, self.shape().len())?)
    }
}

/// An index array: masks say where they are, not which.
pub(crate) fn integers<'a>(index: &AnyView<'a>) -> Result<AnyView<'a>> {
    Rules::NEUTRAL.check_index(takewise::Op::Take, index.dtype())?;
    Ok(index.clone())
}
