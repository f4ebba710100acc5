//! Tables: what they begin with, and which columns of one a name means, the same in every door and every format.

/// The forms of tables that are no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columnar {
    /// Parquet.
    Parquet,
    /// Arrow's IPC file, which is Feather too.
    Arrow,
    /// Arrow's IPC stream: the same messages, without a directory at the end.
    ArrowStream,
}

impl Columnar {
    /// The form that begins with these bytes, of which eight are enough. Tables that are encrypted, and Feather's first version, have
    /// one too.
    ///
    /// ```
    /// use takewise_files::Columnar;
    /// assert_eq!(Columnar::of_content(b"PAR1\x15\x04\x15\x20"), Some(Columnar::Parquet));
    /// assert_eq!(Columnar::of_content(b"ARROW1\0\0"), Some(Columnar::Arrow));
    /// assert_eq!(Columnar::of_content(b"\x93NUMPY\x01\0"), None);
    /// ```
    pub fn of_content(start: &[u8]) -> Option<Self> {
        match start {
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Self::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] | [b'F', b'E', b'A', b'1', ..] => Some(Self::Arrow),
            [0xff, 0xff, 0xff, 0xff, ..] => Some(Self::ArrowStream),
            _ => None,
        }
    }

    /// Its name: `parquet`, `arrow` or `arrow stream`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::ArrowStream => "arrow stream",
        }
    }
}

/// A column by its name in quotes, or by its place where it has none.
///
/// ```
/// use takewise_files::column_called;
/// assert_eq!((column_called(&["open"], 0), column_called(&[], 3)), ("'open'".into(), "3".into()));
/// ```
pub fn column_called(names: &[&str], at: usize) -> String {
    names.get(at).map_or_else(|| at.to_string(), |name| format!("'{name}'"))
}

/// The places of the columns that `key` names, of `count` with these names, or without names: one, or several with commas between
/// their names. A number that is no name is a place, from 0.
///
/// ```
/// use takewise_files::columns_named;
/// assert_eq!(columns_named(&["open", "close"], 2, "close"), Ok(vec![1]));
/// assert_eq!(columns_named(&["open", "close"], 2, "close,0"), Ok(vec![1, 0]));
/// assert_eq!(columns_named(&["open"], 1, "low").unwrap_err(), "has no column 'low'; it holds: open");
/// ```
///
/// # Errors
/// A column that is not there, a name that several have.
pub fn columns_named(names: &[&str], count: usize, key: &str) -> Result<Vec<usize>, String> {
    match place(names, count, key) {
        Ok(at) => Ok(vec![at]),
        Err(_) if key.contains(',') => key.split(',').map(|name| place(names, count, name)).collect(),
        Err(text) => Err(text),
    }
}

/// The column of a name, or of a number that is no name.
fn place(names: &[&str], count: usize, name: &str) -> Result<usize, String> {
    let mut named = names.iter().enumerate().filter(|(_, n)| **n == name).map(|(at, _)| at);
    match (named.next(), named.next()) {
        (Some(at), None) => Ok(at),
        (Some(_), Some(_)) => Err(format!("has several columns '{name}'; give the number of one")),
        (None, _) => name.parse().ok().filter(|&at| at < count).ok_or_else(|| match names.is_empty() {
            true => format!("has no column '{name}'; it has {count}, without names, from 0"),
            false => format!("has no column '{name}'; it holds: {}", names.join(", ")),
        }),
    }
}
