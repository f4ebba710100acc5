//! takewise's own functions: the operations of the catalogue, each under its names.

use takewise::internal::Once;

use crate::run::own;
use crate::sig::{Form, Row, row};

/// A row for each function. What its arguments are is for the operation to say, so any are taken here.
pub(super) fn rows() -> &'static [Row] {
    static ROWS: Once<Vec<Row>> = Once::new();
    ROWS.get_or_make(|| {
        let made = takewise_operations::all().map(|entry| {
            let signature = entry.signature();
            let parameters: &'static str = String::leak(signature[1..signature.len() - 1].to_owned());
            row(Form::Function, entry.name, parameters, own::call)
        });
        made.collect()
    })
}
