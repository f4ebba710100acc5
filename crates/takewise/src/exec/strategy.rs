//! Every way there is to run a plan. When each serves, and its name and reason, are told in [`choose`](super::choose).

/// A way to run a plan, in the order in which they are tried.
///
/// ```
/// use takewise::strategy::Strategy;
/// assert_eq!(Strategy::Small.reason(), "at most 32 positions: all are resolved and checked on the stack, then moved");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Strategy {
    /// Nothing moves.
    Nothing,
    /// Up to 32 positions, on the stack.
    Small,
    /// Pieces of a file are asked for, in the order in which they lie there.
    Fetch,
    /// Words of a mask pack, spread or fill whole rows.
    MaskWords,
    /// The identity of a reduction is stored first, then values are combined in place.
    StartValues,
    /// A counter, and where needed a wide sum, for every place.
    Dense,
    /// Positions sorted by the place they name.
    Sorted,
    /// Only the last position that names a place is stored.
    LastPosition,
    /// The write goes into a copy of the destination, which is put back.
    ShadowCopy,
    /// Strips of columns are packed, indexed and put back.
    Strips,
    /// Writes are sorted into buckets of neighbouring places first.
    Partition,
    /// Index values are checked and written by in one pass.
    FusedWrite,
    /// Writes in blocks of 64 positions, the next block resolved ahead.
    ShortBlocks,
    /// Two axes are exchanged in square blocks.
    Transpose,
    /// Index values are checked and read by in one pass.
    FusedRead,
    /// One list of offsets serves many rows.
    SharedOffsets,
    /// Blocks of offsets, for every plan that nothing above serves.
    Blocks,
}

impl Strategy {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Strategy; 16] = [
        Strategy::Small,
        Strategy::Fetch,
        Strategy::MaskWords,
        Strategy::StartValues,
        Strategy::Dense,
        Strategy::Sorted,
        Strategy::LastPosition,
        Strategy::ShadowCopy,
        Strategy::Strips,
        Strategy::Partition,
        Strategy::FusedWrite,
        Strategy::ShortBlocks,
        Strategy::Transpose,
        Strategy::FusedRead,
        Strategy::SharedOffsets,
        Strategy::Blocks,
    ];

    /// Its place among [`Strategy::ALL`].
    pub(super) const fn number(self) -> usize {
        // `Nothing` comes first and is not one of them.
        (self as usize).saturating_sub(1)
    }
}
