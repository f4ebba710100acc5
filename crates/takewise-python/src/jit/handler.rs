//! The handler that XLA calls.
//!
//! Obligation **J1**: a call frame, and all that it points to, is what `c_api.h` says, and stays so until the handler returns. XLA
//! vouches for it. What is behind a buffer is then **L1** of [`takewise::view`]: row-major elements of its dtype and extents,
//! readable in arguments and writable in results.

use std::ffi::{CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut};
use std::slice;

use smallvec::SmallVec;
use takewise::tensor::Keep;
use takewise::{DType, Dims, Error, Layout, Tensor};
use takewise_operations::Role;

use super::abi::{self, Buffers, Failure, FailureOf, Frame, Interface, MetadataExtension};
use super::plan::{Plan, Source, Task};
use super::run::{self, Arrayed};
use super::whole::{Laid, Stacked, Whole};
use super::{floats, kept};

/// What a call says that has gone wrong, and the code of it.
struct Wrong {
    text: String,
    code: u32,
}

/// The handler of every call of ours: one attribute says what is computed.
///
/// # Safety
/// J1.
pub(super) unsafe extern "C" fn handler(frame: *mut Frame) -> *mut Failure {
    // SAFETY: J1.
    let Some(frame) = (unsafe { frame.as_ref() }) else { return null_mut() };
    if metadata(frame) || frame.stage != abi::EXECUTE {
        return null_mut();
    }
    let done = catch_unwind(AssertUnwindSafe(|| floats::exactly(|| answered(frame)))).unwrap_or_else(|_| {
        Err(Wrong {
            text: "takewise failed inside: this is a fault of its own, please report it".to_owned(),
            code: abi::INTERNAL,
        })
    });
    match done {
        Ok(()) => null_mut(),
        Err(wrong) => failure(frame, wrong),
    }
}

/// Answers the question what the handler was made for, if it is asked.
fn metadata(frame: &Frame) -> bool {
    // SAFETY: J1.
    let Some(extension) = (unsafe { frame.extension.as_ref() }) else { return false };
    if extension.kind != abi::METADATA {
        return false;
    }
    // SAFETY: J1: the extension of that kind, and the structure that it is there to fill.
    unsafe {
        let asked = frame.extension.cast::<MetadataExtension>();
        if let Some(metadata) = (*asked).metadata.as_mut() {
            let version =
                frame.api.as_ref().map_or((abi::MAJOR, abi::MINOR), |api| (api.version.major, api.version.minor));
            metadata.version.major = abi::MAJOR;
            metadata.version.minor = if version.0 == abi::MAJOR { version.1 } else { abi::MINOR };
            metadata.traits = 0;
        }
    }
    true
}

/// The error as XLA has errors.
#[cold]
fn failure(frame: &Frame, wrong: Wrong) -> *mut Failure {
    // SAFETY: J1.
    let fail = unsafe { frame.api.as_ref() }.and_then(|api: &Interface| api.fail);
    let Some(fail) = fail else { return null_mut() };
    let text = CString::new(wrong.text.replace('\0', " ")).unwrap_or_default();
    let mut made = FailureOf {
        own_bytes: size_of::<FailureOf>(),
        extension: null_mut(),
        message: text.as_ptr(),
        code: wrong.code,
    };
    // SAFETY: J1: the function copies the text.
    unsafe { fail(&raw mut made) }
}

#[cold]
fn fault(text: impl Into<String>) -> Wrong {
    Wrong { text: format!("takewise: {}", text.into()), code: abi::INTERNAL }
}

/// What the engine says, with a number by which Python asks for all of it.
#[cold]
fn refused(error: Error, part: Option<usize>) -> Wrong {
    let place = part.map_or(String::new(), |part| format!("\n  in part {part} of the batch"));
    let (class, text) = (error.class().name(), error.to_string());
    Wrong {
        text: format!("takewise.{class}: {text}{place}\n  [takewise error {}]", kept::keep(error)),
        code: abi::INVALID_ARGUMENT,
    }
}

/// A buffer of XLA's.
struct Memory {
    start: *mut u8,
    dtype: DType,
    dims: Dims<usize>,
}

/// The dtype of a number of XLA's.
fn dtype(number: u32) -> Option<DType> {
    Some(match number {
        1 => DType::Bool,
        2 => DType::I8,
        3 => DType::I16,
        4 => DType::I32,
        5 => DType::I64,
        6 => DType::U8,
        7 => DType::U16,
        8 => DType::U32,
        9 => DType::U64,
        10 => DType::F16,
        11 => DType::F32,
        12 => DType::F64,
        15 => DType::C64,
        16 => DType::BF16,
        18 => DType::C128,
        _ => return None,
    })
}

/// The buffers of a call, or of its results.
fn memory(buffers: &Buffers) -> Result<SmallVec<[Memory; 4]>, Wrong> {
    let mut all = SmallVec::new();
    for k in 0..usize::try_from(buffers.size).unwrap_or(0) {
        // SAFETY: J1: lists of so many kinds and pointers.
        let (kind, buffer) = unsafe { (*buffers.kinds.add(k), (*buffers.each.add(k)).as_ref()) };
        let Some(buffer) = buffer.filter(|_| kind == abi::BUFFER) else { return Err(fault("what came is no buffer")) };
        let rank = usize::try_from(buffer.rank).unwrap_or(0);
        // SAFETY: J1: a list of as many extents as axes; of none there may be no list.
        let dims = if rank == 0 { &[][..] } else { unsafe { slice::from_raw_parts(buffer.dims, rank) } };
        let dims: Option<Dims<usize>> = dims.iter().map(|&n| usize::try_from(n).ok()).collect();
        let (Some(dtype), Some(dims)) = (dtype(buffer.dtype), dims) else {
            return Err(fault(format!("buffers of XLA's dtype {} have no form here", buffer.dtype)));
        };
        all.push(Memory { start: buffer.data.cast(), dtype, dims });
    }
    Ok(all)
}

/// The text that says what is computed.
fn plan_of(frame: &Frame) -> Result<std::sync::Arc<Plan>, Wrong> {
    let attributes = &frame.attributes;
    for k in 0..usize::try_from(attributes.size).unwrap_or(0) {
        // SAFETY: J1: lists of so many kinds, names and values; a name, and a value that is text, point to so many bytes.
        let (kind, name, value) = unsafe {
            let (kind, name) = (*attributes.kinds.add(k), &**attributes.names.add(k));
            (kind, slice::from_raw_parts(name.start, name.len), *attributes.each.add(k))
        };
        if kind == abi::STRING && name == b"call" {
            // SAFETY: as above.
            let text = unsafe {
                let text = &*value.cast::<abi::Text>();
                slice::from_raw_parts(text.start, text.len)
            };
            return Plan::of(text).map_err(fault);
        }
    }
    Err(fault("a call says not what is computed"))
}

/// What keeps the memory of a call's arguments: whoever called.
fn keep() -> Keep {
    // SAFETY: there is nothing to count.
    unsafe { Keep::new(NonNull::dangling(), |_| true, |_| ()) }
}

/// Extents along the batch axes that a buffer has, in elements of its parts.
fn offset(plan: &Plan, bits: u32, part: usize) -> usize {
    let (mut rest, mut place, mut step) = (part, 0, 1);
    for (axis, &extent) in plan.batch.iter().enumerate().rev() {
        let at = rest % extent;
        rest /= extent;
        if bits >> axis & 1 == 1 {
            place += at * step;
            step *= extent;
        }
    }
    place
}

/// The tensor over a part of a buffer, which has the batch axes that the bits name.
fn part(memory: &Memory, plan: &Plan, bits: u32, number: usize, writable: bool) -> Result<Tensor, Wrong> {
    let shape = memory.dims.get(bits.count_ones() as usize..).ok_or_else(|| fault("a batch axis is missing"))?;
    let size = memory.dtype.size();
    let layout = Layout::contiguous(shape, size).map_err(|error| refused(error, None))?;
    let first = offset(plan, bits, number) * layout.numel() * size;
    // SAFETY: J1 and L1: the batch axes come first, so each part is row-major, and the last one ends with the buffer. A result is
    // written by this call alone.
    Ok(unsafe { Tensor::lent(memory.start.wrapping_add(first), memory.dtype, layout, writable, keep()) })
}

fn answered(frame: &Frame) -> Result<(), Wrong> {
    let plan = &*plan_of(frame)?;
    let (arguments, results) = (memory(&frame.arguments)?, memory(&frame.results)?);
    let fits = |memory: &Memory, bits: u32| {
        let axes = plan.batch.iter().enumerate().filter(|(axis, _)| bits >> axis & 1 == 1).map(|(_, n)| *n);
        axes.enumerate().all(|(k, n)| memory.dims.get(k) == Some(&n))
    };
    let bits = |k: usize| plan.batched.get(k).copied().unwrap_or(0);
    let all = plan.all_axes();
    if !arguments.iter().enumerate().all(|(k, memory)| fits(memory, bits(k)))
        || !results.iter().all(|one| fits(one, all))
    {
        return Err(fault("the batch axes are not those that were said"));
    }
    let writes = run::writes(plan);
    if writes {
        begin(&arguments, &results)?;
    }
    let parts = plan.batch.iter().product::<usize>();
    if parts > 1 && at_once(plan, parts, &arguments, &results).is_some() {
        return Ok(());
    }
    for number in 0..parts {
        let said = |error| refused(error, (!plan.batch.is_empty()).then_some(number));
        let given = arguments.iter().enumerate().map(|(k, memory)| part(memory, plan, bits(k), number, false));
        let given = given.collect::<Result<SmallVec<[Tensor; 4]>, Wrong>>()?;
        let operands: Arrayed = run::arranged(plan, given).map_err(said)?;
        match &results[..] {
            [one] => run::make(plan, &operands, &mut part(one, plan, all, number, true)?).map_err(said)?,
            several => {
                let made = run::made(plan, &operands).map_err(said)?;
                for (memory, made) in several.iter().zip(&made) {
                    run::store_all(&part(memory, plan, all, number, true)?, made).map_err(said)?;
                }
            }
        }
    }
    Ok(())
}

/// All parts by one call; `None` where that has no form or fails. It then has written nothing, or what is written again.
fn at_once(plan: &Plan, parts: usize, arguments: &[Memory], results: &[Memory]) -> Option<()> {
    let [result] = results else { return None };
    let (axes, all) = (plan.batch.len(), plan.all_axes());
    let mut given = arguments.iter().enumerate();
    let mut next = |role| {
        let (k, memory) = given.next()?;
        let bits = plan.batched.get(k).copied().unwrap_or(0);
        let batched = bits == all;
        let dims = memory.dims.get(if batched { axes } else { 0 }..)?.into();
        (batched || bits == 0).then_some(Stacked { role, dtype: memory.dtype, dims, batched })
    };
    let mut operands = SmallVec::<[Stacked; 4]>::new();
    for (role, source) in &plan.arrays {
        operands.push(match source {
            Source::Given => next(*role)?,
            Source::Shaped(dtype, dims) => Stacked { role: *role, dtype: *dtype, dims: dims.clone(), batched: true },
        });
    }
    let rest = match plan.mode {
        Task::Call => SmallVec::<[Stacked; 1]>::new(),
        _ => std::iter::once(next(Role::Out)?).collect(),
    };
    let part = match &rest[..] {
        [gradient] => &gradient.dims[..],
        _ => result.dims.get(axes..)?,
    };
    let whole = Whole::of(plan, parts, &operands, &rest, part)?;
    let arrays = whole.arrays(|k, form| laid(arguments.get(k)?, form, false))?;
    let mut target = laid(result, &whole.result, true)?;
    if run::writes(&whole.plan) && !run::writes(plan) {
        // What zeros become is a write here.
        let (_, x) = arrays.iter().find(|(role, _)| *role == Role::Data)?;
        run::store_all(&target, x).ok()?;
    }
    run::make(&whole.plan, &arrays, &mut target).ok()
}

/// The tensor over a buffer in another form.
fn laid(memory: &Memory, form: &Laid, writable: bool) -> Option<Tensor> {
    let (first, layout) = form.layout(memory.dtype.size(), memory.dims.iter().product())?;
    // SAFETY: J1 and L1: elements of the buffer, each at most once. A result is written by this call alone.
    Some(unsafe { Tensor::lent(memory.start.wrapping_offset(first), memory.dtype, layout, writable, keep()) })
}

/// The result of a write begins as what it is written to, where XLA has not made them one.
fn begin(arguments: &[Memory], results: &[Memory]) -> Result<(), Wrong> {
    let ([x, ..], [result]) = (arguments, results) else { return Err(fault("a write has one result")) };
    if x.dims != result.dims || x.dtype != result.dtype {
        return Err(fault("the result of a write is not like what it is written to"));
    }
    let bytes = x.dims.iter().product::<usize>() * x.dtype.size();
    if bytes != 0 && x.start.cast::<c_void>() != result.start.cast() {
        // SAFETY: J1 and L1: two buffers of so many bytes each, which XLA keeps apart if they are not one.
        unsafe { std::ptr::copy_nonoverlapping(x.start, result.start, bytes) };
    }
    Ok(())
}
