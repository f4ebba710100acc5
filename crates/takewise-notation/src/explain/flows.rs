//! Walking back: what `backward()` does to gradients.

use std::rc::Rc;

use takewise::internal::gradients::put_back;
use takewise::{Index, Reduce, Rules, Tensor, grad};
use takewise_dialects::sig::{self, Arguments};
use takewise_dialects::{Array, EvalError, Value, lookup};
use takewise_explain::data::{Explanation, Kind, Role};

use super::Asked;
use super::action::Action;

/// The explanation of `backward()` and of `torch.autograd.grad()`: these need the history of the arrays themselves. It is
/// kept, and the session's gradients stay as they are.
pub(super) fn backward(asked: &Asked) -> Option<Explanation> {
    let Action::Call(function, arguments) = &asked.action else { return None };
    let (Value::Function(f) | Value::Method(_, f)) = function else { return None };
    let into_leaves = match f.rows.first()?.name {
        "backward" | "autograd.backward" => true,
        "autograd.grad" => false,
        _ => return None,
    };
    let receiver = if let Value::Method(receiver, _) = function { Some((**receiver).clone()) } else { None };
    let (_, call) = sig::bind(f, receiver, arguments.clone(), Rc::clone(&asked.context)).ok()?;
    let given = |names: [&str; 3]| names.into_iter().find_map(|name| call.get(name));
    let inputs = given(["inputs", "grad_variables", "inputs"]);
    let leaves = match &inputs {
        Some(Value::Array(array)) => vec![array.clone()],
        Some(several) => several.items()?.iter().filter_map(|v| v.array().cloned()).collect(),
        None => asked.leaves.iter().map(|(_, leaf)| leaf.clone()).collect::<Vec<_>>(),
    };
    let positional = vec![
        given(["tensors", "outputs", "input"])?,
        Value::list(leaves.iter().cloned().map(Value::Array).collect()),
        given(["gradient", "grad_tensors", "grad_outputs"]).unwrap_or(Value::None),
    ];
    let yes = |name: &str| (name.to_owned(), Value::Bool(true));
    let mut keyword = vec![yes("retain_graph")];
    match into_leaves {
        true => keyword.push(yes("allow_unused")),
        false => {
            let same = ["allow_unused", "materialize_grads", "create_graph"];
            keyword.extend(same.iter().filter_map(|name| Some(((*name).to_owned(), call.get(name)?))));
        }
    }
    let walk = ["autograd", "grad"].iter().try_fold(Value::Module(f.face, ""), |at, name| lookup::attribute(&at, name));
    let walk = Action::Call(walk.ok()?, Arguments { positional, keyword });
    let mut picture = asked.picture(&asked.action);
    let before = leaves.iter().map(|leaf| if into_leaves { collected(leaf) } else { None }).collect::<Vec<_>>();
    for (leaf, before) in leaves.iter().zip(&before) {
        if let Some(before) = before
            && let Ok(open) = before.read_any()
        {
            picture.operand(&format!("{}.grad", name(asked, leaf)), Role::Data, &open.view());
        }
    }
    for (name, array) in &asked.named {
        if let Ok(open) = array.tensor().read_any() {
            picture.name(name, &open.view());
        }
    }
    // Tensors that keep their gradient are passed on the way.
    let keep: Vec<_> = asked.leaves.iter().map(|(_, leaf)| (leaf.tensor(), leaf.tensor().grad())).collect();
    let outcome = picture.watch(false, || {
        let found = walk.perform(&asked.context)?.items().unwrap_or_default();
        let met = found.iter().zip(&before).map(|(new, before)| met(new, before.as_ref()));
        Ok::<_, EvalError>(met.collect::<Vec<_>>())
    });
    keep.into_iter().for_each(|(tensor, grad)| put_back(&tensor, grad));
    let error = outcome.as_ref().err().cloned();
    for (leaf, gradient) in leaves.iter().zip(outcome.unwrap_or_default()) {
        if let Some(gradient) = gradient
            && let Ok(open) = gradient.read_any()
        {
            picture.result(&format!("{}.grad", name(asked, leaf)), &open.view());
        }
    }
    picture.kind(Kind::Gradient);
    Some(asked.finished(picture, error))
}

/// A copy of what an array has collected, if that is dense.
fn collected(leaf: &Array) -> Option<Tensor> {
    leaf.tensor().grad()?.dense()?.clone_data().ok()
}

/// A gradient together with what was there before.
fn met(new: &Value, before: Option<&Tensor>) -> Option<Tensor> {
    let new = match new {
        Value::Array(array) => array.tensor(),
        Value::Sparse(sparse, _) => sparse.to_dense().ok()?,
        _ => return None,
    };
    let Some(before) = before else { return Some(new) };
    let sum = grad::no_grad(|| before.index_accumulate_(&[Index::Ellipsis], &new, Reduce::Sum, &Rules::NEUTRAL));
    sum.ok().map(|()| before.clone())
}

fn name(asked: &Asked, leaf: &Array) -> String {
    let known = asked.leaves.iter().find(|(_, array)| array.same(leaf));
    known.map_or_else(|| "input".to_owned(), |(name, _)| name.clone())
}
