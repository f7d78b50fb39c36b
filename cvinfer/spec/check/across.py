"""What is asked of all data sets together, and of one beside its verdict."""

from __future__ import annotations

from typing import Optional, Sequence

from cvinfer.errors import listed
from cvinfer.names import close_match
from cvinfer.spec.check.common import Context
from cvinfer.spec.shape import quoted


def across_of(here: Context, data_sets: int) -> Optional[bool]:
    """Whether data sets are compared together; None leaves it to their number."""
    across = here.or_default("across")
    if across is None or not here.fine(("data",)) or not data_sets:
        return None
    if across and data_sets < 2:
        message = "there is one data set only, and nothing to compare it with"
        here.fault(("across",), message, "false, or more data sets", key=True)
    return bool(across)


def control_of(
    here: Context, across: Optional[bool], data_sets: int, learners: Optional[Sequence[str]]
) -> Optional[str]:
    """The learner that all others are compared with over the data sets."""
    control = here.or_default("control")
    if control is None or learners is None:
        return None
    if control not in learners:
        message = f"there is no learner {quoted(control)}"
        here.fault(("control",), message, listed(learners), close_match(control, learners))
    elif len(learners) < 3:
        message = "a control is one of at least three learners; of two, each is the other's"
        here.fault(("control",), message, "no control", key=True)
    elif data_sets and not (data_sets > 1 if across is None else across):
        why = "there is one data set only" if data_sets < 2 else "across is false"
        message = f"a control is for several data sets together, and {why}"
        here.fault(("control",), message, "no control", key=True)
    return str(control)
