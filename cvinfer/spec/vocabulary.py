"""What the JSON Schema of specs knows from the registries: names, options and their words.

`spec.schema.json` is its own frame. By hand are its shape, titles and bounds, and a sentence for
each option that belongs to no single source or test; names, which options there are, who takes them
and their defaults are put in from the registries, in place. `make docs` writes the file with
cvinfer's own entries, for editors and readers. `rules` is what specs are checked against here, with
whatever plug-ins bring, so that an entry of theirs needs no other file.
"""

from __future__ import annotations

import copy
import inspect
import json
import re
from typing import Any, Collection, Iterable, Mapping, Optional, TypeVar

from cvinfer.data.given import GIVEN
from cvinfer.data.registry import Option, SourceInfo
from cvinfer.inference import Procedure
from cvinfer.partitions.registry import SchemeInfo
from cvinfer.registry import Registry
from cvinfer.schemas import schema

#: A part of the schema; JSON.
Part = dict[str, Any]
Entry = TypeVar("Entry")

#: Options of a scheme that have no meaning in a spec: they belong to single records.
NOT_IN_SPECS = ("blocks",)
#: Keys beside `scheme` that belong to no scheme alone.
_OF_ALL_SCHEMES = (
    "scheme",
    *(key for each in GIVEN.values() for key in each.options),
    "stratify",
    "groups",
)
#: Marks an option of which nothing was written by hand; without the mark its title and type stay.
_GENERATED = "generated"

_TITLES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}
_JSON_TYPES = {
    "int": "integer",
    "float": "number",
    "str": "string",
    "bool": "boolean",
    "None": "null",
}
_LIST_OF_NAMES = re.compile(r" \([^()]*\)\.$")


def rules() -> Part:
    """The schema that specs are checked against here: with what plug-ins bring.

    Options of tests and intervals are described in the file and not ruled here: what is wrong with
    one, the registry says in words of its own.
    """
    from cvinfer.engines import engines
    from cvinfer.losses import losses

    found = copy.deepcopy(schema("spec"))
    # A study has rules of its own; each of its points is a comparison.
    del found["anyOf"], found["properties"]["study"]
    found["required"] = ["cvinfer", "data"]
    for key in ("tests", "intervals"):
        del _with_options(found["properties"][key])["properties"]
    _only(found["properties"]["loss"], list(losses))
    _only(found["$defs"]["learner"]["properties"]["encode"], _encodes(engines.values()))
    return _with_brought(found)


def study_rules() -> Part:
    """The schema of the section `study`; the rest of such a spec is checked at each point."""
    parts = schema("spec")["$defs"]
    return {"type": "object", "properties": {"study": parts["study"]}}


def own_schema(frame: Mapping[str, Any]) -> Part:
    """A frame with cvinfer's own entries, whatever plug-ins are installed."""
    from cvinfer.data.registry import sources
    from cvinfer.engines import engines
    from cvinfer.inference.registry import intervals, origin, tests
    from cvinfer.losses import losses
    from cvinfer.partitions import schemes

    found: Part = copy.deepcopy(dict(frame))
    top, parts = found["properties"], found["$defs"]
    for key, procedures in (("tests", tests()), ("intervals", intervals())):
        names = sorted(name for name in procedures if origin(name) is None)
        _fill_requests(top[key], {name: procedures[name] for name in names})
    _fill_correction(top["correction"])
    costs = _own(losses)
    said = "; ".join(each.title for each in costs.values())
    top["loss"].update(description=f"Loss of a prediction: {said}.", examples=list(costs))
    top["measures"]["items"]["anyOf"][0]["examples"] = list(costs)
    _fill_engines(parts["learner"]["properties"], _own(engines))
    _fill_schemes(found, _own(schemes))
    _fill_sources(parts["data_set"], _own(sources))
    return found


def _own(known: Registry[Entry]) -> dict[str, Entry]:
    """By name, so that the order in which files were imported makes no difference."""
    return {name: known[name] for name in sorted(known) if known.origin(name) is None}


# --- tests, intervals, corrections, engines -------------------------------------------------------


def _with_options(part: Part) -> Part:
    """The form of a test or interval that has options."""
    found: Part = part["anyOf"][1]["items"]["anyOf"][1]
    return found


def _fill_requests(part: Part, known: Mapping[str, Procedure]) -> None:
    plain = part["anyOf"][1]["items"]["anyOf"][0]
    plain["examples"] = list(known)
    form = _with_options(part)
    types = form["additionalProperties"]["type"]
    form["properties"] = {
        name: {"description": each.use, "type": types, **_properties(_options_of(each))}
        for name, each in known.items()
    }


def _properties(options: Part) -> Part:
    return {"properties": options} if options else {}


def _options_of(declared: Procedure) -> Part:
    from cvinfer.spec.options import options_of

    return {
        name: {
            "description": f"Option of {declared.name}.",
            **_typed(_annotated(each)),
            **({} if each.default is None else {"default": each.default}),
        }
        for name, each in options_of(declared).items()
    }


def _fill_correction(part: Part) -> None:
    from cvinfer.inference.correction import ALL, DATA, DEFAULT, METHODS

    short, long = part["anyOf"]
    short.update(enum=list(METHODS), title=", ".join(METHODS), default=DEFAULT)
    _only(long["properties"]["method"], METHODS)
    _only(long["properties"]["over"], (ALL, DATA))


def _fill_engines(properties: Part, known: Mapping[str, Any]) -> None:
    properties["engine"]["examples"] = list(known)
    properties["encode"]["examples"] = _encodes(known.values())


def _encodes(engines: Iterable[Any]) -> list[str]:
    """The words of the engine that has most of them first: others have some of the same."""
    by_size = sorted((list(each.encodes) for each in engines), key=len, reverse=True)
    return _union(by_size)


def _only(part: Part, words: Collection[str]) -> None:
    """These words and no others."""
    part["title"], part["enum"] = _either(words), list(words)


def _either(words: Iterable[str]) -> str:
    """a, b or c; signs in quotes."""
    shown = [word if word[:1].isalnum() else f"'{word}'" for word in words]
    return " or ".join([*([", ".join(shown[:-1])] if shown[1:] else []), *shown[-1:]])


# --- schemes --------------------------------------------------------------------------------------


def _fill_schemes(found: Part, known: Mapping[str, SchemeInfo]) -> None:
    names = [*known, *GIVEN]
    plain, with_options = found["$defs"]["scheme"]["anyOf"]
    found["properties"]["partition"]["anyOf"][0]["examples"] = ["auto", *names]
    plain["examples"] = names
    with_options["properties"]["scheme"]["examples"] = names
    with_options["properties"] = _scheme_options(with_options["properties"], known)


def _scheme_options(frame: Part, known: Mapping[str, SchemeInfo]) -> Part:
    takers: dict[str, list[SchemeInfo]] = {}
    for info in known.values():
        for key in info.defaults:
            if key not in NOT_IN_SPECS:
                takers.setdefault(key, []).append(info)
    kept = {key: part for key, part in frame.items() if key in takers or key in _OF_ALL_SCHEMES}
    for key, schemes in takers.items():
        parameters = [inspect.signature(info.function).parameters[key] for info in schemes]
        types = _union(map(_annotated, parameters))
        part = kept[key] = _ruled(kept.get(key), [each for each in types if each != "null"])
        _fill_defaults(part, {info.name: info.defaults[key] for info in schemes})
    return kept


def _fill_defaults(part: Part, defaults: Mapping[str, Any]) -> None:
    """Who takes the option and what it is without; a default of its own where all have the same."""
    said = _LIST_OF_NAMES.sub("", part["description"]) or "Option of the scheme"
    first, *others = defaults.values()
    part.pop("default", None)
    if any(other != first for other in others):
        takers = [f"{name}: {json.dumps(default)}" for name, default in defaults.items()]
    else:
        takers = list(defaults)
        part.update({} if first is None else {"default": first})
    part["description"] = f"{said} ({', '.join(takers)})."


def _annotated(parameter: inspect.Parameter) -> list[str]:
    """The JSON types of an option; none where its annotation says something else."""
    annotation = parameter.annotation
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if text.startswith(("tuple[", "list[")):
        return ["array"]
    optional = re.fullmatch(r"Optional\[(.*)\]", text)
    words = re.split(r" *\| *", f"{optional[1]} | None" if optional else text)
    return [_JSON_TYPES[word] for word in words] if all(w in _JSON_TYPES for w in words) else []


# --- sources --------------------------------------------------------------------------------------


def _fill_sources(part: Part, known: Mapping[str, SourceInfo]) -> None:
    part["properties"]["source"]["examples"] = list(known)
    part["properties"] = _source_options(part["properties"], known)


def _source_options(frame: Part, known: Mapping[str, SourceInfo]) -> Part:
    takers: dict[str, list[SourceInfo]] = {}
    for info in known.values():
        for key in info.options:
            takers.setdefault(key, []).append(info)
    kept = {key: part for key, part in frame.items() if key in takers}
    for key, infos in takers.items():
        options = {info.name: info.options[key] for info in infos}
        types = _union(option.type.split(" | ") for option in options.values())
        part = kept[key] = _ruled(kept.get(key), types)
        choices = [info.choices.get(key) for info in infos]
        # A source may tell its words in its description, and those of plug-ins among them.
        by_hand = any(choices) or all(map(_is_shared, options.values()))
        if not part["description"] or not by_hand:
            part["description"] = _who_says_what(options)
        _fill_choices(part, choices)
    return kept


def _is_shared(option: Option) -> bool:
    """Whether it belongs to the language, not to a source: then it is described by hand."""
    from cvinfer.data.registry import COMMON, TRANSFORMS

    return any(option is each for each in (*COMMON.values(), *TRANSFORMS.values()))


def _who_says_what(options: Mapping[str, Option]) -> str:
    """Each description once, after the sources that give it."""
    said: dict[str, list[str]] = {}
    for name, option in options.items():
        said.setdefault(option.description, []).append(name)
    return " ".join(f"{', '.join(names)}: {text}." for text, names in said.items())


def _fill_choices(part: Part, choices: list[Optional[Collection[str]]]) -> None:
    """Fixed words that hold for all sources with the option are a rule, others are examples."""
    first = choices[0]
    if isinstance(first, tuple) and all(each == first for each in choices):
        _only(part, first)
        return
    for each in choices:
        if isinstance(each, Registry):
            part["examples"] = list(_own(each))
        elif isinstance(each, tuple):
            part["examples"] = list(each)


# --- what plug-ins bring --------------------------------------------------------------------------


def _with_brought(found: Part) -> Part:
    """Entries of plug-ins have rules of their own: their `k` need not be that of kfold."""
    from cvinfer.data.registry import sources
    from cvinfer.partitions import schemes

    parts = found["$defs"]
    forms = parts["scheme"]["anyOf"]
    own_scheme, own_source = forms[1], parts["data_set"]
    for name, info in schemes.items():
        if schemes.origin(name) is not None:
            forms[1] = _apart(forms[1], "scheme", name, _scheme_rules(own_scheme, info))
    for name, source in sources.items():
        if sources.origin(name) is not None:
            properties = _source_rules(own_source, source)
            parts["data_set"] = _apart(parts["data_set"], "source", name, properties)
    return found


def _apart(part: Part, key: str, name: str, properties: Part) -> Part:
    """A mapping whose `key` is `name` has these properties, any other is as before."""
    is_it = {"type": "object", "required": [key], "properties": {key: {"const": name}}}
    about = {each: part[each] for each in ("title", "description")}
    return {**about, "if": is_it, "then": {**about, "properties": properties}, "else": part}


def _scheme_rules(own: Part, info: SchemeInfo) -> Part:
    shared = {key: own["properties"][key] for key in _OF_ALL_SCHEMES if key not in info.defaults}
    return {**shared, **_scheme_options({}, {info.name: info})}


def _source_rules(own: Part, info: SourceInfo) -> Part:
    shared = [key for key, option in info.options.items() if _is_shared(option)]
    return _source_options({key: own["properties"][key] for key in shared}, {info.name: info})


# --- one option -----------------------------------------------------------------------------------


def _union(several: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(each for some in several for each in some))


def _typed(types: list[str]) -> Part:
    return {"type": types[0] if len(types) == 1 else types} if types else {}


def _ruled(frame: Optional[Part], types: list[str]) -> Part:
    """The rules of an option: those by hand, with every type that is declared, or generated."""
    if frame is None or frame.get("$comment") == _GENERATED:
        title = _either(_TITLES[each] for each in types) or "a value"
        return {"$comment": _GENERATED, "title": title, "description": "", **_typed(types)}
    if "type" not in frame:
        return dict(frame)
    known = [frame["type"]] if isinstance(frame["type"], str) else list(frame["type"])
    more = [each for each in types if each not in known]
    if "number" in known:
        more = [each for each in more if each != "integer"]
    return {**frame, "type": [*known, *more]} if more else dict(frame)
