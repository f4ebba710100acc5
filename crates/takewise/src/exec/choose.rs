//! How a call is run: the one place where a strategy is chosen.
//!
//! [`TABLE`] is read from the top; the first row that serves a call is its strategy. It is asked once a call, and once a part
//! where a part has a plan of its own. All strategies give the same bits: they differ in speed and in memory alone.

use super::call::{Call, Leaf, Stage};
use super::costs::{FORCED, PREFERRED, costs, under};
use super::far::Reach;
use super::group::job::Job;
use super::group::start;
use super::strategy::Strategy;
use super::strips::Strips;
use super::write::blocks::Short;
use super::write::{last_position, shadow};
use super::{mask, read, small};
use crate::error::{ArgumentRule, Fault, Result};
use crate::index::rules::Outside;
use std::fmt;

/// What is done with the elements: each a bit, so that a row says for which it is.
const READ: u8 = 1;
const STORE: u8 = 2;
const SUM: u8 = 4;
const ALL: u8 = READ | STORE | SUM;

const fn verb(leaf: Leaf) -> u8 {
    match leaf {
        Leaf::Check => 0,
        Leaf::Read { .. } => READ,
        Leaf::Write { .. } => STORE,
        Leaf::Combine { .. } | Leaf::Widen { .. } | Leaf::Through { .. } => SUM,
    }
}

/// A strategy, when it serves, and why it is taken then.
struct Row {
    strategy: Strategy,
    /// Its name as it is printed.
    name: &'static str,
    /// When it is taken and what that saves, in words.
    reason: &'static str,
    /// What it is for: reads, stores, sums.
    verbs: u8,
    /// The innermost stage it is for.
    until: Stage,
    /// Whether it is for sums that need all contributions of a place together, or for all other calls.
    groups: bool,
    serves: fn(&Facts) -> bool,
}

/// What rows ask about a call.
struct Facts<'a, 'c> {
    call: &'a Call<'c>,
    forms: &'a Forms<'c>,
}

impl Row {
    const fn new(
        strategy: Strategy,
        name: &'static str,
        reason: &'static str,
        verbs: u8,
        until: Stage,
        serves: fn(&Facts) -> bool,
    ) -> Row {
        Row { strategy, name, reason, verbs, until, groups: false, serves }
    }

    #[inline]
    fn takes(&self, facts: &Facts) -> bool {
        self.verbs & verb(facts.call.leaf) != 0
            && facts.call.stage <= self.until
            && self.groups == facts.call.group.is_some()
            && (self.serves)(facts)
    }

    /// What it is for, in words.
    fn serves_what(&self) -> &'static str {
        match (self.verbs, self.groups) {
            (_, true) => "sums that need all of a place",
            (READ, _) => "reads",
            (STORE, _) => "stores",
            (verbs, _) if verbs == STORE | SUM => "stores, sums",
            (verbs, _) if verbs == READ | STORE => "reads, stores",
            _ => "all",
        }
    }
}

const fn grouped(row: Row) -> Row {
    Row { groups: true, ..row }
}

/// The table, in reading order.
const TABLE: &[Row] = &[
    Row::new(
        Strategy::Small,
        "small call",
        "at most 32 positions: all are resolved and checked on the stack, then moved",
        ALL,
        Stage::Inner,
        |f| small::suits(f.call.plan),
    ),
    Row::new(
        Strategy::Fetch,
        "fetch",
        "a mapped file of which few pages are touched: what is in memory is copied; else the bytes are asked for at once, in the order in which they lie there",
        READ,
        Stage::Whole,
        |f| f.forms.far.is_some(),
    ),
    Row::new(
        Strategy::MaskWords,
        "mask words",
        "a mask over elements side by side: whole words of it pack, spread or fill them, without a list of positions",
        READ | STORE,
        Stage::Part,
        |f| f.forms.mask.is_some(),
    ),
    grouped(Row::new(
        Strategy::StartValues,
        "start values",
        "places start anew and nothing else is special: the identity is stored first, then values are combined in place",
        SUM,
        Stage::Whole,
        |f| start::serves(f.call),
    )),
    grouped(Row::new(
        Strategy::Dense,
        "dense",
        "all contributions of a place are needed at once and places lie close: each has a counter, and a sum where needed",
        SUM,
        Stage::Whole,
        |f| Job::of(f.call).is_some_and(|job| job.counts_pay()),
    )),
    grouped(Row::new(
        Strategy::Sorted,
        "sorted",
        "all contributions of a place are needed at once and places lie far apart: positions are sorted by place",
        SUM,
        Stage::Whole,
        |_| true,
    )),
    Row::new(
        Strategy::LastPosition,
        "last position",
        "few places that many positions name: each place is told its last position, and gets that value",
        STORE,
        Stage::Whole,
        |f| f.forms.short.as_ref().is_some_and(|short| last_position::serves(f.call, short)),
    ),
    Row::new(
        Strategy::ShadowCopy,
        "shadow copy",
        "a small destination and many indices that may be bad: the write goes into a copy, which is put back if all were good",
        STORE | SUM,
        Stage::Whole,
        |f| !f.call.private && shadow::extent(f.call).is_some(),
    ),
    Row::new(
        Strategy::Strips,
        "strips",
        "an axis that is not the last, and rows far apart: strips of columns are packed where the cache holds them",
        ALL,
        Stage::Inner,
        |f| f.forms.strips.is_some(),
    ),
    Row::new(
        Strategy::Partition,
        "partition",
        "writes that jump about in a destination beyond the caches: positions are sorted into buckets of near places first",
        STORE | SUM,
        Stage::Part,
        |f| {
            let divides = f.call.above.is_none_or(|above| above == Strategy::Partition);
            // SAFETY: the operands are the plan's (L1).
            divides && f.forms.short.as_ref().is_some_and(|short| unsafe { short.partitions(f.call.operands) })
        },
    ),
    Row::new(
        Strategy::FusedWrite,
        "fused write",
        "one index axis and long rows of elements: each index value is checked and written by in one pass",
        STORE | SUM,
        Stage::Part,
        |f| f.forms.short.as_ref().is_some_and(Short::places),
    ),
    Row::new(
        Strategy::ShortBlocks,
        "short blocks",
        "one index axis and long rows of whole chunks: blocks of 64 stay in registers, the next one is resolved ahead",
        STORE | SUM,
        Stage::Part,
        |f| f.forms.short.is_some() && f.call.plan.rules.outside == Outside::Raise,
    ),
    Row::new(
        Strategy::Transpose,
        "transpose",
        "nothing is indexed and the sides run along different axes: square blocks are turned in registers",
        READ | STORE,
        Stage::Part,
        |f| read::transpose::serves(f.call),
    ),
    Row::new(
        Strategy::FusedRead,
        "fused read",
        "one or two index axes and a contiguous result: each index value is checked and read by in one pass",
        READ,
        Stage::Part,
        |f| read::fused::serves(f.call),
    ),
    Row::new(
        Strategy::SharedOffsets,
        "shared offsets",
        "one list of offsets serves many rows: it is resolved once, a tile at a time",
        READ,
        Stage::Part,
        |f| read::shared::serves(f.call),
    ),
    Row::new(
        Strategy::Blocks,
        "blocks",
        "any other plan: blocks of offsets, served lane by lane or position by position",
        ALL,
        Stage::Part,
        |_| true,
    ),
];

impl Strategy {
    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.strategy == self)
    }

    /// Its name, in small letters.
    ///
    /// ```
    /// assert_eq!(takewise::strategy::Strategy::ShadowCopy.name(), "shadow copy");
    /// ```
    pub fn name(self) -> &'static str {
        self.row().map_or("nothing", |row| row.name)
    }

    /// When it is taken and what that saves, in words.
    pub fn reason(self) -> &'static str {
        self.row().map_or("there is no element to move", |row| row.reason)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Forms that a call may have, found once: what strategies ask about, and what they run by.
pub(crate) struct Forms<'c> {
    mask: Option<mask::MaskWay>,
    short: Option<Short<'c>>,
    strips: Option<Strips<'c>>,
    /// Where the array lies, if that is far memory of which the call needs little.
    far: Option<&'c Reach>,
}

impl Forms<'_> {
    /// Before any was looked for.
    pub(crate) const NONE: Forms<'static> = Forms { mask: None, short: None, strips: None, far: None };
}

impl<'c> Forms<'c> {
    /// Those of a call that reads far memory, before any other was looked for.
    pub(crate) fn far(far: Option<&'c Reach>) -> Forms<'c> {
        Forms { far, ..Forms::NONE }
    }
}

/// The strategy of a call, with what it needs to run.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'f, 'c> {
    pub strategy: Strategy,
    pub mask: Option<mask::MaskWay>,
    pub short: Option<&'f Short<'c>>,
    pub strips: Option<&'f Strips<'c>>,
    pub far: Option<&'f Reach>,
}

/// Whether the first row of the table, which most calls take, serves a call.
#[inline]
pub(crate) fn first_row_serves(call: &Call) -> bool {
    let asked = call.stage != Stage::Part && call.group.is_none() && costs().forced.is_none();
    asked && small::suits(call.plan)
}

/// The strategy of a call: the first row that serves it, or the one that is asked for.
///
/// Errors: kind `Argument` if one is asked for by name that cannot serve the plan.
pub(crate) fn choose<'f, 'c>(call: &Call<'c>, forms: &'f mut Forms<'c>) -> Result<Choice<'f, 'c>> {
    if first_row_serves(call) {
        return Ok(Choice::SMALL);
    }
    choose_below(call, forms)
}

/// [`choose`], once it is known that the first row does not serve.
pub(crate) fn choose_below<'f, 'c>(call: &Call<'c>, forms: &'f mut Forms<'c>) -> Result<Choice<'f, 'c>> {
    if call.is_empty() {
        return Ok(Choice::of(Strategy::Nothing));
    }
    // A mask has no other form.
    if call.plan.select.is_some() {
        forms.mask = mask::way(call.plan, call.leaf);
    } else {
        if verb(call.leaf) & (STORE | SUM) != 0 {
            forms.short = Short::of(call.plan, call.leaf);
        }
        forms.strips = Strips::of(call);
    }
    let facts = Facts { call, forms };
    let forced = costs().forced.filter(|_| call.stage != Stage::Inner);
    let mut row = None;
    if let Some(forced) = forced {
        row = forced.strategy.row().filter(|row| row.takes(&facts));
        if row.is_none() && forced.strict && call.stage == Stage::Whole {
            return Err(cannot(call, forced.strategy));
        }
    }
    let row = row.or_else(|| TABLE[1..].iter().find(|row| row.takes(&facts)));
    let strategy = row.map_or(Strategy::Blocks, |row| row.strategy);
    if let Some(short) = &mut forms.short {
        short.run_as(strategy);
    }
    let Forms { mask, far, .. } = *forms;
    Ok(Choice { strategy, mask, short: forms.short.as_ref(), strips: forms.strips.as_ref(), far })
}

#[cold]
fn cannot(call: &Call, strategy: Strategy) -> crate::error::Error {
    let text = format!("the strategy `{strategy}` cannot serve this plan; it is for this: {}", strategy.reason());
    call.plan.rules.fail(Fault::text(call.plan.op, ArgumentRule::Other, text))
}

impl<'f, 'c> Choice<'f, 'c> {
    /// The first row of the table.
    pub(crate) const SMALL: Choice<'f, 'c> = Choice::of(Strategy::Small);
    /// The way that serves every plan.
    pub(crate) const BLOCKS: Choice<'f, 'c> = Choice::of(Strategy::Blocks);

    const fn of(strategy: Strategy) -> Choice<'f, 'c> {
        Choice { strategy, mask: None, short: None, strips: None, far: None }
    }

    /// Whether elements are placed in one pass.
    pub(super) fn places(&self) -> bool {
        self.short.is_some_and(Short::places)
    }
}

/// Runs `f` with this strategy for every plan that moves anything, however small: a way to test one by name. What a strategy
/// runs inside (a write into a copy, sums of counters) takes any. Results are the same; blocks and pieces inside are small.
///
/// Errors: a call of `f` fails with kind `Argument` if the strategy cannot serve its plan.
///
/// ```
/// use takewise::{Rules, View, ops, strategy};
/// let (x, i) = ([10, 20, 30], [2i64, 0]);
/// let take = || ops::take(&View::from(&x[..]), &View::from(&i[..]), &Rules::NEUTRAL);
/// let fused = strategy::with_strategy(strategy::Strategy::FusedRead, take).unwrap();
/// assert_eq!(fused.to_vec::<i32>().unwrap(), [30, 10]);
/// let refused = strategy::with_strategy(strategy::Strategy::Transpose, take).unwrap_err();
/// assert!(refused.to_string().contains("`transpose` cannot serve this plan"));
/// ```
pub fn with_strategy<R>(strategy: Strategy, f: impl FnOnce() -> R) -> R {
    under(&FORCED[strategy.number()], f)
}

/// The same for those plans alone that the strategy can serve: others are run as the table says, with small blocks.
#[doc(hidden)]
pub fn prefer_strategy<R>(strategy: Strategy, f: impl FnOnce() -> R) -> R {
    under(&PREFERRED[strategy.number()], f)
}

/// The table as lines of a document: of each row its name, what it is for and the reason.
#[doc(hidden)]
pub fn strategies() -> String {
    TABLE.iter().map(|row| format!("| {} | {} | {} |\n", row.name, row.serves_what(), row.reason)).collect()
}
