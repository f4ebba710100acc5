//! Where gradients flow: the sources of every element, turned round.

use std::collections::BTreeMap;

use takewise::DType;

use crate::data::{Cell, Explanation, Flow, FlowTo, How, MOST, Pointer};
use crate::history::History;
use crate::outcome::Named;

/// For every operand that takes a gradient, and whose share can be told as a sum: what flows to its elements.
pub(crate) fn all(history: &History, made: &Explanation, results: &[Named]) -> Vec<Flow> {
    let takes = |dtype: DType| dtype.is_float() || dtype.is_complex();
    let mut flows: BTreeMap<usize, BTreeMap<usize, Vec<Pointer>>> = BTreeMap::new();
    let mut untold: Vec<usize> = Vec::new();
    if made.error.is_some() {
        return Vec::new();
    }
    for (number, (outcome, named)) in made.results.iter().zip(results).enumerate() {
        if !takes(named.lain.dtype) {
            continue;
        }
        if let Some(base) = outcome.base {
            let own: BTreeMap<usize, &Cell> = outcome.cells.iter().map(|cell| (cell.at, cell)).collect();
            for at in 0..named.lain.layout.numel().min(MOST) {
                match own.get(&at) {
                    None => {}
                    Some(cell) if cell.with_self && cell.how == How::Sum => {}
                    Some(cell) if cell.with_self => {
                        untold.push(base);
                        continue;
                    }
                    Some(_) => continue,
                }
                flows.entry(base).or_default().entry(at).or_default().push(Pointer { operand: number, at });
            }
        }
        for cell in &outcome.cells {
            let told = matches!(cell.how, How::Copy | How::Last | How::First | How::Sum);
            for source in cell.sources.iter().filter(|source| source.used) {
                let Some(operand) = source.operand else { continue };
                if !told && cell.how != How::Position || source.times.is_some() {
                    untold.push(operand);
                } else if told {
                    let to = flows.entry(operand).or_default().entry(source.at).or_default();
                    to.push(Pointer { operand: number, at: cell.at });
                }
            }
        }
    }
    let known = |operand: &usize| {
        let dtype = history.operands.get(*operand).map(|known| known.lain.dtype);
        dtype.is_some_and(takes) && !untold.contains(operand)
    };
    let to = |to: BTreeMap<usize, Vec<Pointer>>| to.into_iter().map(|(at, from)| FlowTo { at, from }).collect();
    flows.into_iter().filter(|(k, _)| known(k)).map(|(operand, all)| Flow { operand, to: to(all) }).collect()
}
