//! Explanations from outside may hold anything. Whatever they claim, drawings end, and are not larger than the options allow.

use takewise_explain::data::*;
use takewise_explain::render::{
    HtmlOptions, Language, SvgOptions, TextOptions, comparison, html, html_comparison, svg, svg_comparison, text,
};
use takewise_explain::{Comparison, Explanation};

use crate::fixtures::blank;

/// Numbers of a sequence that is always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn one<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn many<T>(&mut self, most: usize, make: impl Fn(&mut Dice) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }

    /// Mostly small, at times as large as can be.
    fn number(&mut self) -> usize {
        match self.below(12) {
            0 => usize::MAX - self.below(2),
            1 => self.below(1 << 30) << 20,
            _ => self.below(8),
        }
    }

    fn text(&mut self) -> String {
        let parts =
            ["x", "张量", "0", "-1.5", "<b>", "\u{1b}[2J", "\u{202e}", "\n", "'\"&", "True", " ", "\u{0}", "]]>", "é"];
        let mut out = self.many(6, |dice| dice.one(&parts)).concat();
        if self.below(40) == 0 {
            out = out.repeat(20_000);
        }
        out
    }

    fn shape(&mut self) -> Vec<usize> {
        let long = self.below(30) == 0;
        self.many(if long { 60 } else { 4 }, Dice::number)
    }

    fn pointer(&mut self) -> Pointer {
        Pointer { operand: self.number(), at: self.number() }
    }

    fn maybe<T>(&mut self, make: impl Fn(&mut Dice) -> T) -> Option<T> {
        (self.below(3) > 0).then(|| make(self))
    }

    fn source(&mut self) -> Source {
        Source {
            operand: self.maybe(Dice::number),
            at: self.number(),
            by: self.many(3, Dice::pointer),
            used: self.below(2) == 0,
            value: self.maybe(Dice::text),
            times: self.maybe(Dice::text),
            factors: self.many(3, Dice::pointer),
        }
    }

    fn cell(&mut self) -> Cell {
        use How::*;
        Cell {
            at: self.number(),
            how: self.one(&[Copy, Last, First, Sum, Prod, Max, Min, Div, Mean, Fill, Position]),
            with_self: self.below(2) == 0,
            sources: self.many(5, Dice::source),
            by: self.many(2, Dice::pointer),
            value: self.maybe(Dice::text),
        }
    }

    fn axis(&mut self) -> Axis {
        let list = |dice: &mut Dice| dice.many(3, Dice::number);
        let from = match self.below(6) {
            0 => Origin::Axis { operand: self.number(), axis: self.number(), step: self.number() as isize },
            1 => Origin::Index { operands: list(self), axis: self.number(), along: list(self) },
            2 => Origin::Mask { operand: self.number(), along: list(self) },
            3 => Origin::New,
            4 => Origin::Repeated,
            _ => Origin::Coordinates,
        };
        Axis { extent: self.number(), from }
    }

    fn operand(&mut self) -> Operand {
        use Role::*;
        Operand {
            name: self.text(),
            role: self.one(&[Data, Index, Mask, Values, Sequence, Sorter]),
            shape: self.shape(),
            dtype: self.text(),
            strides: vec![],
            values: self.maybe(|dice| dice.many(12, Dice::text)),
        }
    }

    fn outcome(&mut self) -> Outcome {
        let memories =
            [Memory::Fresh, Memory::View { operand: self.number() }, Memory::InPlace { operand: self.number() }];
        Outcome {
            name: self.text(),
            shape: self.shape(),
            dtype: self.text(),
            strides: vec![],
            values: self.maybe(|dice| dice.many(12, Dice::text)),
            memory: self.one(&memories),
            base: self.maybe(Dice::number),
            axes: self.many(4, Dice::axis),
            cells: self.many(12, Dice::cell),
        }
    }

    fn searched(&mut self) -> Searched {
        let compared = |dice: &mut Dice| Compared {
            at: dice.number(),
            element: dice.maybe(Dice::number),
            after: dice.below(2) == 0,
        };
        Searched {
            value: self.pointer(),
            sequence: self.number(),
            row: self.number(),
            length: self.number(),
            step: self.number() as isize,
            sorter: self.maybe(Dice::number),
            found: self.number(),
            right: self.below(2) == 0,
            compared: self.many(5, compared),
        }
    }

    fn failure(&mut self) -> Failure {
        Failure {
            class: self.text(),
            message: self.text(),
            operand: self.maybe(Dice::number),
            at: self.maybe(Dice::number),
            value: self.maybe(Dice::text),
            axis: self.maybe(Dice::number),
            size: self.maybe(Dice::number),
            bad: self.many(4, Dice::number),
            count: self.maybe(Dice::number),
            span: Some([self.number(), self.number()]),
        }
    }

    fn explanation(&mut self) -> Explanation {
        use Kind::*;
        let kind = self.one(&[Read, Write, View, Search, Sort, Count, Gradient, Value]);
        let mut e = blank(&self.text(), &self.text(), kind);
        e.dialect = self.text();
        e.operands = self.many(4, Dice::operand);
        e.results = self.many(3, Dice::outcome);
        e.left_out =
            self.many(3, |dice| LeftOut { source: dice.source(), why: dice.one(&[Why::Outside, Why::NotSelected]) });
        e.searches = self.many(3, Dice::searched);
        e.masks = self.many(2, |dice| Counted {
            operand: dice.number(),
            count: dice.number(),
            places: dice.many(5, Dice::number),
        });
        let to = |dice: &mut Dice| FlowTo {
            at: dice.number(),
            from: dice.many(4, Dice::pointer),
            times: dice.many(3, Dice::text),
        };
        e.flows = self.many(2, |dice| Flow { operand: dice.number(), to: dice.many(4, to) });
        e.plans = self.many(2, |dice| Planned {
            verb: dice.text(),
            text: dice.text(),
            strategies: dice.many(2, |dice| Named { name: dice.text(), reason: dice.text() }),
            promise: dice.text(),
            read: 0,
            written: 0,
        });
        e.error = self.below(3).eq(&0).then(|| self.failure());
        e.sample = self.maybe(|dice| Sample { shown: dice.number(), of: dice.number() });
        e.bytes = Bytes { read: self.number(), written: self.number(), requests: self.maybe(Dice::number) };
        e
    }
}

#[test]
fn any_explanation_is_drawn_within_bounds() {
    let mut dice = Dice(7);
    for case in 0..400 {
        let e = dice.explanation();
        let language = dice.one(&[Language::English, Language::Chinese]);
        let shown = text(&e, &TextOptions { language, plan: true, color: case % 2 == 0, ..TextOptions::default() });
        assert!(shown.len() < 1 << 20, "case {case}: {} bytes", shown.len());
        let drawn = svg(&e, &SvgOptions { language, ..SvgOptions::default() });
        assert!(drawn.len() < 1 << 20, "case {case}: {} bytes", drawn.len());
        if let Err(error) = roxmltree::Document::parse(&drawn) {
            panic!("case {case}: {error}\n{drawn}");
        }
        let page = html(&e, &HtmlOptions { language, ..HtmlOptions::default() });
        assert!(page.len() < 4 << 20, "case {case}: {} bytes", page.len());
        assert_eq!(page.matches("<script").count(), 1, "case {case}");
        let both = Comparison::of(&dice.text(), vec![("a".into(), e), (dice.text(), dice.explanation())]);
        assert!(comparison(&both, &TextOptions::default()).len() < 1 << 20, "case {case}");
        assert!(html_comparison(&both, &HtmlOptions::default()).len() < 8 << 20, "case {case}");
        let drawn = svg_comparison(&both, &SvgOptions::default());
        assert!(drawn.len() < 2 << 20, "case {case}");
        roxmltree::Document::parse(&drawn).unwrap();
    }
}

/// The largest lists that an explanation is made with.
#[test]
fn long_lists_are_drawn_within_bounds() {
    let mut e = crate::fixtures::gather();
    e.operands[0].shape = vec![4096];
    e.operands[0].values = Some((0..4096).map(|k: usize| k.to_string()).collect());
    e.results[0].shape = vec![64, 64];
    e.results[0].values = e.operands[0].values.clone();
    e.results[0].cells =
        (0..4096).map(|at| crate::fixtures::cell(at, How::Copy, vec![crate::fixtures::from(4095 - at, &[])])).collect();
    let shown = text(&e, &TextOptions::default());
    assert!(shown.len() < 20_000 && shown.contains("and 4072 more"), "{} bytes", shown.len());
    let drawn = svg(&e, &SvgOptions::default());
    assert!(drawn.len() < 120_000, "{} bytes", drawn.len());
}
