//! What can be written of an array, by name.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::write::How;
use takewise::chunks::Chunks;
use takewise::{AnyView, Index, Reduce, Rules, Tensor, ops};

/// Stores and sums. Each touched file is read once (or not at all, where all of it is overwritten), changed and replaced; chunks
/// that hold nothing but the fill value are not stored.
///
/// Values have the array's element type and broadcast to the shape that reading would give. Where several meet in one place the
/// last in index order stays, and sums add in index order. An index, shape or type that is wrong writes nothing.
///
/// **When the store fails**: a local array is left as it was if a chunk cannot be read, decoded, encoded or written, because all
/// files are written beside the old ones first. Then each takes its place, in one step for each file: if that is interrupted,
/// some files are new and some old. Writes through one [`Array`] wait for each other. Two arrays, or two processes, that write
/// one file at a time are not held apart: one of the changes is lost.
///
/// Memory: the values (twice where they broadcast), and for each thread a chunk as it is and as it is encoded; of a sharded
/// array the old and the new shard.
impl Array {
    /// Writes values into what a plan touches: stored, or combined with what is there. Values are row-major of the plan's
    /// shape, or one.
    ///
    /// Errors: a plan of another grid, values of another shape or element type, kind `DType` for sums of elements that have
    /// none; files that cannot be read, decoded or written.
    pub fn write(&self, chunks: &Chunks, values: &AnyView<'_>, how: Option<Reduce>) -> Result<()> {
        match how {
            Some(Reduce::Mean) => self.reduce(chunks, values, Reduce::Mean, true),
            how => self.write_as(chunks, values, how.map_or(How::Store, How::Combine)),
        }
    }

    /// Combines all values that meet in a place at once: with what is there, or without (`include_self`). Means of integers are
    /// rounded down, and half floats are rounded once.
    ///
    /// Memory beyond that of [`Array::write`]: for each thread 16 bytes for each position in a chunk, and the values there.
    ///
    /// Errors as [`Array::write`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::chunks::Chunks;
    /// use takewise::{AnyView, Reduce, Rules, ix};
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let chunks = Chunks::index(x.grid(), &ix![&[5i64, 0, 5], 1], &Rules::NEUTRAL)?;
    /// x.reduce(&chunks, &AnyView::from(&[1f32, 2.0, 4.0]), Reduce::Mean, false)?;
    /// assert_eq!(x.index(&ix![&[5i64, 0], 1])?.to_vec::<f32>()?, [2.5, 2.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn reduce(&self, chunks: &Chunks, values: &AnyView<'_>, how: Reduce, include_self: bool) -> Result<()> {
        // Elements that have none of it are refused before anything is touched.
        let one = Tensor::zeroed(&[1], self.dtype())?;
        let source = Tensor::zeroed(&[1], self.dtype())?;
        let mut open = one.write_any()?;
        let source = source.read_any()?;
        ops::scatter_reduce_(&mut open.view_mut(), 0, &[0usize], source.view(), how, include_self, &Rules::NEUTRAL)?;
        self.write_as(chunks, values, How::Reduce(how, include_self))
    }

    fn write_as(&self, chunks: &Chunks, values: &AnyView<'_>, how: How) -> Result<()> {
        if values.dtype() != self.dtype() {
            let text = format!("takes values of {}, not of {}", self.dtype().name(), values.dtype().name());
            return Err(Error::values(self.name(), text));
        }
        let (wanted, given) = (chunks.shape(), values.shape());
        if given == wanted && values.layout().is_contiguous(self.dtype().size()) || given.is_empty() {
            return crate::write::write(self, chunks, values.clone(), how);
        }
        let spare = given.len().saturating_sub(wanted.len());
        let mut values = values.clone();
        for _ in (0..spare).take_while(|_| given.first() == Some(&1)) {
            values = values.select(0, 0)?;
        }
        let shape: Vec<i64> = wanted.iter().map(|&n| n as i64).collect();
        let spread = values.expand(&shape).map_err(|_| {
            Error::values(self.name(), format!("values of shape {given:?} do not broadcast to {wanted:?}"))
        })?;
        let spread = ops::index(&spread, &[], &Rules::NEUTRAL)?;
        crate::write::write(self, chunks, spread.read_any()?.view().clone(), how)
    }

    /// `self[items] = values`, by NumPy's rules. Errors as [`Array::index`] and [`Array::write`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::ix;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let rows = [5i64, 0, 5];
    /// x.set(&ix![&rows, 1], &[7f32, 8.0, 9.0])?;
    /// assert_eq!(x.index(&ix![&[5i64, 0], 1])?.to_vec::<f32>()?, [9.0, 8.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn set<'a>(&self, items: &[Index<'_>], values: impl Into<AnyView<'a>>) -> Result<()> {
        self.write(&Chunks::index(&self.grid, items, &Rules::NEUTRAL)?, &values.into(), None)
    }

    /// [`Array::set`] at the cross product of the index arrays, as [`Array::oindex`] reads.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::{View, ix};
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// x.oindex_set(&ix![&[5i64, 0], &[4i64, 1]], &View::new(&[1f32, 2.0], &[1, 2])?)?;
    /// assert_eq!(x.vindex(&ix![&[5i64, 0], &[4i64, 1]])?.to_vec::<f32>()?, [1.0, 2.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn oindex_set<'a>(&self, items: &[Index<'_>], values: impl Into<AnyView<'a>>) -> Result<()> {
        self.write(&Chunks::oindex(&self.grid, items, &Rules::NEUTRAL)?, &values.into(), None)
    }

    /// [`Array::set`] at the points that the index arrays name together, as [`Array::vindex`] reads.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::{View, ix};
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// x.vindex_set(&ix![&[5i64, 0], &[4i64, 1]], &[7f32, 8.0])?;
    /// assert_eq!(x.vindex(&ix![&[5i64, 0], &[4i64, 1]])?.to_vec::<f32>()?, [7.0, 8.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn vindex_set<'a>(&self, items: &[Index<'_>], values: impl Into<AnyView<'a>>) -> Result<()> {
        self.write(&Chunks::vindex(&self.grid, items, &Rules::NEUTRAL)?, &values.into(), None)
    }

    /// Combines values into `self[items]`, once for every time a place is named (`numpy.add.at` and its like). Half floats are
    /// rounded after each step. Errors as [`Array::set`].
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::{Reduce, ix};
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let rows = [5i64, 0, 5];
    /// x.accumulate(&ix![&rows, 1], &[1f32, 2.0, 3.0], Reduce::Sum)?;
    /// assert_eq!(x.index(&ix![&[5i64, 0], 1])?.to_vec::<f32>()?, [30.0, 3.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn accumulate<'a>(&self, items: &[Index<'_>], values: impl Into<AnyView<'a>>, how: Reduce) -> Result<()> {
        self.write(&Chunks::index(&self.grid, items, &Rules::NEUTRAL)?, &values.into(), Some(how))
    }

    /// Elements by row-major position (`numpy.put`, but that values are not repeated: they broadcast to the index).
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::View;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// x.put(&[29i64, 0, -1], &[7f32, 8.0, 9.0])?;
    /// assert_eq!(x.take(&[29i64, 0], None)?.to_vec::<f32>()?, [9.0, 8.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn put<'a, 'b>(&self, index: impl Into<AnyView<'a>>, values: impl Into<AnyView<'b>>) -> Result<()> {
        let index = index.into();
        if self.shape().is_empty() {
            let whole = self.index(&[])?;
            let values = values.into();
            ops::put_(&mut whole.write_any()?.view_mut(), index, &values, false, &Rules::NEUTRAL)?;
            return self.set(&[], whole.read_any()?.view().clone());
        }
        self.write(&self.plan_take(&index, None)?, &values.into(), None)
    }

    /// `numpy.put_along_axis`: where [`Array::take_along_axis`] would read.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// # use takewise::View;
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let index = [0i64, 1, 2, 3, 4, 0];
    /// x.put_along_axis(&View::new(&index, &[6, 1])?, &View::new(&[-1f32], &[1, 1])?, 1)?;
    /// assert_eq!(x.take_along_axis(&View::new(&index, &[6, 1])?, 1)?.to_vec::<f32>()?, [-1.0; 6]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn put_along_axis<'a, 'b>(
        &self,
        index: impl Into<AnyView<'a>>,
        values: impl Into<AnyView<'b>>,
        axis: i64,
    ) -> Result<()> {
        self.write(&self.plan_take_along(&index.into(), axis)?, &values.into(), None)
    }

    /// Values to the places that the index names along `axis`, stored or combined: `scatter`, `scatter_add` and `scatter_reduce`
    /// of PyTorch's (with `include_self` false by [`Array::reduce`] and [`Array::plan_scatter`]). The index has as many axes as the array, and no more places along the others; values broadcast to it.
    ///
    /// ```
    /// # let folder = takewise_zarr::example();
    /// use takewise::{Reduce, View};
    /// let x = takewise_zarr::Array::open(folder.path())?;
    /// let (index, ones) = ([5i64, 5, 0], [1f32; 3]);
    /// x.scatter(0, &View::new(&index, &[3, 1])?, &View::new(&ones, &[3, 1])?, Some(Reduce::Sum))?;
    /// assert_eq!(x.index(&takewise::ix![.., 0])?.to_vec::<f32>()?, [1.0, 5.0, 10.0, 15.0, 20.0, 27.0]);
    /// # Ok::<(), takewise_zarr::Error>(())
    /// ```
    pub fn scatter<'a, 'b>(
        &self,
        axis: i64,
        index: impl Into<AnyView<'a>>,
        values: impl Into<AnyView<'b>>,
        how: Option<Reduce>,
    ) -> Result<()> {
        self.write(&self.plan_scatter(&index.into(), axis)?, &values.into(), how)
    }
}
