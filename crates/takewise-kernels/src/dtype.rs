//! The type of one element, and sets of types.

/// The type of one element.
///
/// Names follow NumPy and torch. Sizes are in bytes. `Opaque` is a plain record that is only moved.
///
/// ```
/// use takewise::DType;
/// assert_eq!(DType::BF16.size(), 2);
/// assert_eq!(DType::C64.name(), "complex64");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
    /// A `Copy` record of `size` bytes, known only by its bytes. Two with different tags are different dtypes, whatever
    /// their sizes; tag 0 is a record of a Rust program's own.
    Opaque {
        size: u32,
        align: u16,
        tag: u32,
    },
}

/// Every dtype with a meaning, in promotion-table order.
pub const DTYPES: [DType; 15] = [
    DType::Bool,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F16,
    DType::BF16,
    DType::F32,
    DType::F64,
    DType::C64,
    DType::C128,
];

impl DType {
    /// The dtype of a `Copy` record that is only moved.
    ///
    /// ```
    /// use takewise::DType;
    /// assert_eq!(DType::opaque::<(u32, u8)>().size(), size_of::<(u32, u8)>());
    /// ```
    #[inline]
    pub const fn opaque<T>() -> DType {
        DType::Opaque { size: size_of::<T>() as u32, align: align_of::<T>() as u16, tag: 0 }
    }

    /// The dtype called `name` that some other library has, of so many bytes: moved here as it is, and equal to itself
    /// alone. `None` if an element is too large.
    ///
    /// ```
    /// use takewise::DType;
    /// let (days, seconds) = (DType::foreign("datetime64[D]", 8).unwrap(), DType::foreign("datetime64[s]", 8).unwrap());
    /// assert!(days != seconds && days == DType::foreign("datetime64[D]", 8).unwrap());
    /// assert_eq!((days.name(), days.size()), ("datetime64[D]", 8));
    /// ```
    pub fn foreign(name: &str, size: usize) -> Option<DType> {
        crate::tags::named(name, size)
    }

    /// The same numbers with their bytes in the other order; of one byte, the same dtype. A record stays what it is.
    ///
    /// ```
    /// use takewise::DType;
    /// let big = DType::F64.swapped();
    /// assert_eq!((big.size(), big.native(), big.swapped()), (8, DType::F64, DType::F64));
    /// assert!(big != DType::F64 && DType::U8.swapped() == DType::U8);
    /// ```
    #[inline]
    pub const fn swapped(self) -> DType {
        match self {
            DType::Opaque { .. } => self.native(),
            known if known.size() == 1 => known,
            known => DType::Opaque { size: known.size() as u32, align: 1, tag: 1 + known.place() as u32 },
        }
    }

    /// The dtype of the same numbers in this machine's byte order; any other dtype is its own.
    ///
    /// ```
    /// use takewise::DType;
    /// assert_eq!(DType::I32.swapped().native(), DType::I32);
    /// ```
    #[inline]
    pub const fn native(self) -> DType {
        match self {
            DType::Opaque { tag: tag @ 1..=15, .. } => DTYPES[tag as usize - 1],
            other => other,
        }
    }

    /// Whether elements can only be moved: a record, or a dtype that only another library can compute with.
    ///
    /// ```
    /// use takewise::DType;
    /// assert!(DType::opaque::<[u8; 3]>().is_foreign() && !DType::F64.swapped().is_foreign());
    /// ```
    #[inline]
    pub const fn is_foreign(self) -> bool {
        matches!(self.native(), DType::Opaque { .. })
    }

    /// How many bytes change places when the byte order changes: a number, or one part of a complex one.
    #[doc(hidden)]
    #[inline]
    pub const fn unit(self) -> usize {
        let plain = self.native();
        if plain.is_complex() { plain.size() / 2 } else { plain.size() }
    }

    /// Bytes of one element.
    ///
    /// ```
    /// assert_eq!(takewise::DType::C128.size(), 16);
    /// ```
    #[inline]
    pub const fn size(self) -> usize {
        // By place: a small call asks dozens of times, and a table answers faster than a jump.
        const SIZES: [u8; 15] = [1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16];
        match self {
            DType::Opaque { size, .. } => size as usize,
            known => SIZES[known.place()] as usize,
        }
    }

    /// The lower-case name NumPy and torch share, such as `"int64"` or `"bfloat16"`; of a swapped one NumPy's code for it,
    /// such as `">f8"`; of another library's the name it was given.
    ///
    /// ```
    /// assert_eq!(takewise::DType::F16.name(), "float16");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::U8 => "uint8",
            DType::U16 => "uint16",
            DType::U32 => "uint32",
            DType::U64 => "uint64",
            DType::I8 => "int8",
            DType::I16 => "int16",
            DType::I32 => "int32",
            DType::I64 => "int64",
            DType::F16 => "float16",
            DType::BF16 => "bfloat16",
            DType::F32 => "float32",
            DType::F64 => "float64",
            DType::C64 => "complex64",
            DType::C128 => "complex128",
            DType::Opaque { tag, .. } => crate::tags::name_of(tag),
        }
    }

    /// The dtype of a name as written by [`DType::name`], torch's aliases (`long`, `int`, `float`,
    /// `half`, ...) included.
    ///
    /// ```
    /// use takewise::DType;
    /// assert_eq!(DType::from_name("long"), Some(DType::I64));
    /// assert_eq!(DType::from_name("quad"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<DType> {
        let alias = match name {
            "byte" => "uint8",
            "short" => "int16",
            "int" => "int32",
            "long" => "int64",
            "half" => "float16",
            "float" => "float32",
            "double" => "float64",
            "cfloat" => "complex64",
            "cdouble" => "complex128",
            "bool_" => "bool",
            other => other,
        };
        DTYPES.into_iter().find(|d| d.name() == alias)
    }

    /// Signed or unsigned integer (`bool` is not one), in either byte order, as in all questions about kinds.
    ///
    /// ```
    /// use takewise::DType;
    /// assert!(DType::U8.is_integer() && !DType::Bool.is_integer());
    /// ```
    #[inline]
    pub const fn is_integer(self) -> bool {
        self.is_signed_integer() || self.is_unsigned_integer()
    }

    /// `u8` to `u64`.
    ///
    /// ```
    /// use takewise::DType;
    /// assert!(DType::U8.is_unsigned_integer() && !DType::I8.is_unsigned_integer());
    /// ```
    #[inline]
    pub const fn is_unsigned_integer(self) -> bool {
        matches!(self.native(), DType::U8 | DType::U16 | DType::U32 | DType::U64)
    }

    /// `i8` to `i64`.
    ///
    /// ```
    /// use takewise::DType;
    /// assert!(DType::I8.is_signed_integer() && !DType::U8.is_signed_integer());
    /// ```
    #[inline]
    pub const fn is_signed_integer(self) -> bool {
        matches!(self.native(), DType::I8 | DType::I16 | DType::I32 | DType::I64)
    }

    /// `f16`, `bf16`, `f32` or `f64`.
    ///
    /// ```
    /// use takewise::DType;
    /// assert!(DType::BF16.is_float() && !DType::C64.is_float());
    /// ```
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self.native(), DType::F16 | DType::BF16 | DType::F32 | DType::F64)
    }

    /// `complex64` or `complex128`.
    ///
    /// ```
    /// assert!(takewise::DType::C64.is_complex());
    /// ```
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self.native(), DType::C64 | DType::C128)
    }

    /// A bit for sets of dtypes ([`DTypeSet`]).
    #[inline]
    const fn bit(self) -> u32 {
        1 << self.place()
    }

    /// Its place among all dtypes, records last; of swapped numbers that of their dtype.
    #[inline]
    const fn place(self) -> usize {
        match self {
            DType::Bool => 0,
            DType::U8 => 1,
            DType::U16 => 2,
            DType::U32 => 3,
            DType::U64 => 4,
            DType::I8 => 5,
            DType::I16 => 6,
            DType::I32 => 7,
            DType::I64 => 8,
            DType::F16 => 9,
            DType::BF16 => 10,
            DType::F32 => 11,
            DType::F64 => 12,
            DType::C64 => 13,
            DType::C128 => 14,
            DType::Opaque { tag: tag @ 1..=15, .. } => tag as usize - 1,
            DType::Opaque { .. } => 15,
        }
    }
}

/// A set of dtypes, as one word: which types an operation accepts is data.
///
/// ```
/// use takewise::{DType, DTypeSet};
/// let signed = DTypeSet::of(&[DType::I32, DType::I64]).with(DType::I8);
/// assert!(signed.has(DType::I8) && !signed.has(DType::U8));
/// assert_eq!(signed.without(DTypeSet::of(&[DType::I64])).iter().count(), 2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// Every dtype, records included.
    pub const ALL: DTypeSet = DTypeSet(0xffff);
    /// Every integer dtype.
    pub const INTEGERS: DTypeSet = DTypeSet(0x1fe);

    /// The set of the dtypes listed.
    pub const fn of(list: &[DType]) -> DTypeSet {
        let mut bits = 0;
        let mut i = 0;
        while i < list.len() {
            bits |= list[i].bit();
            i += 1;
        }
        DTypeSet(bits)
    }

    /// This set without the dtypes of another.
    #[inline]
    pub const fn without(self, other: DTypeSet) -> DTypeSet {
        DTypeSet(self.0 & !other.0)
    }

    /// This set and one more dtype.
    #[inline]
    pub const fn with(self, dtype: DType) -> DTypeSet {
        DTypeSet(self.0 | dtype.bit())
    }

    /// Whether a dtype is in the set; swapped numbers are where theirs is.
    #[inline]
    pub const fn has(self, dtype: DType) -> bool {
        self.0 & dtype.bit() != 0
    }

    /// The named dtypes of the set, in table order.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DTYPES.into_iter().filter(move |d| self.has(*d))
    }
}
