//! A call on tensors: the record of the catalogue, as Python's functions run it.

use smallvec::SmallVec;
use takewise::error::ArgumentRule;
use takewise::grad::{self, Graph};
use takewise::index::rules::{Casting, Conversion};
use takewise::ops::{self, Search, Source as Stored};
use takewise::{DType, Fault, Index, OwnedIndex, Reduce, Result, Rules, Scalar, Tensor};
use takewise_dialects::spread;
use takewise_operations::{Arrays, Call, Given, Role, Run};

use super::plan::{Part, Plan, Source, Task};

/// Each array of a call, with what it is for.
pub(super) type Arrayed = SmallVec<[(Role, Tensor); 4]>;

/// What is computed, in memory of its own.
pub(super) fn made(plan: &Plan, operands: &[(Role, Tensor)]) -> Result<Vec<Tensor>> {
    let work = || match plan.mode {
        Task::Call => fresh(plan, &plan.given, operands),
        Task::Back(role) => back(plan, role, operands).map(|one| vec![one]),
        Task::Along => along(plan, operands).map(|one| vec![one]),
    };
    takewise::threads::on_threads(plan.threads, work).map_err(|error| error.in_op(plan.op))
}

/// Computes the result into memory that is there, which holds what a write changes.
pub(super) fn make(plan: &Plan, operands: &[(Role, Tensor)], target: &mut Tensor) -> Result<()> {
    if plan.mode != Task::Call {
        return put(target, made(plan, operands)?);
    }
    let rules = &plan.rules;
    takewise::threads::on_threads(plan.threads, || match plan.entry.operation.run {
        Run::Read { into: Some(into), .. } => {
            let call = call(plan, &plan.given, operands, &[])?;
            filled(plan, target, |target| into(&call, target).map(drop))
        }
        Run::Subscript(takewise_operations::Way::Plain) => {
            let (key, x) = (key(plan, operands), needed(plan, operands, Role::Data)?);
            filled(plan, target, |target| x.index_out(&indices(&key), target, rules).map(drop))
        }
        Run::Write { place, .. } => place(&Call { x: target, ..call(plan, &plan.given, operands, &rows(operands))? }),
        Run::Store => store(plan, target, operands),
        Run::SearchSorted | Run::Bucketize => searched(plan, operands, target),
        _ => put(target, fresh(plan, &plan.given, operands)?),
    })
    .map_err(|error| error.in_op(plan.op))
}

/// Runs what writes into memory of the caller's, and takes other memory where the shape differs, as it must not here.
fn filled(plan: &Plan, target: &mut Tensor, run: impl FnOnce(&mut Tensor) -> Result<()>) -> Result<()> {
    let (start, shape) = (target.data_ptr(), SmallVec::<[usize; 4]>::from(target.shape()));
    run(target)?;
    if target.shape() == &shape[..] && (target.data_ptr() == start || target.numel() == 0) {
        Ok(())
    } else {
        Err(misfit(plan))
    }
}

/// Whether a call writes: its result begins as a copy of what it is written to.
pub(super) fn writes(plan: &Plan) -> bool {
    plan.mode == Task::Call && matches!(plan.entry.operation.run, Run::Write { .. } | Run::Store)
}

/// What is said of masks.
const MASKS: &str =
    "where(mask, x, other) keeps the shape, and index(x, nonzero(mask, as_tuple=True, size=...)) has a size";

/// Why the shape of the result, or what is computed, cannot be known before the values are; `None` where it can.
pub(super) fn unknown(plan: &Plan) -> Option<&'static str> {
    let operation = plan.entry.operation;
    let takes = |role| operation.all().any(|parameter| parameter.role == role);
    let masks = plan.entry.operation.all().any(|parameter| parameter.role == Role::Mask);
    match operation.run {
        Run::Where => Some("nonzero(condition, as_tuple=True, size=...) has a size"),
        Run::Nonzero => Some("say how many there are by size="),
        Run::Read { .. } if masks => Some(MASKS),
        Run::Arrays(_) if takes(Role::How) || takes(Role::Sought) => None,
        Run::Arrays(_) if takes(Role::Width) => {
            let sized = plan.settings.width.is_some();
            let listed = takes(Role::Index);
            (!sized).then_some(if listed {
                "say how many values there are by size="
            } else {
                "say how long rows are made by width="
            })
        }
        Run::Arrays(_) if takes(Role::Count) => {
            plan.settings.count.is_none().then_some("say how many rows there are by rows=")
        }
        Run::Arrays(_) => Some("take_ranges(..., size=...) and pad_ranges(..., width=...) have a size"),
        _ => None,
    }
}

/// Stores what was made, converted where the library has narrower numbers.
fn put(target: &Tensor, made: Vec<Tensor>) -> Result<()> {
    let Some(first) = made.first() else { return Ok(()) };
    store_all(target, first)
}

/// Stores all elements of an array in another of its shape.
pub(super) fn store_all(target: &Tensor, made: &Tensor) -> Result<()> {
    const RULES: Rules = Rules { casting: Casting::Any, conversion: Conversion::Wrap, ..takewise_operations::RULES };
    if made.shape() != target.shape() {
        let text = format!("takewise: the result has shape {:?}, not {:?}", made.shape(), target.shape());
        return Err(RULES.fail(Fault::text(takewise::Op::Write, ArgumentRule::Other, text)));
    }
    target.index_set_(&[Index::Ellipsis], made, &RULES)
}

#[cold]
fn misfit(plan: &Plan) -> takewise::Error {
    let text = "the shape of the result depends on values, which are known only when the program runs";
    plan.rules.fail(Fault::text(plan.op, ArgumentRule::Other, text))
}

fn found(operands: &[(Role, Tensor)], role: Role) -> Option<&Tensor> {
    operands.iter().find(|(known, _)| *known == role).map(|(_, tensor)| tensor)
}

fn needed<'t>(plan: &Plan, operands: &'t [(Role, Tensor)], role: Role) -> Result<&'t Tensor> {
    let missing = || plan.rules.fail(Fault::text(plan.op, ArgumentRule::Other, format!("lacks {role:?}")));
    found(operands, role).ok_or_else(missing)
}

/// What is stored or combined.
fn stored<'t>(plan: &Plan, operands: &'t [(Role, Tensor)]) -> Stored<&'t Tensor> {
    match found(operands, Role::Values).or(found(operands, Role::Array)) {
        Some(array) => Stored::Array(array),
        None => Stored::Scalar(plan.number.unwrap_or(Scalar::Int(0))),
    }
}

/// The call of an operation by one array of positions.
fn call<'t>(
    plan: &'t Plan,
    given: &'t Given,
    operands: &'t [(Role, Tensor)],
    others: &'t [(Role, &'t Tensor)],
) -> Result<Call<'t>> {
    let index = match found(operands, Role::Index) {
        Some(index) => index,
        None => needed(plan, operands, Role::Mask)?,
    };
    let (x, value) = (needed(plan, operands, Role::Data)?, stored(plan, operands));
    Ok(Call { x, index, value, given, rules: &plan.rules, others })
}

/// The arrays that say where rows lie.
fn rows(operands: &[(Role, Tensor)]) -> SmallVec<[(Role, &Tensor); 2]> {
    operands.iter().filter(|(role, _)| Role::ROWS.contains(role)).map(|(role, tensor)| (*role, tensor)).collect()
}

/// The subscript, with its arrays in their places.
fn key(plan: &Plan, operands: &[(Role, Tensor)]) -> SmallVec<[OwnedIndex; 2]> {
    let mut arrays = operands.iter().filter(|(role, _)| *role == Role::Key).map(|(_, tensor)| tensor);
    let entry = |entry: &Part| match entry {
        Part::Int(i) => OwnedIndex::Int(*i),
        Part::Range(slice) => OwnedIndex::Range(*slice),
        Part::NewAxis => OwnedIndex::NewAxis,
        Part::Ellipsis => OwnedIndex::Ellipsis,
        Part::Bool(b) => OwnedIndex::Bool(*b),
        Part::Array => arrays.next().map_or(OwnedIndex::Ellipsis, |tensor| OwnedIndex::Tensor(tensor.clone())),
    };
    plan.key.iter().map(entry).collect()
}

fn indices<'k>(key: &'k [OwnedIndex]) -> SmallVec<[Index<'k>; 2]> {
    key.iter().map(OwnedIndex::lent).collect()
}

/// Stores or combines values at the key.
fn store(plan: &Plan, target: &Tensor, operands: &[(Role, Tensor)]) -> Result<()> {
    let (key, value) = (key(plan, operands), stored(plan, operands));
    match plan.combined() {
        Some(how) => target.index_accumulate_(&indices(&key), value, how, &plan.rules),
        None => target.index_set_(&indices(&key), value, &plan.rules),
    }
}

/// The results of the operation in memory of their own.
fn fresh(plan: &Plan, given: &Given, operands: &[(Role, Tensor)]) -> Result<Vec<Tensor>> {
    let rules = &plan.rules;
    let of = |role| needed(plan, operands, role);
    let one = match plan.entry.operation.run {
        Run::Read { fresh, .. } => fresh(&call(plan, given, operands, &[])?)?,
        Run::Write { copy: Some(copy), .. } => copy(&call(plan, given, operands, &rows(operands))?)?,
        Run::Write { place, .. } => {
            let copied = of(Role::Data)?.clone_data()?;
            place(&Call { x: &copied, ..call(plan, given, operands, &rows(operands))? })?;
            copied
        }
        Run::Subscript(way) => way.read(of(Role::Data)?, &indices(&key(plan, operands)), rules)?,
        Run::Store => {
            let copied = of(Role::Data)?.clone_data()?;
            store(plan, &copied, operands)?;
            copied
        }
        Run::Copy => of(Role::Data)?.to_row_major()?,
        Run::ScatterNd => {
            let (index, updates) = (of(Role::Index)?, of(Role::Array)?);
            let zeros = Tensor::zeroed(&plan.shape, updates.dtype())?;
            zeros.scatter_nd_(index, updates, Some(Reduce::Sum), rules)?;
            zeros
        }
        Run::Arrays(run) => {
            let all: SmallVec<[(Role, &Tensor); 4]> = operands.iter().map(|(role, tensor)| (*role, tensor)).collect();
            return run(&Arrays { all: &all, given: &plan.settings, rules });
        }
        Run::SearchSorted | Run::Bucketize => positions(plan, operands)?,
        Run::Nonzero | Run::Where | Run::Theirs { .. } => return Err(misfit(plan)),
    };
    Ok(vec![one])
}

/// The positions of a search, which XLA may have in 32 bits where the call has 64.
fn searched(plan: &Plan, operands: &[(Role, Tensor)], target: &Tensor) -> Result<()> {
    let mut sequence = needed(plan, operands, Role::Sequence)?.clone();
    let mut sought = needed(plan, operands, Role::Sought)?.clone();
    let (right, out_int32) = (plan.settings.right, target.dtype() == DType::I32);
    let mut target = target.write_any()?;
    if let Run::Bucketize = plan.entry.operation.run {
        let (edges, sought) = (sequence.read_any()?, sought.read_any()?);
        return ops::bucketize_into(sought.view(), edges.view(), out_int32, right, &mut target.view_mut(), &plan.rules);
    }
    let mut order = found(operands, Role::Sorter).cloned();
    // The axis of a search is the last unless it is said.
    let axis = spread(&mut sequence, &mut sought, order.as_mut(), plan.given.axis.unwrap_or(-1))?;
    let (open, sought) = (sequence.read_any()?, sought.read_any()?);
    let order = order.as_ref().map(Tensor::read_any).transpose()?;
    let sorter = order.as_ref().map(|order| order.view());
    let search = Search { right, side: plan.side.as_deref(), sorter, out_int32, axis };
    ops::searchsorted_into(open.view(), sought.view(), &search, &mut target.view_mut(), &plan.rules)
}

/// The result of a search in memory of its own.
fn positions(plan: &Plan, operands: &[(Role, Tensor)]) -> Result<Tensor> {
    let mut sought = needed(plan, operands, Role::Sought)?.clone();
    if let Run::SearchSorted = plan.entry.operation.run {
        let mut sequence = needed(plan, operands, Role::Sequence)?.clone();
        spread(&mut sequence, &mut sought, None, plan.given.axis.unwrap_or(-1))?;
    }
    let made = Plan::zeros(if plan.narrow { DType::I32 } else { DType::I64 }, sought.shape())?;
    searched(plan, operands, &made)?;
    Ok(made)
}

/// The operands with copies of those with a role that a gradient is wanted of.
fn leaves(operands: &[(Role, Tensor)], wanted: &[Role]) -> Result<Arrayed> {
    let mut all: Arrayed = operands.into();
    for (role, tensor) in &mut all {
        if wanted.contains(role) {
            *tensor = tensor.clone_data()?;
            tensor.requires_grad_(true)?;
        }
    }
    Ok(all)
}

/// The gradient of one argument, of that of the result.
fn back(plan: &Plan, role: Role, operands: &[(Role, Tensor)]) -> Result<Tensor> {
    let (arrays, gradient) = operands.split_at(plan.arrays.len());
    let all = leaves(arrays, &[role])?;
    let leaf = needed(plan, &all, role)?;
    let made = fresh(plan, &straight(&plan.given), &all)?;
    recorded(plan, &made[0])?;
    let outputs = [(&made[0], gradient.first().map(|(_, tensor)| tensor))];
    let found = grad::grad(&outputs, &[leaf], Graph::default(), true)?.pop().flatten();
    match found {
        Some(found) => found.to_dense(),
        None => Plan::zeros(leaf.dtype(), leaf.shape()),
    }
}

/// The tangent of the result: the gradient of its gradient, which is linear.
fn along(plan: &Plan, operands: &[(Role, Tensor)]) -> Result<Tensor> {
    let (arrays, tangents) = operands.split_at(plan.arrays.len());
    let all = leaves(arrays, &plan.moved)?;
    let moved = plan.moved.iter().map(|role| needed(plan, &all, *role)).collect::<Result<Vec<_>>>()?;
    let result = fresh(plan, &plan.given, &all)?.swap_remove(0);
    recorded(plan, &result)?;
    let mut probe = Plan::zeros(result.dtype(), result.shape())?;
    probe.requires_grad_(true)?;
    let graph = Graph::CREATE;
    let gradients = grad::grad(&[(&result, Some(&probe))], &moved, graph, true)?;
    let dense = gradients.into_iter().zip(tangents).filter_map(|(g, (_, t))| g.map(|g| g.to_dense().map(|g| (g, t))));
    let dense = dense.collect::<Result<Vec<_>>>()?;
    let outputs: Vec<_> = dense.iter().filter(|(g, _)| g.requires_grad()).map(|(g, t)| (g, Some(*t))).collect();
    if outputs.is_empty() {
        return Plan::zeros(result.dtype(), result.shape());
    }
    match grad::grad(&outputs, &[&probe], Graph::default(), true)?.pop().flatten() {
        Some(found) => found.to_dense(),
        None => Plan::zeros(result.dtype(), result.shape()),
    }
}

/// Error: the engine knows no way back from a result.
fn recorded(plan: &Plan, result: &Tensor) -> Result<()> {
    if result.requires_grad() {
        return Ok(());
    }
    Err(plan.rules.fail(Fault::text(plan.op, ArgumentRule::Other, "this has no derivative")))
}

/// JAX's way back multiplies by factors themselves, the engine's by their conjugates.
fn straight(given: &Given) -> Given {
    let alpha = match given.alpha {
        Scalar::Complex(re, im) => Scalar::Complex(re, -im),
        real => real,
    };
    Given { alpha, ..*given }
}

/// The arrays of a call: those given, and zeros for what only its shape counts of.
pub(super) fn arranged(plan: &Plan, given: impl IntoIterator<Item = Tensor>) -> Result<Arrayed> {
    let mut given = given.into_iter();
    let mut all = Arrayed::new();
    for (role, source) in &plan.arrays {
        let tensor = match source {
            Source::Given => given.next(),
            Source::Shaped(dtype, shape) => Some(Plan::zeros(*dtype, shape)?),
        };
        all.extend(tensor.map(|tensor| (*role, tensor)));
    }
    // Gradients and tangents have no role.
    all.extend(given.map(|tensor| (Role::Out, tensor)));
    Ok(all)
}
