//! The record of an operation, and the list of all.

use takewise::op::Op;
use takewise::{Index, Result, Rules, Tensor};

use crate::call::{Arrays, Call, Given};
use crate::parameter::{Parameter, Role};

/// How a key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By NumPy's rules for the combination of its parts.
    Plain,
    /// Every array has axes of its own.
    Outer,
    /// All arrays together name points.
    Points,
}

/// What runs an operation.
#[derive(Clone, Copy)]
pub enum Run {
    /// A read by one array.
    Read {
        /// Into memory of its own.
        fresh: fn(&Call<'_>) -> Result<Tensor>,
        /// Into the caller's; false where that had another shape and was replaced. On the page there is none.
        into: Option<fn(&Call<'_>, &mut Tensor) -> Result<bool>>,
    },
    /// A write by one array.
    Write {
        /// A changed copy; `None` for what only writes in place.
        copy: Option<fn(&Call<'_>) -> Result<Tensor>>,
        /// Into the array itself.
        place: fn(&Call<'_>) -> Result<()>,
        /// Whether values are combined with what is there.
        combines: fn(&Given) -> bool,
        /// Whether the array is the result; else there is none.
        gives: bool,
    },
    /// A read at a key.
    Subscript(Way),
    /// A write at a key, into a copy too where there is a name for it.
    Store,
    /// All elements, in row-major order.
    Copy,
    /// Zeros with values added at index tuples.
    ScatterNd,
    /// Arrays, each known by its role, give one array or several.
    Arrays(fn(&Arrays<'_>) -> Result<Vec<Tensor>>),
    /// The same where the library of an array has a function of its own that is as good: a call on its arrays is handed over.
    Theirs {
        /// The engine's own answer.
        run: fn(&Arrays<'_>) -> Result<Vec<Tensor>>,
        /// Up to how many elements the engine answers sooner than NumPy's function begins.
        few: usize,
    },
    /// Positions in a sorted sequence.
    SearchSorted,
    /// Positions between boundaries.
    Bucketize,
    /// Coordinates of what is not zero.
    Nonzero,
    /// One of two values.
    Where,
}

/// An operation.
#[derive(Clone, Copy)]
pub struct Operation {
    /// What it is called.
    pub name: &'static str,
    /// What it is called where it writes into its first argument, if it has a name for that.
    pub place: Option<&'static str>,
    /// How errors name it.
    pub op: Op,
    /// The parameters that may be given by position.
    pub parameters: &'static [Parameter],
    /// Those that are given by name.
    pub named: &'static [Parameter],
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// The rest of its documentation, with examples in Python; empty on the page.
    pub more: &'static str,
    /// What runs it.
    pub run: Run,
}

/// A function: an operation under one of its names.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What it does.
    pub operation: &'static Operation,
    /// What it is called.
    pub name: &'static str,
    /// Whether it writes into its first argument.
    pub in_place: bool,
}

impl Operation {
    /// All parameters, in the order of the signature.
    pub fn all(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().chain(self.named)
    }

    /// Whether a list of positions along an axis is for all places of the other axes.
    pub fn is_by_list(&self) -> bool {
        self.all().any(|parameter| parameter.list)
    }

    /// Whether a subscript means what it means between brackets.
    pub fn is_by_subscript(&self) -> bool {
        matches!(self.run, Run::Subscript(Way::Plain) | Run::Store)
    }

    /// Whether it has no other form.
    pub(crate) fn only_in_place(&self) -> bool {
        match self.run {
            Run::Write { copy, .. } => copy.is_none(),
            Run::Store => self.place.is_none(),
            _ => false,
        }
    }
}

impl Entry {
    /// The signature as Python has it.
    pub fn signature(&self) -> String {
        let shown = |p: &Parameter| match p.default {
            Some(default) => format!("{}={default}", p.name),
            None => p.name.to_owned(),
        };
        let Operation { parameters, named, .. } = self.operation;
        let mut parts: Vec<String> = parameters.iter().map(shown).collect();
        if !named.is_empty() {
            parts.push("*".to_owned());
            parts.extend(named.iter().map(shown));
        }
        format!("({})", parts.join(", "))
    }

    /// What it does, in one sentence.
    pub fn summary(&self) -> String {
        match self.operation.place {
            Some(place) if place == self.name => {
                format!("``{}`` into the memory of ``x``, which is returned.", self.operation.name)
            }
            _ => self.operation.summary.to_owned(),
        }
    }

    /// Its documentation as Python has it, with examples.
    pub fn docstring(&self) -> String {
        match self.in_place && self.operation.place.is_some() {
            true => self.summary(),
            false => format!("{}\n\n{}", self.operation.summary, self.operation.more.trim()),
        }
    }

    /// What the parameter of a name is for.
    pub fn role(&self, parameter: &str) -> Option<Role> {
        self.operation.all().find(|p| p.name == parameter).map(|p| p.role)
    }

    /// The parameter for something.
    pub fn parameter(&self, role: Role) -> Option<&'static Parameter> {
        self.operation.all().find(|p| p.role == role)
    }

    /// How errors name it.
    pub fn op(&self) -> Op {
        match self.operation.place {
            // An operation has two names only where errors use them.
            Some(_) => Op::Named(if self.in_place {
                self.operation.place.as_ref().unwrap_or(&self.operation.name)
            } else {
                &self.operation.name
            }),
            None => self.operation.op,
        }
    }
}

impl Way {
    /// The function that reads so.
    pub fn op(self) -> Op {
        match self {
            Way::Plain => Op::Index,
            Way::Outer => Op::OuterIndex,
            Way::Points => Op::PointIndex,
        }
    }

    /// The elements at a key.
    ///
    /// # Errors
    /// What the key and the rules refuse.
    pub fn read(self, x: &Tensor, items: &[Index<'_>], rules: &Rules) -> Result<Tensor> {
        match self {
            Way::Plain => x.index(items, rules),
            Way::Outer => x.oindex(items, rules),
            Way::Points => x.vindex(items, rules),
        }
    }
}
