//! Walking the tape back.

use super::node::{Kind, Node, Part, Target, Window, with_run};
use super::refused;
use crate::dtype::DType;
use crate::error::Result;
use crate::exec::Reduce;
use crate::grad::SparseCoo;
use crate::index::rules::Rules;
use crate::layout::Layout;
use crate::ops::{self, tensor::writing};
use crate::tensor::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A gradient as it was collected: an array, or (where an operation was asked for that) coordinates and values.
#[derive(Clone)]
pub enum Gradient {
    /// An array of the operand's shape.
    Dense(Tensor),
    /// Coordinates and values.
    Sparse(Box<SparseCoo>),
}

impl Gradient {
    /// Extents.
    pub fn shape(&self) -> &[usize] {
        match self {
            Gradient::Dense(t) => t.shape(),
            Gradient::Sparse(s) => s.shape(),
        }
    }

    /// The dtype.
    pub fn dtype(&self) -> DType {
        match self {
            Gradient::Dense(t) => t.dtype(),
            Gradient::Sparse(s) => s.dtype(),
        }
    }

    /// The array: shared if it is one already. Error: kind `Memory`.
    pub fn to_dense(&self) -> Result<Tensor> {
        match self {
            Gradient::Dense(t) => Ok(t.clone()),
            Gradient::Sparse(s) => s.to_dense(),
        }
    }

    /// The array, if it is one.
    pub fn dense(&self) -> Option<&Tensor> {
        match self {
            Gradient::Dense(t) => Some(t),
            Gradient::Sparse(_) => None,
        }
    }

    /// Coordinates and values, if that is what it is.
    pub fn sparse(&self) -> Option<&SparseCoo> {
        match self {
            Gradient::Dense(_) => None,
            Gradient::Sparse(s) => Some(s),
        }
    }
}

impl From<Tensor> for Gradient {
    fn from(t: Tensor) -> Gradient {
        Gradient::Dense(t)
    }
}

impl From<SparseCoo> for Gradient {
    fn from(s: SparseCoo) -> Gradient {
        Gradient::Sparse(Box::new(s))
    }
}

impl From<Gradient> for Part {
    fn from(g: Gradient) -> Part {
        match g {
            Gradient::Dense(t) => Part::Dense(t),
            Gradient::Sparse(s) => Part::Sparse(s),
        }
    }
}

/// The gradient of a node's storage, as far as it has arrived.
enum Sum {
    Nothing,
    /// The storage's elements, one after another.
    Dense(Tensor),
    /// Of one tensor in it.
    Sparse(Box<SparseCoo>, Window),
}

/// A node whose turn has not come.
struct Pending {
    node: Arc<Node>,
    sum: Sum,
}

impl Sum {
    /// The elements, made from whatever there is.
    fn dense(&mut self, node: &Node) -> Result<&mut Tensor> {
        if !matches!(self, Sum::Dense(_)) {
            let zeros = Tensor::zeroed(&[node.space.len.div_ceil(node.dtype.size().max(1))], node.dtype)?;
            if let Sum::Sparse(sparse, window) = std::mem::replace(self, Sum::Dense(zeros)) {
                self.add(node, &window, Part::Dense(sparse.to_dense()?))?;
            }
        }
        match self {
            Sum::Dense(t) => Ok(t),
            _ => Err(refused("backward", "a gradient of no kind")),
        }
    }

    /// Adds the gradient of a tensor in the storage.
    fn add(&mut self, node: &Node, window: &Window, part: Part) -> Result<()> {
        let part = match (part, &mut *self) {
            (Part::Nothing | Part::Same, _) => return Ok(()),
            (Part::Sparse(s), Sum::Nothing) => {
                *self = Sum::Sparse(Box::new(s.to(node.dtype)?), window.clone());
                return Ok(());
            }
            (Part::Sparse(s), Sum::Sparse(sum, at)) if at == window => {
                **sum = sum.add(&s.to(node.dtype)?)?;
                return Ok(());
            }
            (Part::Sparse(s), _) => s.to_dense()?,
            (Part::Dense(t), _) => t,
        };
        let mut part = part.to(node.dtype)?;
        let whole = window.layout.is_contiguous(node.dtype.size())
            && window.offset == node.space.low
            && part.numel() * node.dtype.size() == node.space.len
            && part.is_contiguous();
        if whole && matches!(self, Sum::Nothing) && part.unique().is_some() {
            let flat = Layout::contiguous(&[part.numel()], node.dtype.size())?;
            *self = Sum::Dense(part.arranged(0, flat));
            return Ok(());
        }
        if part.numel() == 0 {
            return Ok(());
        }
        let flat = self.dense(node)?;
        let by = window.offset as isize - node.space.low as isize;
        let part = part.read_any()?;
        match flat.unique() {
            Some(mut flat) => ops::add_at(&part.view(), &mut flat, by, &window.layout),
            None => Err(refused("backward", "a gradient in the making is in use")),
        }
    }
}

/// The part of a storage's gradient that belongs to a tensor in it.
fn seen(flat: &Tensor, node: &Node, window: &Window) -> Tensor {
    flat.arranged(window.offset as isize - node.space.low as isize, window.layout.clone())
}

impl Tensor {
    /// Adds to every leaf this tensor was computed from the gradient of this tensor times `gradient`, which has its
    /// shape (any dtype; cast) and may be left out for one element: then it is 1.
    ///
    /// Gradients add up in [`Tensor::grad`] from call to call. What operations saved is released unless `retain_graph`
    /// says that the same graph will be walked again. The bits do not depend on the number of threads.
    ///
    /// Errors, kind `Argument`, class RuntimeError, in torch's words: this tensor does not require a gradient; no
    /// `gradient` for several elements, or one of another shape; a graph walked a second time; a saved operand changed
    /// in place since. Gradients of leaves reached before the error stay. Cost: one pass for each operation, in the
    /// order they were recorded, backwards.
    ///
    /// ```
    /// use takewise::{index::TORCH, Tensor};
    /// let mut w = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
    /// w.requires_grad_(true)?;
    /// let y = w.gather(&Tensor::from_slice(&[2i64, 2], &[2])?, 0, &TORCH.gather)?;
    /// assert_eq!(y.grad_fn(), Some("GatherBackward0"));
    /// y.backward(Some(&Tensor::from_slice(&[1.0f32, 10.0], &[2])?), false)?;
    /// assert_eq!(w.grad().unwrap().to_dense()?.to_vec::<f32>()?, [0.0, 0.0, 11.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn backward(&self, gradient: Option<&Tensor>, retain_graph: bool) -> Result<()> {
        let op = "backward";
        let Some(root) = self.node() else {
            return Err(refused(op, "element 0 of tensors does not require grad and does not have a grad_fn"));
        };
        let gradient = match gradient {
            None if self.numel() != 1 => {
                return Err(refused(op, "grad can be implicitly created only for scalar outputs"));
            }
            None => self.detach().ones_like()?,
            Some(g) if g.shape() != self.shape() => {
                let text = format!(
                    "Mismatch in shape: grad_output[0] has a shape of torch.Size({:?}) and output[0] has a shape of \
                     torch.Size({:?}).",
                    g.shape(),
                    self.shape()
                );
                return Err(refused(op, text));
            }
            Some(g) => g.detach(),
        };
        let mut sum = Sum::Nothing;
        sum.add(&root, &Window::of(self), Part::Dense(gradient))?;
        let mut waiting = BTreeMap::from([(root.number, Pending { node: root, sum })]);
        while let Some((_, next)) = waiting.pop_last() {
            match &next.node.kind {
                Kind::Leaf { window, .. } => collect(&next.node, window, next.sum)?,
                Kind::Op { .. } => step(next, retain_graph, &mut waiting)?,
            }
        }
        Ok(())
    }
}

/// Hands the gradient of one operation's result on to its operands.
fn step(at: Pending, retain_graph: bool, waiting: &mut BTreeMap<u64, Pending>) -> Result<()> {
    let Pending { node, mut sum } = at;
    let Kind::Op { window, targets, saves, run } = &node.kind else { return Ok(()) };
    let wanted: Vec<bool> = targets.iter().map(|t| !matches!(t, Target::Nothing | Target::Before(None))).collect();
    let g = seen(sum.dense(&node)?, &node, window);
    let parts = with_run(run, *saves && !retain_graph, |run| run(&g, &wanted)).ok_or_else(|| {
        let text = "Trying to backward through the graph a second time (or directly access saved tensors after they \
                    have already been freed). Saved intermediate values of the graph are freed when you call \
                    .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the \
                    graph a second time or if you need to access saved tensors after calling backward.";
        refused("backward", text)
    })??;
    let mut own = None;
    for (target, part) in targets.iter().zip(parts) {
        match target {
            Target::Nothing | Target::Before(None) => {}
            Target::Before(Some(before)) => own = Some((before, part)),
            Target::Edge(edge) => {
                let part = match part {
                    Part::Same => Part::Dense(g.clone()),
                    other => other,
                };
                let next = waiting
                    .entry(edge.node.number)
                    .or_insert_with(|| Pending { node: edge.node.clone(), sum: Sum::Nothing });
                next.sum.add(&edge.node, &edge.window, part)?;
            }
        }
    }
    drop(g);
    let Some((before, part)) = own else { return Ok(()) };
    // The state before has the same gradient but where the operation wrote.
    if let Part::Dense(mine) = part {
        let mine = mine.read_any()?;
        let flat = sum.dense(&node)?;
        let by = window.offset as isize - node.space.low as isize;
        if let Some(view) = flat.unique().filter(|_| mine.view().numel() > 0) {
            ops::copy_into(&mine.view(), &mut view.rearranged(by, window.layout.clone()))?;
        }
    }
    let next = waiting.entry(before.number).or_insert_with(|| Pending { node: before.clone(), sum: Sum::Nothing });
    let flat = std::mem::replace(sum.dense(&node)?, Tensor::zeroed(&[0], node.dtype)?);
    match next.sum {
        Sum::Nothing => next.sum = Sum::Dense(flat),
        _ => {
            let all = Window { offset: node.space.low, layout: flat.layout.clone() };
            next.sum.add(before, &all, Part::Dense(flat))?;
        }
    }
    Ok(())
}

/// Adds to the gradient a leaf holds.
fn collect(node: &Node, window: &Window, mut sum: Sum) -> Result<()> {
    let new = match &sum {
        Sum::Sparse(sparse, at) if at == window => Gradient::Sparse(sparse.clone()),
        _ => Gradient::Dense(seen(sum.dense(node)?, node, window)),
    };
    drop(sum);
    let total = match (node.grad(), new) {
        (None, new) => new,
        (Some(Gradient::Dense(old)), Gradient::Dense(new)) => {
            writing("backward", &old, &[&new], &Rules::NEUTRAL, |r, dst| ops::combine(dst, &r.get(0), Reduce::Sum))?;
            old.into()
        }
        (Some(Gradient::Dense(old)), Gradient::Sparse(new)) => {
            writing("backward", &old, &[], &Rules::NEUTRAL, |_, dst| new.add_into(dst))?;
            old.into()
        }
        (Some(Gradient::Sparse(old)), Gradient::Sparse(new)) => old.add(&new)?.into(),
        (Some(Gradient::Sparse(old)), Gradient::Dense(new)) => {
            writing("backward", &new, &[], &Rules::NEUTRAL, |_, dst| old.add_into(dst))?;
            new.into()
        }
    };
    node.set_grad(Some(total));
    Ok(())
}
