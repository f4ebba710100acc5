//! A batch as one call: the operation has the batch as an axis of its own.
//!
//! A call for each part takes a fraction of a microsecond, which is most of the time where parts are small. Here the parts become the
//! first axis of the arrays, and the call says so: its axis is one further, its `batch_dims` is one more, or its subscript begins with
//! the number of the part. A list of positions for each part, and tuples of positions, are subscripts too. What has no such form is
//! done part by part. So is what fails: the error is then that of a part.

use smallvec::SmallVec;
use takewise::{DType, Dims, Layout, Reduce, Slice, Tensor};
use takewise_operations::{self as operations, Given, Role, Run, Way};

use super::plan::{Part, Plan, Source, Task};
use super::run::Arrayed;

/// An array of a call: what it is for, the extents of a part of it, and whether it has the batch.
pub(super) struct Stacked {
    pub(super) role: Role,
    pub(super) dtype: DType,
    pub(super) dims: Dims<usize>,
    pub(super) batched: bool,
}

/// How an array of the one call lies over its memory, which is row-major.
pub(super) struct Laid {
    dims: Dims<usize>,
    /// Its axes in the order of the call; empty where that is theirs.
    order: Dims<usize>,
    /// Whether it is one part, which is repeated for all.
    repeated: bool,
    /// It is so many of so many arrays whose elements lie side by side in the memory, as those of tuples do.
    of: (usize, usize),
}

impl Laid {
    fn plain(dims: Dims<usize>, repeated: bool) -> Laid {
        Laid { dims, order: Dims::new(), repeated, of: (0, 1) }
    }

    /// Where the first element lies, and the layout of all, which are of a size. The memory has `elements`.
    pub(super) fn layout(&self, size: usize, elements: usize) -> Option<(isize, Layout)> {
        let (k, several) = self.of;
        let dims: Dims<usize> = self.dims.iter().copied().chain([several]).collect();
        let (first, layout) = Layout::contiguous(&dims, size).ok()?.select(self.dims.len(), k);
        let layout = if self.order.is_empty() { layout } else { layout.permute(&self.order) };
        (layout.numel() * several == elements).then_some((first, layout))
    }
}

type Layings = SmallVec<[Laid; 4]>;

/// Up to how many places of a part its number is written at each.
const WIDEST: usize = 64;

/// One call for all parts.
pub(super) struct Whole {
    pub(super) plan: Plan,
    parts: usize,
    /// Those of the arrays of `plan`, and of the gradient of the result where one is given.
    forms: Layings,
    /// The numbers of the parts are the first array of the subscript, with these extents behind theirs.
    numbered: Option<Dims<usize>>,
    pub(super) result: Laid,
}

/// The extents behind that of the parts.
fn behind(first: usize, rest: &[usize]) -> Dims<usize> {
    std::iter::once(first).chain(rest.iter().copied()).collect()
}

/// The extents of a part with ones before them, so that there are as many as wanted.
fn padded(dims: &[usize], rank: usize) -> Option<Dims<usize>> {
    let ones = rank.checked_sub(dims.len())?;
    Some(std::iter::repeat_n(1, ones).chain(dims.iter().copied()).collect())
}

fn takes(entry: &operations::Entry, role: Role) -> bool {
    entry.operation.all().any(|parameter| parameter.role == role)
}

/// Whether an entry of a key stands for an axis.
fn is_used(entry: &Part) -> bool {
    matches!(entry, Part::Int(_) | Part::Range(_) | Part::Array)
}

/// An array that is as it is for all parts.
fn shared(one: &Stacked) -> Laid {
    Laid::plain(one.dims.clone(), false)
}

impl Whole {
    /// The call that gives for all parts what `plan` gives for each, of the arrays of the call and of what is left: the gradient of its
    /// result. `result` has the extents of a part of this. `None` where there is no such call.
    pub(super) fn of(
        plan: &Plan,
        parts: usize,
        operands: &[Stacked],
        rest: &[Stacked],
        result: &[usize],
    ) -> Option<Whole> {
        let wanted = match (plan.mode, rest) {
            (Task::Call, []) => None,
            (Task::Back(role), [_]) => Some(role),
            _ => return None,
        };
        let batch = Batch { plan, parts, operands, wanted, result };
        let mut whole = match plan.entry.operation.run {
            Run::Subscript(Way::Plain) | Run::Store => batch.subscript(),
            Run::SearchSorted => batch.search(),
            Run::Bucketize => batch.buckets(),
            Run::Read { into: Some(_), .. } | Run::Write { .. } => batch.along().or_else(|| batch.keyed()),
            Run::ScatterNd => batch.keyed(),
            Run::Arrays(_) => batch.rows(),
            _ => None,
        }?;
        if let (Some(role), [gradient]) = (wanted, rest) {
            let found = whole.given().find(|(known, _)| *known == role)?.1;
            let result = Laid { order: found.order.clone(), ..Laid::plain(behind(parts, found.dims.get(1..)?), false) };
            let of_call = std::mem::replace(&mut whole.result, result);
            let dims = behind(if gradient.batched { parts } else { 1 }, of_call.dims.get(1..)?);
            whole.forms.push(Laid { dims, repeated: !gradient.batched, ..of_call });
        }
        Some(whole)
    }

    /// The arrays but for the numbers of the parts, each with what it is for.
    fn given(&mut self) -> impl Iterator<Item = (Role, &mut Laid)> {
        let roles = self.plan.arrays.iter().skip(usize::from(self.numbered.is_some())).map(|(role, _)| *role);
        roles.zip(&mut self.forms)
    }

    /// The arrays of the call. `open` makes those that are given, in their order.
    pub(super) fn arrays(&self, open: impl Fn(usize, &Laid) -> Option<Tensor>) -> Option<Arrayed> {
        let (mut all, mut next, mut forms) = (Arrayed::new(), 0, self.forms.iter());
        let mut given = |form: &Laid| {
            let tensor = open(next, form)?;
            next += usize::from(form.of.0 + 1 == form.of.1);
            match form.repeated {
                true => tensor.broadcast_to(&behind(self.parts, tensor.shape().get(1..)?)).ok(),
                false => Some(tensor),
            }
        };
        if let Some(places) = &self.numbered {
            all.push((Role::Key, self.numbers(places)?));
        }
        for (role, source) in self.plan.arrays.iter().skip(all.len()) {
            let form = forms.next()?;
            let tensor = match source {
                Source::Given => given(form)?,
                Source::Shaped(dtype, _) => Plan::zeros(*dtype, &form.dims).ok()?,
            };
            all.push((*role, tensor));
        }
        for form in forms {
            all.push((Role::Out, given(form)?));
        }
        Some(all)
    }

    /// The number of a part at each of its places.
    fn numbers(&self, places: &[usize]) -> Option<Tensor> {
        let (extents, each) = (behind(self.parts, places), places.iter().product::<usize>());
        // An iterator over all would not say how many there are.
        let mut numbers = Vec::with_capacity(self.parts * each);
        for part in 0..i32::try_from(self.parts).ok()? {
            numbers.extend(std::iter::repeat_n(part, each));
        }
        Tensor::from_vec(numbers, &extents).ok()
    }
}

/// What is asked.
#[derive(Clone, Copy)]
struct Batch<'a> {
    plan: &'a Plan,
    parts: usize,
    operands: &'a [Stacked],
    /// What a gradient is wanted of.
    wanted: Option<Role>,
    /// The extents of a part of the result.
    result: &'a [usize],
}

impl Batch<'_> {
    fn find(&self, role: Role) -> Option<&Stacked> {
        self.operands.iter().find(|one| one.role == role)
    }

    fn takes(&self, role: Role) -> bool {
        takes(&self.plan.entry, role)
    }

    /// An array with an axis of parts before its own, which repeats what all parts share.
    fn form(&self, operand: &Stacked, dims: &[usize]) -> Laid {
        Laid::plain(behind(if operand.batched { self.parts } else { 1 }, dims), !operand.batched)
    }

    fn made(&self, given: Given, forms: Layings) -> Whole {
        let plan = Plan { given, ..self.plan.clone() };
        Whole {
            plan,
            parts: self.parts,
            forms,
            numbered: None,
            result: Laid::plain(behind(self.parts, self.result), false),
        }
    }

    /// Positions along an axis: the axis is one further.
    fn along(&self) -> Option<Whole> {
        let (x, index) = (self.find(Role::Data)?, self.find(Role::Index)?);
        if !self.takes(Role::Axis) && !self.takes(Role::AxisOrNone) {
            return None;
        }
        let given = self.plan.given;
        let (dims, axis) = self.axis(x)?;
        // One list for all places of the other axes, or lists for each part.
        let (one_list, mut pairs) = (self.plan.entry.operation.is_by_list(), self.takes(Role::BatchDims));
        let alike = !index.batched && given.batch_dims == 0 && (pairs || one_list);
        let mut entry = self.plan.entry;
        if one_list && !alike {
            // A list for each part is what another operation reads by.
            let reads = |run: &Run| matches!(run, Run::Read { into: Some(_), .. });
            let paired =
                |one: &operations::Entry| [Role::AxisOrNone, Role::BatchDims].iter().all(|role| takes(one, *role));
            entry = operations::all()
                .find(|one| reads(&entry.operation.run) && reads(&one.operation.run) && paired(one))?;
            pairs = true;
        } else if !alike && !pairs && index.dims.len() != dims.len() {
            return None;
        }
        let batch_dims = given.batch_dims + i64::from(pairs && !alike);
        let mut forms = Layings::new();
        for one in self.operands {
            forms.push(match one.role {
                Role::Data => self.form(one, &dims),
                Role::Index if alike => shared(one),
                Role::Index => self.form(one, &one.dims),
                Role::Values | Role::Array if one.dims.is_empty() && !one.batched && self.wanted != Some(one.role) => {
                    shared(one)
                }
                Role::Values | Role::Array => self.form(one, &padded(&one.dims, dims.len())?),
                _ => return None,
            });
        }
        let mut whole = self.made(Given { axis: Some(axis as i64 + 1), batch_dims, ..given }, forms);
        whole.plan.entry = entry;
        if given.axis.is_none() && matches!(self.plan.entry.operation.run, Run::Write { .. }) {
            whole.result = Laid::plain(behind(self.parts, &dims), false);
        }
        Some(whole)
    }

    /// The extents that positions count in, and their axis. A flattened array has one.
    fn axis(&self, x: &Stacked) -> Option<(Dims<usize>, usize)> {
        let Some(axis) = self.plan.given.axis else { return Some((Dims::from_elem(x.dims.iter().product(), 1), 0)) };
        let axis = usize::try_from(if axis < 0 { axis + x.dims.len() as i64 } else { axis }).ok()?;
        (axis < x.dims.len()).then(|| (x.dims.clone(), axis))
    }

    /// Lists of positions, and tuples of them: the subscript that names the same places.
    fn keyed(&self) -> Option<Whole> {
        let (given, plain, run) = (self.plan.given, Given::default(), self.plan.entry.operation.run);
        // Other positions along an axis are no list for all places of the others.
        let axes = self.takes(Role::Axis) || self.takes(Role::AxisOrNone);
        if axes && !self.plan.entry.operation.is_by_list() {
            return None;
        }
        // Subscripts have nothing to say these by.
        if given.alpha != plain.alpha || !given.include_self || given.batch_dims != 0 || given.group.is_some() {
            return None;
        }
        let (index, reads) = (self.find(Role::Index)?, matches!(run, Run::Read { .. }));
        let tuples = !axes && !self.takes(Role::Accumulate);
        let (mut operands, mut arrays) = (SmallVec::<[Stacked; 4]>::new(), SmallVec::new());
        if self.find(Role::Data).is_none() {
            // Zeros are written to.
            let (dtype, dims) = (self.find(Role::Array)?.dtype, Dims::from_slice(&self.plan.shape));
            arrays.push((Role::Data, Source::Shaped(dtype, dims.clone())));
            operands.push(Stacked { role: Role::Data, dtype, dims, batched: true });
        }
        let x = self.find(Role::Data).or(operands.first())?;
        let (dims, axis) = if tuples { (x.dims.clone(), 0) } else { self.axis(x)? };
        let (depth, places) = match index.dims.split_last() {
            Some((depth, places)) if tuples => (*depth, places),
            _ => (1, &index.dims[..]),
        };
        for ((role, source), one) in self.plan.arrays.iter().zip(self.operands) {
            let flat = !tuples && given.axis.is_none() && one.dims.iter().product::<usize>() != 1;
            let (role, count, dims) = match role {
                Role::Data => (*role, 1, &dims[..]),
                Role::Index => (Role::Key, depth, places),
                // As many as places, in the order of these.
                Role::Values | Role::Array if flat => (*role, 1, places),
                Role::Values | Role::Array => (*role, 1, &one.dims[..]),
                _ => return None,
            };
            arrays.extend(std::iter::repeat_n((role, source.clone()), count));
            operands.extend((0..count).map(|_| Stacked { role, dims: dims.into(), ..*one }));
        }
        let sums = match run {
            Run::Write { combines, .. } => combines(&given),
            _ => !reads,
        };
        let entry = operations::all().find(|one| match one.operation.run {
            Run::Subscript(way) => reads && way == Way::Plain,
            Run::Store => !reads,
            _ => false,
        })?;
        let mut key = vec![Part::Range(Slice::ALL); axis];
        key.extend(vec![Part::Array; depth]);
        let given = Given { reduce: given.reduce.or(sums.then_some(Reduce::Sum)), ..given };
        let plan = Plan { entry, arrays, key, given, ..self.plan.clone() };
        let result = if reads { self.result } else { &dims[..] };
        let mut whole = Batch { plan: &plan, operands: &operands, result, ..*self }.subscript()?;
        let keys = whole.given().filter(|(role, _)| *role == Role::Key);
        keys.enumerate().for_each(|(k, (_, form))| form.of = (k, depth));
        Some(whole)
    }

    /// Rows that all parts share: their axis is one further.
    fn rows(&self) -> Option<Whole> {
        let axis = self.plan.settings.axis.filter(|_| self.takes(Role::Axis))?;
        let form = |one: &Stacked| match one.role {
            Role::Data if one.batched => Some(self.form(one, &one.dims)),
            role if Role::ROWS.contains(&role) && !one.batched => Some(shared(one)),
            _ => None,
        };
        let mut whole = self.made(self.plan.given, self.operands.iter().map(form).collect::<Option<_>>()?);
        whole.plan.settings.axis = Some(if axis < 0 { axis } else { axis + 1 });
        Some(whole)
    }

    /// A store at a mask, of the same for all parts where each has its own: the mask has their axis, or stands behind it.
    fn masked(&self, x: &Stacked, mask: &Stacked) -> Option<Whole> {
        let [Part::Array] = &self.plan.key[..] else { return None };
        let behind_it = x.dims.len().checked_sub(mask.dims.len())?;
        let mut forms = Layings::new();
        for one in self.operands {
            let is_same = !one.batched && self.wanted != Some(one.role);
            forms.push(match one.role {
                Role::Key if !mask.batched => shared(one),
                Role::Data | Role::Key => self.form(one, &one.dims),
                _ if is_same && one.dims.len() <= behind_it => shared(one),
                _ if !mask.batched => self.form(one, &padded(&one.dims, behind_it + 1)?),
                _ => return None,
            });
        }
        let mut whole = self.made(self.plan.given, forms);
        if !mask.batched {
            whole.plan.key.insert(0, Part::Range(Slice::ALL));
        }
        Some(whole)
    }

    /// A subscript: it begins with the numbers of the parts, or with all of them.
    fn subscript(&self) -> Option<Whole> {
        let x = self.find(Role::Data)?;
        let arrays = || self.operands.iter().filter(|one| one.role == Role::Key);
        if self.plan.key.iter().any(|one| matches!(one, Part::Bool(_))) {
            return None;
        }
        if let Some(mask) = arrays().find(|one| one.dtype == DType::Bool) {
            return self.masked(x, mask);
        }
        let named = arrays().next().is_some();
        let is_place = |one: &Part| matches!(one, Part::Array) || named && matches!(one, Part::Int(_));
        let places = || self.plan.key.iter().enumerate().filter(|(_, one)| is_place(one)).map(|(k, _)| k);
        let (first, last) = (places().next(), places().next_back());
        // The axes of the places come first in the result if they begin the key, or are apart in it.
        let leads = first.zip(last).is_some_and(|(first, last)| first == 0 || last - first + 1 > places().count());
        // Else they come behind what stands before them, and with the numbers before all.
        let turned = !leads && arrays().any(|one| one.batched);
        let has_parts = x.batched || self.wanted == Some(Role::Data) || turned;
        let rank = arrays().map(|one| one.dims.len()).max().unwrap_or(0);
        let selected = self.selected(x, rank);
        let order = match first.filter(|_| turned) {
            Some(first) => {
                let head = self.plan.key.get(..first)?;
                let open = head.iter().any(|one| matches!(one, Part::Ellipsis));
                let used = self.plan.key.iter().filter(|one| is_used(one)).count();
                let before = head.len() - usize::from(open) + if open { x.dims.len().saturating_sub(used) } else { 0 };
                let places = before + 1..=before + rank;
                std::iter::once(0).chain(places).chain(1..=before).chain(before + rank + 1..=selected).collect()
            }
            None => Dims::new(),
        };
        let numbered = has_parts && (leads || turned);
        let (mut key, mut sources) = (self.plan.key.clone(), self.plan.arrays.clone());
        if numbered {
            key.insert(0, Part::Array);
            sources.insert(0, (Role::Key, Source::Given));
        } else if has_parts {
            key.insert(0, Part::Range(Slice::ALL));
        }
        let mut forms = Layings::new();
        for one in self.operands {
            let is_same = !one.batched && self.wanted != Some(one.role);
            forms.push(match one.role {
                Role::Data if is_same && !turned => shared(one),
                Role::Data => self.form(one, &one.dims),
                Role::Key if is_same => shared(one),
                Role::Key => self.form(one, &padded(&one.dims, rank)?),
                Role::Values | Role::Array if is_same && (!turned || one.dims.is_empty()) => shared(one),
                Role::Values | Role::Array => {
                    Laid { order: order.clone(), ..self.form(one, &padded(&one.dims, selected)?) }
                }
                _ => return None,
            });
        }
        let mut whole = self.made(self.plan.given, forms);
        if !matches!(self.plan.entry.operation.run, Run::Store) {
            whole.result.order = order;
        }
        let plan = Plan { key, arrays: sources, ..whole.plan };
        // An array that is as wide as the others is read faster than one that is stretched, but not where it is large.
        let mut places = Dims::from_elem(1, rank);
        for (k, extent) in places.iter_mut().enumerate() {
            let extents = arrays().filter_map(|one| one.dims.get((k + one.dims.len()).checked_sub(rank)?));
            *extent = extents.copied().find(|n| *n != 1).unwrap_or(1);
        }
        if places.iter().product::<usize>() > WIDEST {
            places.fill(1);
        }
        Some(Whole { plan, numbered: numbered.then_some(places), ..whole })
    }

    /// How many axes a part of what the key selects has, where its arrays have so many together.
    fn selected(&self, x: &Stacked, rank: usize) -> usize {
        let used = self.plan.key.iter().filter(|one| is_used(one)).count();
        let kept = self.plan.key.iter().filter(|one| matches!(one, Part::Range(_) | Part::NewAxis)).count();
        rank + kept + x.dims.len().saturating_sub(used)
    }

    /// A search. One list is searched for values of any form; of several each place of the other axes has its own.
    fn search(&self) -> Option<Whole> {
        let (sequence, sought) = (self.find(Role::Sequence)?, self.find(Role::Sought)?);
        let (length, rank) = (sequence.dims.len(), sequence.dims.len().max(sought.dims.len()));
        let axis = self.plan.given.axis.map_or(-1, |axis| if axis < 0 { axis } else { axis - length as i64 });
        if axis >= 0 || length == 0 || self.find(Role::Sorter).is_some() {
            return None;
        }
        let flat = length == 1 && sequence.batched;
        let dims = match length {
            1 if flat => Dims::from_elem(sought.dims.iter().product(), 1),
            1 => sought.dims.clone(),
            _ => padded(&sought.dims, rank)?,
        };
        let mut forms = Layings::new();
        for one in self.operands {
            forms.push(match one.role {
                Role::Sequence if !one.batched => shared(one),
                Role::Sequence if flat => self.form(one, &one.dims),
                Role::Sequence => self.form(one, &padded(&one.dims, rank)?),
                _ => self.form(one, &dims),
            });
        }
        let mut whole = self.made(Given { axis: Some(axis), ..self.plan.given }, forms);
        if flat {
            whole.result = Laid::plain(behind(self.parts, &dims), false);
        }
        Some(whole)
    }

    /// Places in one list of bounds.
    fn buckets(&self) -> Option<Whole> {
        if self.find(Role::Sequence)?.batched {
            return None;
        }
        let form = |one: &Stacked| if one.batched { self.form(one, &one.dims) } else { shared(one) };
        Some(self.made(self.plan.given, self.operands.iter().map(form).collect()))
    }
}
