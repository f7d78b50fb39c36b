"""What a spec can name and a table be written as, from the registries; and the plug-ins."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import Any, Callable, Mapping, Optional, Sequence

Entry = Mapping[str, Any]


def entries(what: str) -> list[dict[str, Any]]:
    """One entry for each: name, description, available, reason, and what its kind has more.

    `distribution` is the plug-in that brings it, None for cvinfer's own. A plug-in that cannot be
    imported is listed with its reason behind everything that it might have brought.
    """
    found = LISTS[what]()
    return found if what == "plugins" else [*found, *(e for e in _plugins() if e["reason"])]


def _entry(
    name: str,
    description: str,
    reason: Optional[str] = None,
    *,
    distribution: Optional[str] = None,
    **more: Any,
) -> dict[str, Any]:
    available: dict[str, Any] = {"available": reason is None, "reason": reason}
    told: dict[str, Any] = {"name": name, "description": description, **available, **more}
    return {**told, "distribution": distribution}


def _tests() -> list[dict[str, Any]]:
    from cvinfer.inference import tests
    from cvinfer.spec import RECOMMENDED_TESTS

    return _procedures(tests(), RECOMMENDED_TESTS)


def _intervals() -> list[dict[str, Any]]:
    from cvinfer.inference import intervals
    from cvinfer.spec import RECOMMENDED_INTERVALS

    return _procedures(intervals(), RECOMMENDED_INTERVALS)


def _procedures(known: Mapping[str, Any], recommended: Sequence[str]) -> list[dict[str, Any]]:
    from cvinfer.inference.registry import origin
    from cvinfer.spec.options import defaults_of

    return [
        _entry(
            each.name,
            each.use,
            needs=each.scheme,
            options=defaults_of(each),
            source=each.cite,
            recommended=each.name in recommended,
            measured=_measured(each),
            distribution=origin(each.name),
        )
        for each in known.values()
    ]


def _measured(each: Any) -> dict[str, Any] | None:
    """Lowest and highest share under exact nulls: of rejections at 5 %, or of coverage at 95 %."""
    from cvinfer.inference import measured_rates

    rates = [found.rate for found in measured_rates(each.name).values()]
    return {"kind": each.kind, "least": min(rates), "most": max(rates)} if rates else None


def _schemes() -> list[dict[str, Any]]:
    from cvinfer.data.given import GIVEN
    from cvinfer.partitions import schemes

    found = []
    for each in schemes().values():
        # The block of each record is nothing that a spec can say.
        options = {key: value for key, value in each.defaults.items() if key != "blocks"}
        if each.stratify:
            options["stratify"] = False
        if each.groups:
            options["groups"] = None
        brought = schemes.origin(each.name)
        found.append(_entry(each.name, each.description, options=options, distribution=brought))
    for word in GIVEN.values():
        options = {name: option.description for name, option in word.options.items()}
        found.append(_entry(word.name, word.description, options=options))
    return found


def _learners() -> list[dict[str, Any]]:
    from cvinfer.engines import engines

    return [
        _entry(
            each.name,
            each.description,
            None if each.available else each.reason or "not available here",
            engine=engine.name,
            aliases=list(each.aliases),
            distribution=engines.origin(engine.name),
        )
        for engine in engines().values()
        for each in engine.learners()
    ]


def _data() -> list[dict[str, Any]]:
    from cvinfer.data import sources

    return [
        _entry(
            each.name,
            each.description,
            each.reason(),
            options={
                key: {
                    "type": option.type,
                    "required": option.required,
                    "description": option.description,
                    **({"choices": list(each.choices[key])} if key in each.choices else {}),
                }
                for key, option in each.options.items()
            },
            distribution=sources.origin(each.name),
        )
        for each in sources().values()
    ]


def _losses() -> list[dict[str, Any]]:
    from cvinfer.losses import losses

    return [
        _entry(
            name,
            each.title,
            takes=each.takes,
            level=each.level,
            better=each.better,
            options={
                key: {
                    "type": "any",
                    "required": option.needed,
                    "description": option.description,
                }
                for key, option in each.options.items()
            },
            distribution=losses.origin(name),
        )
        for name, each in losses().items()
    ]


def _formats() -> list[dict[str, Any]]:
    from cvinfer.report.formats import formats

    return [
        _entry(
            name,
            (each.write.__doc__ or name).partition("\n")[0],
            of=dict(each.of),
            distribution=formats.origin(name),
        )
        for name, each in formats().items()
    ]


def _plugins() -> list[dict[str, Any]]:
    from cvinfer.registry import plugins

    return [
        _entry(each.module, "A module of a plug-in.", each.reason, distribution=each.distribution)
        for each in plugins()
    ]


#: What can be listed.
LISTS: Mapping[str, Callable[[], list[dict[str, Any]]]] = {
    "tests": _tests,
    "intervals": _intervals,
    "schemes": _schemes,
    "learners": _learners,
    "data": _data,
    "losses": _losses,
    "measures": _losses,
    "formats": _formats,
    "plugins": _plugins,
}


# --- as text --------------------------------------------------------------------------------------


def entries_text(found: Sequence[Entry]) -> str:
    """A name with its facts below; wrapped on a terminal, one line a fact otherwise."""
    width = None
    if sys.stdout.isatty():
        width = max(shutil.get_terminal_size((80, 24)).columns, 30)
    return "\n".join(line for entry in found for line in _lines(entry, width))


def _lines(entry: Entry, width: int | None) -> list[str]:
    facts = [str(entry["description"])] if entry["description"] else []
    if entry.get("needs"):
        facts.append(f"Needs {entry['needs']}.")
    if entry.get("measured"):
        facts.append(_rates(entry["measured"]))
    facts += _options(entry.get("options") or {})
    if not entry["available"]:
        facts.append(f"Not available: {entry['reason']}")
    lines = [_title(entry)]
    for fact in facts:
        if width is None:
            lines.append(f"    {fact}")
        else:
            lines += textwrap.wrap(fact, width, initial_indent="    ", subsequent_indent="      ")
    return lines


def _rates(measured: Mapping[str, Any]) -> str:
    span = f"{100 * measured['least']:.0f} to {100 * measured['most']:.0f} %"
    if measured["kind"] == "test":
        return f"In simulations it rejected {span} of true hypotheses at a level of 5 %."
    return f"In simulations {span} of its intervals of level 95 % held the true value."


def _title(entry: Entry) -> str:
    name = str(entry["name"])
    if entry.get("engine"):
        name += f"  (engine {entry['engine']})"
    if entry.get("aliases"):
        name += f"  also called {', '.join(entry['aliases'])}"
    if entry["distribution"]:
        name += f"  (from {entry['distribution']})"
    return name + ("  (recommended)" if entry.get("recommended") else "")


def _options(options: Mapping[str, Any]) -> list[str]:
    if not options:
        return []
    if not all(isinstance(value, Mapping) for value in options.values()):
        shown = [
            key if value is None else f"{key}={_word(value)}" for key, value in options.items()
        ]
        return [f"Options: {', '.join(shown)}."]
    facts = []
    for key, option in options.items():
        choices = f": {', '.join(option['choices'])}" if "choices" in option else ""
        # Some descriptions end in the choices already.
        choices = "" if option["description"].endswith(choices[2:]) else choices
        need = " (needed)" if option["required"] else ""
        facts.append(f"{key}{need}: {option['description']}{choices}")
    return facts


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
