"""Formulas in files of the ledger, such as `-(n-m)/n`: numbers, names and + - * / only."""

from __future__ import annotations

import ast
import operator
from typing import Any, Mapping

from cvinfer.errors import UserError

_TWO = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
#: Longer than any formula, and short enough to be read.
LONGEST = 200


def value_of(formula: Any, names: Mapping[str, float]) -> float:
    """The value of a formula, or of a plain number; whatever else it has in it is refused."""
    if isinstance(formula, (int, float)) and not isinstance(formula, bool):
        return float(formula)
    text = str(formula)
    try:
        if len(text) > LONGEST:
            raise SyntaxError
        return _value(ast.parse(text, mode="eval").body, names)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError):
        known = ", ".join(names) or "none"
        raise UserError(f"{text!r} is no formula of + - * / and the names {known}") from None


def _value(node: ast.AST, names: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return float(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return float(names[node.id])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in _TWO:
        both = _value(node.left, names), _value(node.right, names)
        return float(_TWO[type(node.op)](*both))
    raise ValueError("not in a formula")
