//! What expressions do with arrays that are not in memory: which parts of them are read.
//!
//! Subscripts go to the store as they are. Of a function that only picks elements, the library's own function is asked which: it
//! is run on the positions along each axis in the place of the elements. Everything else is run on what it is given, read into
//! memory.

use std::rc::Rc;

use takewise::{DType, Index, OwnedIndex, Rules, Tensor, View};

use crate::context::Context;
use crate::error::{EvalError, Result, raise};
use crate::face::Face;
use crate::object;
use crate::print::{EDGE, THRESHOLD};
use crate::run::subscript;
use crate::sig::{self, Arguments};
use crate::stored::{Pick, StoredArray, moved};
use crate::value::{Array, Function, Value};

/// Functions whose results are elements of their first array, picked one by one.
pub(crate) const POINTS: &[&str] = &[
    "compress",
    "extract",
    "gather",
    "gather_d",
    "gather_elements",
    "gather_nd",
    "masked_select",
    "take",
    "take_along_axis",
    "take_along_dim",
];

/// Functions that pick along one axis, and take the others whole, where one of these parameters names it.
pub(crate) const ALONG: &[(&str, &str)] = &[
    ("index_select", "dim"),
    ("index_select", "axis"),
    ("take", "axis"),
    ("compress", "axis"),
    // MindSpore's; those of others with this name pick one by one.
    ("gather", "axis"),
];

/// Functions that ask for no elements.
pub(crate) const ABOUT: &[&str] =
    &["dim", "element_size", "is_complex", "is_floating_point", "nelement", "ndimension", "numel", "size"];

/// What parameters for the array are called.
const DATA: &[&str] = &["a", "arr", "input", "input_params", "input_x", "x"];

/// Attributes that say nothing of elements.
pub(crate) const FACTS: &[&str] = &["shape", "dtype", "ndim", "size", "itemsize", "nbytes", "device"];

/// Whether there can be such arrays at all: a program that has none is smaller without what reads them.
pub(crate) const STORES: bool = cfg!(feature = "stores");

/// Bytes of positions that are always found worth keeping rather than reading all of an array.
const POSITIONS: usize = 64 << 20;

/// The array in memory; all parts of it are views of one.
pub(crate) fn in_memory(x: &StoredArray, face: &'static Face) -> Result<Array> {
    if !STORES {
        return Err(EvalError::value_error("this program has no stores"));
    }
    Ok(Array::of_object(x.object().map_err(raise)?, face))
}

/// The array for reading: this part alone where nothing more is in memory.
pub(crate) fn for_reading(x: &StoredArray, face: &'static Face) -> Result<Array> {
    if !STORES {
        return in_memory(x, face);
    }
    match x.copied().map_err(raise)? {
        Some(copy) => Ok(Array::new(copy, face)),
        None => in_memory(x, face),
    }
}

/// `repr(x)`, or what `print(x)` writes: where the library shows a summary, only the ends along each axis are read.
pub(crate) fn text(x: &StoredArray, face: &'static Face, printed: bool) -> Result<String> {
    let ends = if x.is_loaded() || x.shape().iter().product::<usize>() <= THRESHOLD { None } else { ends(x, face)? };
    let array = ends.map_or_else(|| for_reading(x, face), Ok)?;
    Ok((if printed { face.display } else { face.repr })(&array, x.shape()))
}

/// What a summary shows: along each axis its ends, or all of a short one.
fn ends(x: &StoredArray, face: &'static Face) -> Result<Option<Array>> {
    let (picks, axes) = x.places();
    let at = |n: usize| (0..n).filter(move |p| n <= 2 * EDGE || *p < EDGE || n - p <= EDGE);
    let list = |pick: &Pick| match *pick {
        Pick::Run(start, step, n) => at(n).map(|p| moved(start, step, p as i64) as i64).collect(),
        Pick::At(i) => vec![i as i64],
    };
    let lists: Vec<Vec<i64>> = picks.iter().map(list).collect();
    let mut lent: Vec<Index<'_>> = Vec::new();
    for (d, list) in lists.iter().enumerate() {
        let mut shape = vec![1; lists.len()];
        shape[d] = list.len();
        lent.push(Index::Array(View::new(list, &shape).map_err(raise)?.any()));
    }
    let Some(found) = x.read_whole(&lent, &Rules::NEUTRAL).map_err(raise)? else { return Ok(None) };
    let shape: Vec<i64> = axes.iter().map(|axis| axis.map_or(1, |axis| lists[axis].len() as i64)).collect();
    Ok(Some(Array::new(found.reshape(&shape).map_err(raise)?, face)))
}

/// Something like the array that takes no memory.
fn outline(x: &StoredArray, face: &'static Face) -> Result<Array> {
    Ok(Array::new(x.outline().map_err(raise)?, face))
}

/// `x[key]`.
pub(crate) fn get(x: &StoredArray, face: &'static Face, key: &Value) -> Result<Value> {
    if !STORES || x.is_loaded() {
        return subscript::read(&in_memory(x, face)?, key);
    }
    let list = subscript::items(face, key)?;
    subscript::within_limits(face, &list, x.shape().len())?;
    let lent: Vec<Index<'_>> = list.iter().map(OwnedIndex::lent).collect();
    if let Some(plain) = plain(&list) {
        let like = x.outline().map_err(raise)?;
        let result = like.index(&lent, &face.rules.get).map_err(raise)?;
        let scalar = subscript::is_scalar(face, &list, &result);
        return match x.narrowed(&plain) {
            Some(part) if scalar || !result.shares_memory(&like) => {
                Ok(Value::Array(for_reading(&part, face)?.as_scalar(scalar)))
            }
            Some(part) => Ok(Value::Stored(part, face)),
            None => subscript::read(&in_memory(x, face)?, key),
        };
    }
    if !x.is_whole() {
        let found = points(x, face, &|x| subscript::read(x, key))?;
        return found.map_or_else(|| subscript::read(&for_reading(x, face)?, key), Ok);
    }
    match x.read_whole(&lent, &face.rules.get).map_err(raise)? {
        Some(result) => {
            let scalar = subscript::is_scalar(face, &list, &result);
            Ok(Value::Array(Array::new(result, face).as_scalar(scalar)))
        }
        None => subscript::read(&in_memory(x, face)?, key),
    }
}

/// A subscript without index arrays: arrays without axes are the integers they hold.
fn plain(list: &[OwnedIndex]) -> Option<Vec<OwnedIndex>> {
    let item = |item: &OwnedIndex| match item {
        OwnedIndex::Tensor(t) if t.rank() == 0 && t.dtype().is_integer() && t.dtype() != DType::U8 => {
            let value = crate::scalars::elements(t).ok()?.first()?.as_int()?;
            Some(OwnedIndex::Int(i64::try_from(value).ok()?))
        }
        OwnedIndex::Tensor(_) | OwnedIndex::Bool(_) | OwnedIndex::Array(_) => None,
        other => Some(other.clone()),
    };
    list.iter().map(item).collect()
}

/// `x.attr`.
pub(crate) fn attribute(x: &StoredArray, face: &'static Face, attr: &str) -> Option<Result<Value>> {
    if !STORES {
        return None;
    }
    if let Some((_, read)) = face.attributes.iter().find(|(name, _)| *name == attr) {
        let array = if FACTS.contains(&attr) && !x.is_loaded() { outline(x, face) } else { in_memory(x, face) };
        return Some(array.and_then(|array| read(&array)));
    }
    let method = face.method(attr)?;
    Some(Ok(Value::Method(Value::Stored(x.clone(), face).into(), method)))
}

/// The integers of a result, if it is an array of them of this shape.
fn integers(value: &Value, shape: &[usize]) -> Option<Vec<i64>> {
    let array = value.array()?;
    array.with(|t| if t.dtype() == DType::I64 && t.shape() == shape { t.to_vec().ok() } else { None })
}

/// The positions along an axis, as long as the array there and of these extents elsewhere.
fn along_axis(x: &StoredArray, axis: usize, others: Option<usize>) -> takewise::Result<Tensor> {
    let extents = x.shape().iter().enumerate();
    let lone: Vec<i64> = extents.clone().map(|(d, &n)| if d == axis { n as i64 } else { 1 }).collect();
    let wide: Vec<usize> = extents.map(|(d, &n)| if d == axis { n } else { others.unwrap_or(n) }).collect();
    let count = x.shape().get(axis).copied().unwrap_or(0) as i64;
    Tensor::arange(0, count, 1, Some(DType::I64))?.reshape(&lone)?.broadcast_to(&wide)
}

/// Positions of a part as those of the whole; nothing if one is outside, as what is filled is.
fn placed(pick: Pick, positions: Vec<i64>) -> Option<Vec<i64>> {
    let Pick::Run(start, step, count) = pick else { return None };
    let inside = |p: i64| usize::try_from(p).is_ok_and(|p| p < count);
    positions.into_iter().map(|p| inside(p).then(|| moved(start, step, p) as i64)).collect()
}

/// What `f` makes of an array of which it picks elements one by one. Nothing where that does not hold, or where positions take
/// more memory than the array would.
fn points(x: &StoredArray, face: &'static Face, f: &dyn Fn(&Array) -> Result<Value>) -> Result<Option<Value>> {
    let Some(like) = picked(x, face, f)? else { return Ok(None) };
    let shape = like.shape().to_vec();
    let count: usize = shape.iter().product();
    if count == 0 {
        return Ok(Some(Value::Array(like)));
    }
    let (_, axes) = x.places();
    let whole = x.shape().iter().product::<usize>().saturating_mul(x.dtype().size());
    if axes.iter().all(Option::is_none) || count.saturating_mul(8 * axes.len() + 24) > whole.saturating_add(POSITIONS) {
        return Ok(None);
    }
    let found = at(x, &shape, &mut |d| {
        let along = Array::new(along_axis(x, d, None).map_err(raise)?, face);
        Ok(integers(&f(&along)?, &shape))
    })?;
    Ok(found.map(|found| Value::Array(Array::new(found, like.face).as_scalar(like.scalar))))
}

/// The elements at places, of which `along` says where each lies along an axis. Nothing where it does not say so, or where one is
/// outside.
pub(crate) fn at(
    x: &StoredArray,
    shape: &[usize],
    along: &mut dyn FnMut(usize) -> Result<Option<Vec<i64>>>,
) -> Result<Option<Tensor>> {
    let (picks, axes) = x.places();
    let mut lists: Vec<Option<Vec<i64>>> = picks.iter().map(|_| None).collect();
    for (d, axis) in axes.iter().enumerate() {
        let Some(axis) = *axis else { continue };
        let Some(list) = along(d)?.and_then(|list| placed(picks[axis], list)) else { return Ok(None) };
        lists[axis] = Some(list);
    }
    let mut lent: Vec<Index<'_>> = Vec::new();
    for (list, pick) in lists.iter().zip(picks) {
        lent.push(match (list, pick) {
            (Some(list), _) => Index::Array(View::new(list, shape).map_err(raise)?.any()),
            (None, Pick::At(i)) => Index::Int(*i as i64),
            _ => return Ok(None),
        });
    }
    x.read_whole(&lent, &Rules::NEUTRAL).map_err(raise)
}

/// What `f` makes of an array of which it picks places along an axis and takes the others whole.
fn along(
    x: &StoredArray,
    face: &'static Face,
    axis: usize,
    f: &dyn Fn(&Array) -> Result<Value>,
) -> Result<Option<Value>> {
    let Some(like) = picked(x, face, f)? else { return Ok(None) };
    let (shape, rank) = (like.shape().to_vec(), x.shape().len());
    let (picks, axes) = x.places();
    let (Some(Some(place)), Some(more)) = (axes.get(axis).copied(), (shape.len() + 1).checked_sub(rank)) else {
        return Ok(None);
    };
    if axes.contains(&None) || shape.contains(&0) {
        return points(x, face, f);
    }
    let index = &shape[axis..axis + more];
    let lone: Vec<usize> =
        (0..axis).map(|_| 1).chain(index.iter().copied()).chain((axis + 1..rank).map(|_| 1)).collect();
    let positions = Array::new(along_axis(x, axis, Some(1)).map_err(raise)?, face);
    let Some(list) = integers(&f(&positions)?, &lone).and_then(|list| placed(picks[place], list)) else {
        return Ok(None);
    };
    let items = x.items(true);
    let mut lent: Vec<Index<'_>> = items.iter().map(OwnedIndex::lent).collect();
    lent[place] = Index::Array(View::new(&list, index).map_err(raise)?.any());
    let Some(found) = x.read_whole(&lent, &Rules::NEUTRAL).map_err(raise)? else { return Ok(None) };
    let extents: Vec<i64> = shape.iter().map(|&n| n as i64).collect();
    let found = found.reshape(&extents).map_err(raise)?;
    Ok(Some(Value::Array(Array::new(found, like.face).as_scalar(like.scalar))))
}

/// What `f` makes of something like the array, if that may be elements of it in memory of their own. Errors are those of `f`: what
/// is wrong with an index is wrong here too.
fn picked(x: &StoredArray, face: &'static Face, f: &dyn Fn(&Array) -> Result<Value>) -> Result<Option<Array>> {
    let outline = outline(x, face)?;
    let Value::Array(like) = f(&outline)? else { return Ok(None) };
    let own = !like.with(|t| outline.with(|x| t.shares_memory(x)));
    Ok((own && like.dtype() == x.dtype()).then_some(like))
}

/// `function(*arguments)`, where some of them are not in memory.
pub(crate) fn call(function: &Value, arguments: &Arguments, context: &Rc<Context>) -> Result<Value> {
    let all = || [function].into_iter().chain(&arguments.positional).chain(arguments.keyword.iter().map(|(_, v)| v));
    let mut found: Vec<(StoredArray, &'static Face)> = Vec::new();
    all().for_each(|value| stored(value, &mut found));
    if let ([(x, face)], Some(called)) = (&found[..], called(function))
        && !x.is_loaded()
        && is_data(x, called, function, arguments)
        && !arguments.keyword.iter().any(|(name, _)| name == "out")
        && let Some(value) = by_name(x, face, called, function, arguments, context)?
    {
        return Ok(value);
    }
    // It is run on what it is given alone. If that was written into, or shares its memory with the result, it is run again on
    // memory that all parts share.
    let mut copies: Vec<(StoredArray, Array, Option<u64>)> = Vec::new();
    for (x, face) in &found {
        let copy = x.copied().map_err(raise)?;
        let version = copy.as_ref().map(Tensor::version);
        let array = copy.map_or_else(|| in_memory(x, face), |copy| Ok(Array::new(copy, face)))?;
        copies.push((x.clone(), array, version));
    }
    let (given, with) = replaced(function, arguments, &mut |x, face| match copies.iter().find(|(y, ..)| y.same(x)) {
        Some((_, array, _)) => Ok(array.clone()),
        None => in_memory(x, face),
    })?;
    let result = object::call(&given, &with, context);
    let alone = |(_, array, version): &(StoredArray, Array, Option<u64>)| {
        let shares = || result.as_ref().is_ok_and(|value| array.with(|t| shares(value, t)));
        version.is_none_or(|version| array.with(Tensor::version) == version && !shares())
    };
    if copies.iter().all(alone) {
        return result;
    }
    let (given, with) = replaced(function, arguments, &mut |x, face| in_memory(x, face))?;
    object::call(&given, &with, context)
}

/// The function of a call.
pub(crate) fn called(function: &Value) -> Option<&Function> {
    match function {
        Value::Function(f) | Value::Method(_, f) => Some(f),
        _ => None,
    }
}

/// Whether an array is the one that a function picks elements of, and not what says which.
pub(crate) fn is_data(x: &StoredArray, called: &Function, function: &Value, arguments: &Arguments) -> bool {
    let is = |value: &Value| matches!(value, Value::Stored(y, _) if y.same(x));
    match function {
        Value::Method(receiver, _) => is(receiver),
        _ => {
            let at = usize::from(matches!(called.name, "compress" | "extract"));
            let named = |(name, value): &(String, Value)| DATA.contains(&name.as_str()) && is(value);
            arguments.positional.get(at).is_some_and(is) || arguments.keyword.iter().any(named)
        }
    }
}

/// A call of a function that is known to ask for part of the array, or for none of it.
fn by_name(
    x: &StoredArray,
    face: &'static Face,
    called: &Function,
    function: &Value,
    arguments: &Arguments,
    context: &Rc<Context>,
) -> Result<Option<Value>> {
    let run = |array: &Array| {
        let (given, with) = replaced(function, arguments, &mut |_, _| Ok(array.clone()))?;
        object::call(&given, &with, context)
    };
    if ABOUT.contains(&called.name) {
        return run(&outline(x, face)?).map(Some);
    }
    let by_axis = ALONG.iter().any(|(name, _)| *name == called.name);
    if by_axis && let Some(axis) = axis(x, face, called, function, arguments, context)? {
        return along(x, face, axis, &run);
    }
    if by_axis || POINTS.contains(&called.name) { points(x, face, &run) } else { Ok(None) }
}

/// The axis that a call names.
fn axis(
    x: &StoredArray,
    face: &'static Face,
    called: &Function,
    function: &Value,
    arguments: &Arguments,
    context: &Rc<Context>,
) -> Result<Option<usize>> {
    let outline = outline(x, face)?;
    let (given, with) = replaced(function, arguments, &mut |_, _| Ok(outline.clone()))?;
    let receiver = match given {
        Value::Method(receiver, _) => Some((*receiver).clone()),
        _ => None,
    };
    let (_, bound) = sig::bind(called, receiver, with, Rc::clone(context))?;
    let rank = x.shape().len() as i128;
    let names = ALONG.iter().filter(|(name, parameter)| *name == called.name && bound.has(parameter));
    let named = names.filter_map(|(_, parameter)| bound.get(parameter)?.as_int()).next();
    let batched = bound.get("batch_dims").and_then(|v| v.as_int()).is_some_and(|n| n != 0);
    let axis = named.filter(|axis| !batched && (-rank..rank).contains(axis)).map(|axis| axis.rem_euclid(rank.max(1)));
    Ok(axis.and_then(|axis| usize::try_from(axis).ok()))
}

/// The arrays in a value that are not in memory, each once.
pub(crate) fn stored(value: &Value, found: &mut Vec<(StoredArray, &'static Face)>) {
    match value {
        Value::Stored(x, face) if !found.iter().any(|(y, _)| y.same(x)) => found.push((x.clone(), face)),
        Value::Tuple(items) | Value::Record(_, items) => items.iter().for_each(|v| stored(v, found)),
        Value::List(items) => items.borrow().iter().for_each(|v| stored(v, found)),
        Value::Method(receiver, _) => stored(receiver, found),
        _ => {}
    }
}

/// Whether there are arrays in a value that are not in memory.
pub(crate) fn holds(value: &Value) -> bool {
    if !STORES {
        return false;
    }
    match value {
        Value::Stored(..) => true,
        Value::Tuple(items) | Value::Record(_, items) => items.iter().any(holds),
        Value::List(items) => items.borrow().iter().any(holds),
        Value::Method(receiver, _) => holds(receiver),
        _ => false,
    }
}

pub(crate) type With<'w> = &'w mut dyn FnMut(&StoredArray, &'static Face) -> Result<Array>;

/// The value with arrays in memory in the place of those that are not.
fn with(value: &Value, f: With<'_>) -> Result<Value> {
    if !holds(value) {
        return Ok(value.clone());
    }
    Ok(match value {
        Value::Stored(x, face) => Value::Array(f(x, face)?),
        Value::Tuple(items) => Value::tuple(items.iter().map(|v| with(v, f)).collect::<Result<Vec<_>>>()?),
        Value::Record(record, items) => {
            Value::Record(record, items.iter().map(|v| with(v, f)).collect::<Result<Vec<_>>>()?.into())
        }
        Value::List(items) => Value::list(items.borrow().iter().map(|v| with(v, f)).collect::<Result<_>>()?),
        Value::Method(receiver, function) => Value::Method(Rc::new(with(receiver, f)?), function.clone()),
        other => other.clone(),
    })
}

/// A call with arrays in memory in the place of those that are not.
pub(crate) fn replaced(function: &Value, arguments: &Arguments, f: With<'_>) -> Result<(Value, Arguments)> {
    let function = with(function, f)?;
    let positional = arguments.positional.iter().map(|v| with(v, f)).collect::<Result<_>>()?;
    let keyword = arguments.keyword.iter().map(|(name, v)| Ok((name.clone(), with(v, f)?))).collect::<Result<_>>()?;
    Ok((function, Arguments { positional, keyword }))
}

/// The value with what it needs of arrays read into memory.
pub(crate) fn settled(value: &Value) -> Result<Value> {
    with(value, &mut |x, face| for_reading(x, face))
}

/// Whether arrays in a value share their memory with a tensor.
fn shares(value: &Value, tensor: &Tensor) -> bool {
    match value {
        Value::Array(array) | Value::At(array, _) => array.with(|t| t.shares_memory(tensor)),
        Value::Tuple(items) | Value::Record(_, items) => items.iter().any(|v| shares(v, tensor)),
        Value::List(items) => items.borrow().iter().any(|v| shares(v, tensor)),
        _ => false,
    }
}
