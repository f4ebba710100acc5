//! Keys that people read in two ways: index arrays and integers with slices between them, as in `x[0, :, i]`.

use std::sync::atomic::{AtomicBool, Ordering};

use takewise::error::ArgumentRule;
use takewise::index::rules::{LoneInt, Rules};
use takewise::index::{Item, normalize};
use takewise::op::Op;
use takewise::{AnyView, DType, Fault, Index, Result, Slice, Tensor};

/// What is done with such keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixed {
    /// They mean what they mean in NumPy: the axes of the index arrays come first.
    Front,
    /// They are refused.
    Refuse,
}

/// The words for it.
pub const MIXED: &[(&str, Mixed)] = &[("front", Mixed::Front), ("refuse", Mixed::Refuse)];

static REFUSED: AtomicBool = AtomicBool::new(false);

impl Mixed {
    /// What holds in this process where a call says nothing.
    pub fn of_process() -> Mixed {
        if REFUSED.load(Ordering::Relaxed) { Mixed::Refuse } else { Mixed::Front }
    }

    /// Has it hold.
    pub fn set(self) {
        REFUSED.store(self == Mixed::Refuse, Ordering::Relaxed);
    }

    /// Fails for a key that can be read in two ways, if such are refused. Costs nothing otherwise.
    ///
    /// # Errors
    /// Both readings, with their shapes, and how each is written so that nobody misreads it.
    #[inline]
    pub fn check(self, op: Op, x: &Tensor, items: &[Index<'_>], rules: &Rules) -> Result<()> {
        // The page says how a key is read, and its engine is small.
        if cfg!(target_family = "wasm") || self == Mixed::Front || !separated(items) {
            Ok(())
        } else {
            refused(op, x, items, rules)
        }
    }
}

fn is_array(item: &Index<'_>) -> bool {
    matches!(item, Index::Array(_) | Index::Tensor(_) | Index::Bool(_))
}

/// Whether anything stands between the first and the last integer or array of a key that has an array.
fn separated(items: &[Index<'_>]) -> bool {
    let joins = |item: &Index<'_>| is_array(item) || matches!(item, Index::Int(_));
    let (first, last) = (items.iter().position(joins), items.iter().rposition(joins));
    let (Some(first), Some(last)) = (first, last) else { return false };
    items.iter().any(is_array) && items[first..last].iter().any(|item| !joins(item))
}

#[cold]
fn refused(op: Op, x: &Tensor, items: &[Index<'_>], rules: &Rules) -> Result<()> {
    let guards = items.iter().map(|item| match item {
        Index::Tensor(tensor) => tensor.read_any().map(Some),
        _ => Ok(None),
    });
    let guards: Vec<_> = guards.collect::<Result<_>>()?;
    let open = items.iter().zip(&guards).map(|(item, guard)| match (item, guard) {
        (_, Some(guard)) => Item::Array(guard.view()),
        (item, None) => item.map(|array| Item::Array(array.clone()), |_| Item::Ellipsis),
    });
    let open: Vec<Item<AnyView<'_>, &Tensor>> = open.collect();
    let shape = |lone_int| {
        let found = normalize(op, x.layout(), x.dtype().size(), &open, &Rules { lone_int, ..*rules })?;
        Ok((found.shape().to_vec(), found.index_shape.is_empty()))
    };
    let (front, one) = shape(LoneInt::JoinsArrays)?;
    if one {
        return Ok(());
    }
    let place = shape(LoneInt::SelectsFirst)?.0;
    let first = format!(
        "the key can be read in two ways. As NumPy reads it, all integers and arrays name points together, whose axes come first, \
         as slices stand between them: shape {front:?}, written vindex(x, key)"
    );
    let second = match place == front {
        true => format!(
            "every array stands for an axis of its own: shape {:?}, written oindex(x, key)",
            outer(op, x, &open, rules)?
        ),
        false => format!(
            "integers are taken first, and the array's axes stay where it is, as PyTorch reads it: shape {place:?}, written as two \
             subscripts, the integers in the first"
        ),
    };
    let text = format!(
        "{first}. Or {second}. mixed=\"front\" asks for the first reading; `takewise explain --dialects` shows what each library reads"
    );
    Err(rules.fail(Fault::text(op, ArgumentRule::Other, &text)))
}

/// The shape where each array stands for an axis of its own: its shape in place of the axes it covers.
fn outer(op: Op, x: &Tensor, items: &[Item<AnyView<'_>, &Tensor>], rules: &Rules) -> Result<Vec<usize>> {
    let covered = |array: &AnyView<'_>| if array.dtype() == DType::Bool { array.rank() } else { 1 };
    let mut plain = Vec::new();
    for item in items {
        match item {
            Item::Array(array) => plain.extend((0..covered(array)).map(|_| Item::Range(Slice::ALL))),
            Item::Bool(_) => {}
            other => plain.push(other.map(|view| Item::Array(view.clone()), |tensor| Item::Tensor(*tensor))),
        }
    }
    let whole = normalize(op, x.layout(), x.dtype().size(), &plain, rules)?.shape();
    let named = items.iter().filter(|item| !matches!(item, Item::Ellipsis | Item::Int(_) | Item::Bool(_)));
    let axes: usize = named.map(|item| if let Item::Array(array) = item { covered(array) } else { 1 }).sum();
    let (mut kept, mut shape) = (whole.iter().copied(), Vec::new());
    for item in items {
        match item {
            Item::Int(_) | Item::Bool(_) => {}
            Item::Ellipsis => shape.extend(kept.by_ref().take(whole.len().saturating_sub(axes))),
            Item::Array(array) => {
                kept.by_ref().take(covered(array)).for_each(drop);
                match array.dtype() {
                    DType::Bool => shape.push(takewise::ops::nonzero(array, rules)?.shape()[0]),
                    _ => shape.extend(array.shape()),
                }
            }
            _ => shape.extend(kept.next()),
        }
    }
    Ok(shape.into_iter().chain(kept).collect())
}
