"""The measures that learners are compared by, and whether the learners and the data serve them."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Mapping, Optional

from cvinfer.errors import Path as Place
from cvinfer.errors import listed
from cvinfer.losses import CODES, Loss, losses
from cvinfer.losses.kinds import has
from cvinfer.names import close_match
from cvinfer.spec.check.common import Context
from cvinfer.spec.model import MeasureRequest
from cvinfer.spec.shape import describe, quoted

if TYPE_CHECKING:
    from cvinfer.engines.base import LearnerSpec

Placed = tuple[MeasureRequest, Place]


def measures_of(here: Context) -> list[Placed]:
    """The measures with their places; none where something is wrong with one of them."""
    given = here.value.get("measures")
    if given is None or not here.fine(("measures",)):
        if "measures" in here.value and not here.fine(("measures",)):
            return []
        return _asked(here, str(here.or_default("loss")), ("loss",))
    if here.value.get("loss") is not None:
        message = "loss is the short form of measures, and both are here"
        here.fault(("loss",), message, "one of the two", key=True)
        return []
    found: list[Placed] = []
    for index, entry in enumerate(given):
        asked = _asked(here, entry, ("measures", index))
        if asked and any(asked[0][0].name == other.name for other, _ in found):
            here.fault(("measures", index), f"{asked[0][0].name} is there twice")
            asked = []
        found += asked
    return found if len(found) == len(given) else []


def _asked(here: Context, entry: Any, place: Place) -> list[Placed]:
    """One measure, if nothing is wrong with it."""
    name, inside, options = entry, place, {}
    if isinstance(entry, dict):
        ((name, given),) = entry.items()
        options, inside = dict(given or {}), place + (name,)
    declared = losses().get(name)
    if declared is None:
        if place != ("loss",):  # there it is a fault of shape, which is told
            message = f"there is no measure {quoted(name)}"
            key = inside != place
            here.fault(inside, message, listed(losses()), close_match(name, losses()), key=key)
        return []
    if not _options_fine(here, declared, options, inside):
        return []
    defaults = declared.defaults()
    more = {key: value for key, value in options.items() if defaults.get(key, here) != value}
    return [(MeasureRequest(str(name), MappingProxyType(more)), inside)]


def _options_fine(here: Context, declared: Loss, options: Mapping[str, Any], place: Place) -> bool:
    before = len(here.document.faults)
    for key, value in options.items():
        option = declared.options.get(key)
        if option is None:
            allowed = listed(declared.options) if declared.options else "no options"
            message = f"{declared.name} has no option {quoted(key)}"
            meant = close_match(key, declared.options)
            here.fault(place + (key,), message, allowed, meant, key=True)
        elif option.fault(value) is not None:
            here.fault(place + (key,), f"{describe(value)} is not right", option.fault(value))
    for key, option in declared.options.items():
        if option.needed and key not in options:
            example = f"measures: [{{{declared.name}: {{{key}: ...}}}}]"
            here.fault(
                place, f"{declared.name} needs its {key}", f"{example}: {option.description}"
            )
    return len(here.document.faults) == before


def check_served(
    here: Context, measures: list[Placed], learners: Optional[dict[str, "LearnerSpec"]]
) -> None:
    """Refuse a measure that a learner cannot give enough for, or that data do not fit."""
    for request, place in measures:
        for data in here.data:
            missed = {} if data is None else request.declared.missed(request.options, data.classes)
            for option, message in missed.items():
                assert data is not None
                here.fault(place + (option,), here.on(data.name) + message)
        if request.declared.takes != CODES and not here.predicted:
            _given_by(here, request, place, learners or {})


def _given_by(
    here: Context, request: MeasureRequest, place: Place, learners: Mapping[str, "LearnerSpec"]
) -> None:
    from cvinfer.engines import engine
    from cvinfer.engines.base import gives

    needed = request.declared.takes
    for name, learner in learners.items():
        given = gives(engine(learner.engine), learner)
        if given is not None and not has(given, needed):
            serve = [
                each.name for each in map(losses().get, losses()) if each and has(given, each.takes)
            ]
            message = f"{request.name} needs {needed}, and {quoted(name)} gives {_said(given)}"
            here.fault(place, message, f"another learner, or one of {listed(serve)}")


def _said(given: str) -> str:
    return "classes only" if given == CODES else f"no more than {given}"
