//! `docs/DIALECTS.md`, printed from the constants.

use super::{ABSENT, DIFFERS, Dialect};
use std::fmt::Write;
use takewise::dtype::{DTYPES, DType, DTypeSet};
use takewise::index::rules::*;

/// What each library calls an operation (torch, NumPy, MindSpore, JAX, ONNX); empty where it has none.
const CALLED: &[(&str, &str, [&str; 5])] = &[
    ("get", "Subscripts, read", ["x[...]", "x[...]", "x[...]", "x[...], x.at[...].get()", ""]),
    ("set", "Subscripts, written", ["x[...] = v", "x[...] = v", "x[...] = v", "x.at[...].set(v)", ""]),
    ("views", "Views and assignment to them", ["x[1:3] = v", "x[1:3] = v", "x[1:3] = v", "x.at[1:3].set(v)", ""]),
    ("gather", "gather", ["gather", "", "gather(dim, index), gather_elements", "", "GatherElements"]),
    ("take_along", "take_along_dim", ["take_along_dim(dim)", "take_along_axis", "", "take_along_axis", ""]),
    ("take", "take", ["take", "take", "take", "take", ""]),
    ("put", "put", ["put", "put", "", "put", ""]),
    ("index_select", "index_select", ["index_select", "take(axis)", "index_select", "take(axis)", ""]),
    ("index_add", "index_add", ["index_add", "add.at", "index_add", "x.at[...].add", ""]),
    ("index_copy", "index_copy", ["index_copy", "", "", "", ""]),
    ("index_fill", "index_fill", ["index_fill", "", "index_fill", "", ""]),
    ("index_put", "index_put", ["index_put", "", "index_put", "", ""]),
    ("index_reduce", "index_reduce", ["index_reduce", "ufunc.at", "", "x.at[...].min, .max, .multiply", ""]),
    ("masked_select", "masked_select", ["masked_select", "", "masked_select", "", ""]),
    ("masked_fill", "masked_fill", ["masked_fill", "", "masked_fill", "", ""]),
    ("masked_scatter", "masked_scatter", ["masked_scatter", "", "masked_scatter", "", ""]),
    (
        "scatter",
        "scatter",
        ["scatter", "put_along_axis", "scatter, tensor_scatter_elements", "put_along_axis", "ScatterElements"],
    ),
    ("scatter_add", "scatter_add", ["scatter_add", "", "tensor_scatter_elements('add')", "", "ScatterElements(add)"]),
    ("scatter_reduce", "scatter_reduce, sum and prod", ["scatter_reduce", "", "", "", "ScatterElements(mul)"]),
    ("scatter_mean", "scatter_reduce, mean", ["scatter_reduce('mean')", "", "", "", ""]),
    (
        "scatter_extreme",
        "scatter_reduce, amax and amin",
        ["scatter_reduce('amax')", "", "", "", "ScatterElements(max)"],
    ),
    ("gather_axis", "gather with axis and batch_dims", ["", "", "gather(indices, axis, batch_dims)", "", "Gather"]),
    ("gather_nd", "gather_nd", ["", "", "gather_nd", "", "GatherND"]),
    ("scatter_nd", "scatter_nd", ["", "", "scatter_nd, tensor_scatter_update and kin", "", "ScatterND"]),
    (
        "search",
        "searchsorted",
        ["searchsorted, bucketize", "searchsorted, digitize", "searchsorted", "searchsorted, digitize", ""],
    ),
    ("sort", "sort", ["sort, argsort", "sort, argsort", "sort, argsort", "sort, argsort", ""]),
    ("nonzero", "nonzero", ["nonzero, argwhere", "nonzero", "nonzero", "nonzero", ""]),
    ("where_", "where", ["where", "where", "where", "where", ""]),
];

/// A column: its title, and a cell from a row's rules.
type Column = (&'static str, fn(&Rules) -> String);

const COMMON: &[Column] = &[
    ("negative values", |r| {
        match r.sign {
            Sign::FromEnd => "from the end",
            Sign::NonNegative => "outside",
        }
        .into()
    }),
    ("outside", |r| outside(r.outside)),
    ("index dtypes", |r| set(r.indices)),
    ("data dtypes", |r| set(r.data)),
    ("overlap", |r| {
        word(
            r.overlap,
            &[
                (Overlap::CopyInput, "operand copied"),
                (Overlap::Refuse, "dense operands refused"),
                (Overlap::RefusePartial, "dense operands refused unless identical"),
                (Overlap::RefuseData, "dense operands refused, an index unless identical"),
            ],
        )
    }),
];

/// Columns that say something only about some operations.
#[expect(clippy::too_many_lines)] // a table
fn extra(field: &str) -> &'static [Column] {
    match field {
        "get" => &[
            ("an integer beside arrays", |r| lone_int(r).into()),
            ("`u8` arrays", |r| {
                if r.byte_masks {
                    "masks"
                } else if r.indices.has(DType::U8) {
                    "integers"
                } else {
                    "refused"
                }
                .into()
            }),
            ("negative step", |r| yes(r.negative_step).into()),
            ("second ellipsis", |r| yes(r.many_ellipses).into()),
            ("ellipsis of no axes", |r| if r.ellipsis_splits { "separates arrays" } else { "is nothing" }.into()),
            ("mask axes of extent 0", |r| if r.empty_masks_fit { "fit any axis" } else { "fit their like" }.into()),
            ("empty result", |r| empty(r).into()),
            ("copy in memory", |r| {
                word(
                    r.copies,
                    &[
                        (CopyOrder::RowMajor, "row-major"),
                        (CopyOrder::LikeOperands, "as the operands lie"),
                        (CopyOrder::IndexFirst, "index axes outermost"),
                    ],
                )
            }),
        ],
        "set" => &[
            ("value dtype", |r| same(r).into()),
            ("numbers", conversion),
            ("value for a whole mask", |r| match r.assign.mask_value {
                MaskValue::Broadcasts => "broadcasts".into(),
                MaskValue::Vector => "rank 0 or 1".into(),
            }),
            ("`x[False] = v`", |r| {
                word(
                    r.assign.false_index,
                    &[
                        (FalseIndex::Unchecked, "no-op, shape unchecked"),
                        (FalseIndex::Checked, "no-op, shape checked"),
                        (FalseIndex::Refuse, "refused"),
                    ],
                )
            }),
            ("number through a `u8` mask", |r| yes(!r.byte_masks || r.assign.byte_fill).into()),
            ("a number through one array or mask", |r| {
                match r.assign.fills.iter().map(DType::name).collect::<Vec<_>>() {
                    names if names.is_empty() => "fails as a store does".into(),
                    names => format!("fails as a fill does: {}", names.join(" ")),
                }
            }),
            ("one element through a mask", |r| {
                if r.assign.one_is_number { "converted as a number" } else { "cast or refused as any value" }.into()
            }),
            ("extra leading 1s of the value", |r| if r.assign.drops_ones { "dropped" } else { "refused" }.into()),
            ("array for `x[0, 1]`", |r| if r.assign.element_takes_array { "one element" } else { "rank 0" }.into()),
            ("duplicates", |r| duplicates(r).into()),
        ],
        "take_along" => &[
            ("off the axis", |r| extent(r).into()),
            ("empty index", |r| empty(r).into()),
            ("outside, without an axis", |r| outside(r.flat.map_or(r.outside, |f| f.outside))),
        ],
        "gather" => &[("off the axis", |r| extent(r).into()), ("empty index", |r| empty(r).into())],
        "put" => &[
            ("fewer values than places", |r| match r.short_values {
                ShortValues::Refuse => "refused".into(),
                ShortValues::Repeat => "repeated".into(),
            }),
            ("duplicates", |r| duplicates(r).into()),
        ],
        "index_reduce" => &[("value dtype", |r| same(r).into()), ("data dtypes, whole slices", slices)],
        "scatter_extreme" => &[("without `include_self`", |r| set(r.excluding))],
        "scatter_reduce" | "scatter_mean" => &[
            ("value dtype", |r| same(r).into()),
            ("half-precision sums", width),
            ("without `include_self`", |r| set(r.excluding)),
        ],
        "index_add" => &[
            ("value dtype", |r| same(r).into()),
            ("data dtypes, whole slices", slices),
            ("half-precision sums", width),
        ],
        "scatter_add" => &[("value dtype", |r| same(r).into()), ("half-precision sums", width)],
        "scatter" => &[
            ("off the axis", |r| extent(r).into()),
            ("value dtype", |r| same(r).into()),
            ("numbers", conversion),
            ("duplicates", |r| duplicates(r).into()),
        ],
        "index_copy" | "index_fill" | "index_put" | "masked_fill" | "masked_scatter" | "scatter_nd" | "views" => {
            &[("value dtype", |r| same(r).into()), ("numbers", conversion)]
        }
        "search" => &[
            ("NaN in the sequence", |r| match r.order {
                NanOrder::Unordered => "compares false: go right".into(),
                NanOrder::Last => "sorts last".into(),
            }),
            ("mixed dtypes compare", |r| {
                word(
                    r.search.compare,
                    &[
                        (Compare::Exact, "exactly"),
                        (Compare::Promoted, "in the promoted dtype"),
                        (Compare::Double, "in f64 or exactly"),
                        (Compare::Same, "refused"),
                    ],
                )
            }),
            ("take the sequence's dtype", |r| {
                word(
                    r.search.weak,
                    &[
                        (Weak::Never, "nothing"),
                        (Weak::Numbers, "plain numbers"),
                        (Weak::ZeroDim, "plain numbers and 0-d arrays"),
                    ],
                )
            }),
            ("sequences of rank > 1", |r| if r.search.batched { "batched" } else { "refused" }.into()),
            ("result", |r| if r.search.int32 { "int32" } else { "int64" }.into()),
        ],
        "nonzero" => &[("0-d arrays", |r| yes(r.zero_dim == ZeroDim::OneAxis).into())],
        _ => &[],
    }
}

fn outside(policy: Outside) -> String {
    word(
        policy,
        &[
            (Outside::Raise, "error"),
            (Outside::Clip, "clipped"),
            (Outside::Wrap, "modulo the length"),
            (Outside::Fill, "fill value"),
            (Outside::Drop, "dropped"),
        ],
    )
}

fn slices(r: &Rules) -> String {
    let Some(s) = r.slices else { return "as elsewhere".into() };
    let (sum, prod, mean, extreme) = (set(s.sum), set(s.prod), set(s.mean), set(s.extreme));
    format!("sum: {sum}; prod: {prod}; mean: {mean}; amax, amin: {extreme}")
}

fn width(r: &Rules) -> String {
    word(
        r.accumulate,
        &[
            (Width::Native, "rounded at every step"),
            (Width::Wide, "in f32, rounded once"),
            (
                Width::WideAtEdges,
                "in f32 for unscaled rows along the first or last axis by an int64 index, else at every step",
            ),
        ],
    )
}

fn extent(r: &Rules) -> &'static str {
    match r.extent {
        Extent::Equal => "equal",
        Extent::AtMost => "index at most as large",
        Extent::Broadcast => "both broadcast",
    }
}

fn lone_int(r: &Rules) -> &'static str {
    match r.lone_int {
        LoneInt::SelectsFirst => "selects first",
        LoneInt::JoinsArrays => "counts as an array",
    }
}

fn empty(r: &Rules) -> &'static str {
    match r.empty {
        Empty::StillChecks => "values still checked",
        Empty::Forgives => "values not checked",
    }
}

fn same(r: &Rules) -> &'static str {
    if r.same_dtype { "must be equal" } else { "cast" }
}

fn conversion(r: &Rules) -> String {
    word(
        r.conversion,
        &[
            (Conversion::RangeChecked, "checked; floats truncate, negatives wrap once in unsigned"),
            (Conversion::IntegersChecked, "integers checked, floats truncate"),
            (Conversion::Wrap, "wrap and truncate"),
            (Conversion::Saturate, "integers wrap, floats truncate and stop at the ends"),
        ],
    )
}

fn duplicates(r: &Rules) -> &'static str {
    match r.duplicates {
        Duplicates::Last => "last wins",
        Duplicates::First => "first wins",
        Duplicates::Error => "error",
    }
}

/// The words of a value; its name, if there are none yet.
fn word<T: PartialEq + std::fmt::Debug>(value: T, words: &[(T, &str)]) -> String {
    let found = words.iter().find(|(of, _)| *of == value);
    found.map_or_else(|| format!("{value:?}"), |(_, text)| (*text).into())
}

fn yes(b: bool) -> &'static str {
    if b { "yes" } else { "no" }
}

/// A set of dtypes in the fewest words.
fn set(of: DTypeSet) -> String {
    let names = |s: DTypeSet| s.iter().map(DType::name).collect::<Vec<_>>().join(" ");
    let missing: Vec<DType> = DTYPES.into_iter().filter(|d| !of.has(*d)).collect();
    if missing.is_empty() {
        "all".into()
    } else if of == DTypeSet::INTEGERS {
        "integers".into()
    } else if of == DTypeSet::INTEGERS.with(DType::Bool) {
        "integers, bool".into()
    } else if missing.len() <= 6 {
        format!("all but {}", names(DTypeSet::of(&missing)))
    } else {
        names(of)
    }
}

/// The page: one table per operation, then the deliberate differences.
///
/// ```
/// let page = takewise_dialects::rules::tables();
/// assert!(page.contains("## index_add") && page.contains("## Where we differ"));
/// ```
pub fn tables() -> String {
    let mut page = String::from(
        "# Dialects\n\n\
         What each library means by each operation. Printed from the constants in `takewise_dialects::rules` by\n\
         `cargo xtask dialects`; do not edit. Versions: PyTorch 2.15, NumPy 2.4, MindSpore 2.10, JAX 0.10, ONNX\n\
         opset 18, all on CPU. A row is what our dialect does; where that is deliberately not what the library\n\
         does, the last section says so.\n",
    );
    for (field, title, called) in CALLED {
        let columns: Vec<&Column> = COMMON.iter().chain(extra(field)).collect();
        let _ = write!(page, "\n## {title}\n\n| dialect | called |");
        columns.iter().for_each(|c| page += &format!(" {} |", c.0));
        page += "\n|---|---|";
        columns.iter().for_each(|_| page += "---|");
        page += "\n";
        for (dialect, name) in Dialect::ALL.iter().zip(called) {
            let rows = dialect.rows();
            let Some((_, rules)) = rows.iter().find(|(f, _)| f == field).filter(|_| !name.is_empty()) else { continue };
            let _ = write!(page, "| {} | `{name}` |", dialect.name);
            columns.iter().for_each(|c| page += &format!(" {} |", c.1(rules)));
            page += "\n";
        }
    }
    page += "\n## Where we differ\n\n\
             Where a library is silently wrong, depends on a race, or leaves a half-written array behind, we are\n\
             right on purpose.\n\n| dialect | operation | the library | takewise | why |\n|---|---|---|---|---|\n";
    for d in DIFFERS {
        let _ = writeln!(page, "| {} | {} | {} | {} | {} |", d.dialect, d.operation, d.reference, d.ours, d.reason);
    }
    page += "\n## Not here\n\n\
             Names of the libraries that have to do with indices, views or searches and are left to them.\n\
             `tools/python/missing.py` compares the list with the libraries installed.\n\n";
    for a in ABSENT {
        let names: Vec<String> = a.names.split_whitespace().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "* {}: {}. Why: {}.", a.dialect, names.join(", "), a.reason);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_table_and_every_table_an_operation() {
        let fields: Vec<&str> = Dialect::NEUTRAL.rows().iter().map(|r| r.0).collect();
        for (field, _, _) in CALLED {
            assert!(fields.contains(field), "{field}");
        }
        for field in fields {
            assert_eq!(CALLED.iter().filter(|c| c.0 == field).count(), 1, "{field}");
        }
        for d in DIFFERS {
            assert!(Dialect::named(d.dialect).is_some(), "{}", d.dialect);
            assert_ne!(d.reference, d.ours);
        }
        for a in ABSENT {
            assert!(Dialect::named(a.dialect).is_some(), "{}", a.dialect);
            assert!(a.names.split_whitespace().next().is_some() && !a.reason.is_empty());
        }
        let cells: Vec<usize> =
            tables().lines().filter(|l| l.starts_with('|')).map(|l| l.matches('|').count()).collect();
        assert!(cells.iter().all(|n| *n >= 6));
    }
}
