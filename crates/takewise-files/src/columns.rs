//! Which columns of a table a name means: the same in every door and every format of tables.

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
