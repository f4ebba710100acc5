//! The operators of the syntax tree as those of values.

use rustpython_parser::ast;
use takewise_dialects::operator::{CmpOp, Operator, UnaryOp};

/// An operator between two values.
pub(crate) fn binary(op: ast::Operator) -> Operator {
    match op {
        ast::Operator::Add => Operator::Add,
        ast::Operator::Sub => Operator::Sub,
        ast::Operator::Mult => Operator::Mult,
        ast::Operator::MatMult => Operator::MatMult,
        ast::Operator::Div => Operator::Div,
        ast::Operator::Mod => Operator::Mod,
        ast::Operator::Pow => Operator::Pow,
        ast::Operator::LShift => Operator::LShift,
        ast::Operator::RShift => Operator::RShift,
        ast::Operator::BitOr => Operator::BitOr,
        ast::Operator::BitXor => Operator::BitXor,
        ast::Operator::BitAnd => Operator::BitAnd,
        ast::Operator::FloorDiv => Operator::FloorDiv,
    }
}

/// A comparison of two values.
pub(crate) fn comparison(op: ast::CmpOp) -> CmpOp {
    match op {
        ast::CmpOp::Eq => CmpOp::Eq,
        ast::CmpOp::NotEq => CmpOp::NotEq,
        ast::CmpOp::Lt => CmpOp::Lt,
        ast::CmpOp::LtE => CmpOp::LtE,
        ast::CmpOp::Gt => CmpOp::Gt,
        ast::CmpOp::GtE => CmpOp::GtE,
        ast::CmpOp::Is => CmpOp::Is,
        ast::CmpOp::IsNot => CmpOp::IsNot,
        ast::CmpOp::In => CmpOp::In,
        ast::CmpOp::NotIn => CmpOp::NotIn,
    }
}

/// An operator on one value.
pub(crate) fn unary(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Invert => UnaryOp::Invert,
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::UAdd => UnaryOp::UAdd,
        ast::UnaryOp::USub => UnaryOp::USub,
    }
}
