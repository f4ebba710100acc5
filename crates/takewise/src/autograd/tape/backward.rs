//! Walking the tape back.

use super::gradient::Gradient;
use super::node::{Contribution, Edge, GraphPlace, Node, NodeKind, Target, Window, with_run};
use super::sum::{Sum, SumBlock};
use super::{refused, set_grad_enabled};
use crate::error::{Error, Fault, GradientRule, Result};
use crate::exec::Reduce;
use crate::guard::AtEnd;
use crate::index::rules::Rules;
use crate::layout::Dims;
use crate::op::Op;
use crate::ops::{self, writing};
use crate::tensor::{Tensor, Trail};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// What becomes of the graph that is walked.
///
/// ```
/// use takewise::grad::Graph;
/// assert!(Graph::CREATE.retain && Graph::CREATE.create && !Graph::default().retain);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Keep what the operations saved, to walk the same graph again: torch's `retain_graph`.
    pub retain: bool,
    /// Record the walk itself, so that the gradients can be differentiated in turn: torch's `create_graph`. Gradients a
    /// leaf holds lead back to that leaf then, and are freed when it lets go of them.
    pub create: bool,
}

impl Graph {
    /// Keeps what was saved.
    pub const RETAIN: Graph = Graph { retain: true, create: false };
    /// Records the walk, and keeps what was saved for it.
    pub const CREATE: Graph = Graph { retain: true, create: true };
}

/// Adds to leaves the gradients of all `outputs`, each times its gradient: [`Tensor::backward`] of several at once, or
/// (with `inputs`) for some leaves alone. Inputs that are no leaves keep their gradient from then on, as
/// [`Tensor::retain_grad`] says. Source: torch.autograd.backward.
///
/// Errors as [`Tensor::backward`]; also kind `Argument` for an empty list of inputs or one that does not require a
/// gradient.
pub fn backward(outputs: &[(&Tensor, Option<&Tensor>)], inputs: Option<&[&Tensor]>, graph: Graph) -> Result<()> {
    let Some(inputs) = inputs else {
        return Walk::over(outputs, graph, Ends::Leaves, &mut []);
    };
    if inputs.is_empty() {
        return Err(refused(Op::Backward, "`inputs` argument to `backward()` cannot be empty."));
    }
    inputs.iter().try_for_each(|t| t.retain_grad())?;
    let edges: Vec<Edge> = inputs.iter().filter_map(|t| Edge::to(t)).collect();
    Walk::over(outputs, graph, Ends::These(&edges), &mut [])
}

/// The gradients of all `outputs`, each times its gradient, with respect to `inputs`: torch's `torch.autograd.grad`.
///
/// Nothing is added to the leaves. Inputs may be leaves, results or views; one that the outputs do not depend on is an
/// error, or `None` with `allow_unused`. With [`Graph::CREATE`] the gradients can be differentiated again. Only
/// operations between outputs and inputs are walked.
///
/// Errors, kind `Argument`, class RuntimeError: those of [`Tensor::backward`]; no inputs; an input that does not require
/// a gradient, is not used, or is a view whose coordinates share memory and that is viewed further.
///
/// ```
/// use takewise::{Reduce, Rules, Tensor, grad::{self, Graph}};
/// let mut x = Tensor::from_slice(&[2.0f64, 3.0], &[2])?;
/// x.requires_grad_(true)?;
/// // y = x0 * x1
/// let index = Tensor::from_slice(&[0i64], &[1])?;
/// let y = x.narrow(0, 0, 1)?.scatter_reduce(0, &index, &x.narrow(0, 1, 1)?, Reduce::Prod, true, &Rules::NEUTRAL)?;
/// let dy = grad::grad(&[(&y, None)], &[&x], Graph::CREATE, false)?.remove(0).unwrap().to_dense()?;
/// assert_eq!(dy.to_vec::<f64>()?, [3.0, 2.0]);
/// let ones = dy.detach().ones_like()?;
/// let second = grad::grad(&[(&dy, Some(&ones))], &[&x], Graph::default(), false)?.remove(0).unwrap();
/// assert_eq!(second.to_dense()?.to_vec::<f64>()?, [1.0, 1.0]);
/// # Ok::<(), takewise::Error>(())
/// ```
pub fn grad(
    outputs: &[(&Tensor, Option<&Tensor>)],
    inputs: &[&Tensor],
    graph: Graph,
    allow_unused: bool,
) -> Result<Vec<Option<Gradient>>> {
    let op = Op::Grad;
    if inputs.is_empty() {
        return Err(refused(op, "`inputs` argument to `grad()` cannot be empty."));
    }
    let mut edges = Vec::with_capacity(inputs.len());
    for t in inputs {
        if t.node().is_some() && !t.is_leaf() {
            t.check_traced(op)?;
        }
        let edge = Edge::to(t).ok_or_else(|| refused(op, "One of the differentiated Tensors does not require grad"))?;
        edges.push(edge);
    }
    let mut found = vec![None; inputs.len()];
    Walk::over(outputs, graph, Ends::Found(&edges), &mut found)?;
    match found.iter().position(Option::is_none).filter(|_| !allow_unused) {
        None => Ok(found),
        Some(at) => {
            let text = format!(
                "The differentiated Tensor at index {at} appears to not have been used in the graph. Set \
                 allow_unused=True if this is the desired behavior."
            );
            Err(refused(op, text))
        }
    }
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
    /// use takewise::{Rules, Tensor};
    /// let mut w = Tensor::from_slice(&[1.0f32, 2.0, 3.0], &[3])?;
    /// w.requires_grad_(true)?;
    /// let y = w.gather(0, &Tensor::from_slice(&[2i64, 2], &[2])?, &Rules::NEUTRAL)?;
    /// assert_eq!(y.grad_fn().unwrap().op(), takewise::grad::NodeOp::Gather);
    /// y.backward(Some(&Tensor::from_slice(&[1.0f32, 10.0], &[2])?), false)?;
    /// assert_eq!(w.grad().unwrap().to_dense()?.to_vec::<f32>()?, [0.0, 0.0, 11.0]);
    /// # Ok::<(), takewise::Error>(())
    /// ```
    pub fn backward(&self, gradient: Option<&Tensor>, retain_graph: bool) -> Result<()> {
        backward(&[(self, gradient)], None, Graph { retain: retain_graph, create: false })
    }
}

/// Where a walk ends.
enum Ends<'e> {
    /// At the leaves, which collect.
    Leaves,
    /// At these, which collect or keep.
    These(&'e [Edge]),
    /// At these, whose gradients are handed over.
    Found(&'e [Edge]),
}

/// A tensor whose gradient is watched for on its own.
struct Awaited {
    edge: Edge,
    /// What arrived for the tensor, in its own shape.
    direct: Sum,
    /// What arrived for views of it, in the storage's geometry.
    parts: Sum,
    /// Its number among the inputs; else it is kept by the node.
    input: Option<usize>,
}

/// A node whose turn has not come.
struct Pending {
    node: Arc<Node>,
    sum: Sum,
    watches: Vec<Awaited>,
}

struct Walk<'e> {
    graph: Graph,
    ends: Ends<'e>,
    /// The nodes to run or collect at, if not all.
    needed: Option<HashSet<u64>>,
    waiting: BTreeMap<u64, Pending>,
}

impl Node {
    fn block(&self) -> SumBlock {
        SumBlock { space: self.space, dtype: self.dtype }
    }
}

impl Awaited {
    fn of(node: &Arc<Node>, window: Window, trail: Option<Arc<Trail>>, input: Option<usize>) -> Awaited {
        let edge = Edge { node: node.clone(), window, trail };
        Awaited { edge, direct: Sum::Nothing, parts: Sum::Nothing, input }
    }

    /// Takes note of a gradient that arrives along `edge`.
    fn note(&mut self, edge: &Edge, part: &Contribution) -> Result<()> {
        let Some(own) = &self.edge.trail else { return Ok(()) };
        let Some(trail) = edge.trail.as_ref().filter(|t| t.passes(own)) else { return Ok(()) };
        let dtype = edge.node.dtype;
        if Arc::ptr_eq(trail, own) {
            let (block, whole) = SumBlock::filled_by(self.edge.window.layout.shape(), dtype)?;
            return self.direct.add(block, &whole, part.share()?);
        }
        if crate::layout::meets_itself(&self.edge.window.layout, dtype.size()) {
            let text = "a view whose coordinates share memory is viewed again: what flows through its coordinates is not \
                        told apart; copy it first";
            return Err(refused(Op::Backward, text));
        }
        self.parts.add(edge.node.block(), &edge.window, part.share()?)
    }

    /// The whole gradient, if any came.
    fn total(mut self, sum: &mut Sum) -> Result<Option<Gradient>> {
        let (node, window) = (&self.edge.node, &self.edge.window);
        if self.edge.trail.is_none() {
            return sum.gradient(node.block(), window).map(Some);
        }
        let (block, whole) = SumBlock::filled_by(window.layout.shape(), node.dtype)?;
        if !self.parts.is_nothing() {
            let parts = self.parts.seen(node.block(), window)?;
            self.direct.add(block, &whole, Contribution::Dense(parts))?;
        }
        if self.direct.is_nothing() { Ok(None) } else { self.direct.gradient(block, &whole).map(Some) }
    }
}

impl Contribution {
    /// The same gradient for somebody else.
    fn share(&self) -> Result<Contribution> {
        Ok(match self {
            Contribution::Dense(t) => Contribution::Dense(t.clone()),
            Contribution::Sparse(s) => Contribution::Sparse(s.clone()),
            Contribution::Nothing | Contribution::Same => Contribution::Nothing,
        })
    }
}

impl<'e> Walk<'e> {
    fn over(
        outputs: &[(&Tensor, Option<&Tensor>)],
        graph: Graph,
        ends: Ends<'e>,
        found: &mut [Option<Gradient>],
    ) -> Result<()> {
        let roots = outputs.iter().enumerate().map(|(k, (out, g))| root(k, out, *g, graph.create));
        let roots = roots.collect::<Result<Vec<_>>>()?;
        let needed = match &ends {
            Ends::Leaves => None,
            Ends::These(edges) | Ends::Found(edges) => {
                Some(leading_to(edges, roots.iter().map(|(edge, _)| &edge.node)))
            }
        };
        let before = set_grad_enabled(graph.create);
        let _back = AtEnd(|| _ = set_grad_enabled(before));
        let mut walk = Walk { graph, ends, needed, waiting: BTreeMap::new() };
        for (edge, g) in roots {
            walk.arrive(&edge, Contribution::Dense(g))?;
        }
        while let Some((_, next)) = walk.waiting.pop_last() {
            walk.visit(next, found)?;
        }
        Ok(())
    }

    /// The node, waiting for its turn.
    fn pending(&mut self, node: &Arc<Node>) -> &mut Pending {
        let ends = &self.ends;
        self.waiting.entry(node.number).or_insert_with(|| {
            let kept = node.kept().iter().map(|r| Awaited::of(node, r.window.clone(), r.trail.clone(), None)).collect();
            let mut watches: Vec<Awaited> = kept;
            if let Ends::Found(edges) = ends {
                let mine = edges.iter().enumerate().filter(|(_, e)| Arc::ptr_eq(&e.node, node));
                watches.extend(mine.map(|(k, e)| Awaited::of(node, e.window.clone(), e.trail.clone(), Some(k))));
            }
            Pending { node: node.clone(), sum: Sum::Nothing, watches }
        })
    }

    /// A gradient arrives at a tensor.
    fn arrive(&mut self, edge: &Edge, part: Contribution) -> Result<()> {
        let pending = self.pending(&edge.node);
        pending.watches.iter_mut().try_for_each(|w| w.note(edge, &part))?;
        pending.sum.add(edge.node.block(), &edge.window, part)
    }

    /// All gradients of a node's storage are there: those watched for are handed out, and it is walked through.
    fn visit(&mut self, at: Pending, found: &mut [Option<Gradient>]) -> Result<()> {
        let Pending { node, mut sum, watches } = at;
        for watch in watches {
            let (input, edge) = (watch.input, watch.edge.clone());
            let Some(total) = watch.total(&mut sum)? else { continue };
            match input {
                Some(k) => found[k] = Some(total),
                None => {
                    let (window, trail) = (&edge.window, edge.trail.as_ref());
                    let old = node.kept_of(window, trail, |kept| kept.grad.take()).flatten();
                    let total = together(old, apart(total)?, self.graph.create)?;
                    node.kept_of(window, trail, |kept| kept.grad = Some(total));
                }
            }
        }
        match &node.kind {
            NodeKind::Leaf { window, .. } => {
                let collects = match &self.ends {
                    Ends::Leaves => true,
                    Ends::These(edges) => edges.iter().any(|e| e.trail.is_none() && Arc::ptr_eq(&e.node, &node)),
                    Ends::Found(_) => false,
                };
                if collects {
                    let new = sum.gradient(node.block(), window)?;
                    drop(sum);
                    let new = if self.graph.create { apart(new)? } else { new };
                    node.set_grad(Some(together(node.grad(), new, self.graph.create)?));
                }
                Ok(())
            }
            NodeKind::Op { .. } if self.needed.as_ref().is_some_and(|n| !n.contains(&node.number)) => Ok(()),
            NodeKind::Op { .. } => self.step(&node, sum),
        }
    }

    /// Hands the gradient of one operation's result on to its operands.
    fn step(&mut self, node: &Arc<Node>, mut sum: Sum) -> Result<()> {
        let NodeKind::Op { window, targets, saves, run } = &node.kind else { return Ok(()) };
        let g = sum.seen(node.block(), window)?;
        let place = GraphPlace { window, targets };
        let parts = with_run(run, *saves && !self.graph.retain, |run| run(&g, &place)).ok_or_else(|| {
            let text = "Trying to backward through the graph a second time (or directly access saved tensors after they \
                        have already been freed). Saved intermediate values of the graph are freed when you call \
                        .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the \
                        graph a second time or if you need to access saved tensors after calling backward.";
            refused(Op::Backward, text)
        })??;
        let mut own = None;
        for (target, part) in targets.iter().zip(parts) {
            match target {
                Target::Nothing | Target::Before(None) => {}
                Target::Before(Some(before)) => own = Some((before, part)),
                Target::Edge(edge) => {
                    let part = match part {
                        Contribution::Same => Contribution::Dense(g.clone()),
                        other => other,
                    };
                    self.arrive(edge, part)?;
                }
            }
        }
        drop(g);
        let Some((before, part)) = own else { return Ok(()) };
        // The state before has the same gradient but where the operation wrote.
        if let Contribution::Dense(mine) = part {
            sum.replace(node.block(), window, &mine)?;
        }
        let flat = std::mem::replace(sum.dense(node.block())?, Tensor::zeroed(&[0], node.dtype)?);
        let next = self.pending(before);
        match next.sum {
            Sum::Nothing => next.sum = Sum::Dense(flat),
            _ => {
                let all = Window { offset: node.space.low, layout: flat.layout().clone() };
                next.sum.add(before.block(), &all, Contribution::Dense(flat))?;
            }
        }
        Ok(())
    }
}

/// The tensor a walk starts at, and its gradient.
fn root(k: usize, output: &Tensor, gradient: Option<&Tensor>, create: bool) -> Result<(Edge, Tensor)> {
    let op = Op::Backward;
    let Some(edge) = Edge::to(output) else {
        return Err(refused(op, format!("element {k} of tensors does not require grad and does not have a grad_fn")));
    };
    let gradient = match gradient {
        None if output.numel() != 1 => {
            return Err(refused(op, "grad can be implicitly created only for scalar outputs"));
        }
        None => output.detach().ones_like()?,
        Some(g) if g.shape() != output.shape() => {
            let (given, wanted) = (Dims::from_slice(g.shape()), Dims::from_slice(output.shape()));
            return Err(Error::plain(Fault::Gradient { op, rule: GradientRule::Shape { output: k, given, wanted } }));
        }
        Some(g) if create => g.clone(),
        Some(g) => g.detach(),
    };
    Ok((edge, gradient))
}

/// The nodes reachable from the roots from which one of the ends can be reached.
fn leading_to<'n>(ends: &[Edge], roots: impl Iterator<Item = &'n Arc<Node>>) -> HashSet<u64> {
    let ends: HashSet<u64> = ends.iter().map(|e| e.node.number).collect();
    let mut reached: BTreeMap<u64, Arc<Node>> = BTreeMap::new();
    let mut rest: Vec<Arc<Node>> = roots.cloned().collect();
    while let Some(node) = rest.pop() {
        if let NodeKind::Op { targets, .. } = &node.kind {
            rest.extend(targets.iter().filter_map(Target::node).filter(|n| !reached.contains_key(&n.number)).cloned());
        }
        reached.insert(node.number, node);
    }
    let mut needed = HashSet::new();
    // Nodes point to smaller numbers.
    for (number, node) in &reached {
        let NodeKind::Op { targets, .. } = &node.kind else { continue };
        if targets.iter().filter_map(Target::node).any(|n| ends.contains(&n.number) || needed.contains(&n.number)) {
            needed.insert(*number);
        }
    }
    needed
}

/// A gradient and what comes in addition. Where nothing is recorded it is added in the memory of the one there was, for
/// whoever holds that; else the sum is another tensor.
fn together(old: Option<Gradient>, new: Gradient, create: bool) -> Result<Gradient> {
    let Some(old) = old else { return Ok(new) };
    if create {
        let (block, whole) = SumBlock::filled_by(old.shape(), old.dtype())?;
        let mut sum = Sum::Nothing;
        sum.add(block, &whole, old.into())?;
        sum.add(block, &whole, new.into())?;
        return sum.gradient(block, &whole);
    }
    Ok(match (old, new) {
        (Gradient::Dense(old), Gradient::Dense(new)) => {
            writing(Op::Backward, &old, &[&new], &Rules::NEUTRAL, |r, dst| ops::combine(dst, &r.get(0), Reduce::Sum))?;
            old.into()
        }
        (Gradient::Dense(old), Gradient::Sparse(new)) => {
            writing(Op::Backward, &old, &[], &Rules::NEUTRAL, |_, dst| new.add_into(dst))?;
            old.into()
        }
        (Gradient::Sparse(old), Gradient::Sparse(new)) => old.add(&new)?.into(),
        (Gradient::Sparse(old), Gradient::Dense(new)) => {
            writing(Op::Backward, &new, &[], &Rules::NEUTRAL, |_, dst| old.add_into(dst))?;
            new.into()
        }
    })
}

/// A gradient that shares memory with no other.
fn apart(gradient: Gradient) -> Result<Gradient> {
    match gradient {
        Gradient::Dense(t) => Ok(t.clone_data()?.into()),
        sparse => Ok(sparse),
    }
}
