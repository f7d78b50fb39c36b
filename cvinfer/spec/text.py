"""The text of a spec: YAML to plain values, with the place of every key and value.

YAML's safe subset only: text, numbers, true and false, lists and mappings. Keys are text, as
written. Where YAML 1.1 would guess against what people mean, the text stays text: `01`, `1:30`
and dates; `1e-3` is the number it looks like. What a scalar looked like is kept beside its value,
because a class label `NO` is not the truth value False.
"""

from __future__ import annotations

import contextlib
import copy
import math
import re
from dataclasses import dataclass, field
from typing import Any, Callable, Concatenate, Iterable, NamedTuple, Optional, ParamSpec, Union

import yaml

from cvinfer.limits import SPEC_BYTES, max_bytes
from cvinfer.errors import Path
from cvinfer.spec.faults import Fault, in_order, path_text

#: Limits against texts made to exhaust a machine; no spec comes near them.
MAX_BYTES = SPEC_BYTES
MAX_NODES = 100_000
MAX_DEPTH = 40
MAX_DIGITS = 300
MAX_BITS = 1000
#: From this many characters on the speed of the parser counts.
LONG = 20_000

_TAG = "tag:yaml.org,2002:"
_TEXT = (_TAG + "str", _TAG + "timestamp", _TAG + "value")
_EXPONENT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9_]*)")
_BASED = re.compile(r"[-+]?0([xX][0-9a-fA-F_]+|b[01_]+)")
_LINE_BREAK = re.compile("\r\n|[\r\n\x85\u2028\u2029]")


class Place(NamedTuple):
    """Where a value stands, and its key if it has one. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    key_line: int
    key_column: int
    source_line: str
    key_source_line: str


Given = ParamSpec("Given")


def _adding(
    made: Callable[Concatenate[Document, Given], Fault],
) -> Callable[Concatenate[Document, Given], None]:
    """What takes the same, and adds the fault that is made of it to those of the document."""

    def add(document: Document, /, *args: Given.args, **named: Given.kwargs) -> None:
        document.faults.append(made(document, *args, **named))

    return add


@dataclass
class Document:
    """Values of a spec with their places; `written` has the text of every scalar.

    `refused` are paths whose values stand for nothing, because of a fault that is told already.
    `finished` is a spec that came out of a result.
    """

    file: str
    value: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    written: dict[Path, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    refused: set[Path] = field(default_factory=set)
    readable: bool = True
    finished: bool = False

    def fault(
        self,
        path: Path,
        message: str,
        allowed: Optional[str] = None,
        suggestion: Optional[str] = None,
        *,
        key: bool = False,
        shown: Optional[Path] = None,
        there: Optional[str] = None,
    ) -> Fault:
        """A fault at `path`, or at the nearest place above it that the text has."""
        exact = path in self.places
        at: Path = path
        while at and at not in self.places:
            at = at[:-1]
        text = path_text(path if shown is None else shown)
        place = self.places.get(at)
        if place is None:
            return Fault(self.file, 0, 0, text, message, allowed, suggestion, there=there)
        on_key = key and exact and place.key_line
        line, column = (place.key_line, place.key_column) if on_key else (place.line, place.column)
        source = place.key_source_line if on_key else place.source_line
        return Fault(place.file, line, column, text, message, allowed, suggestion, source, there)

    #: Takes what `fault` takes, and keeps the fault.
    add = _adding(fault)

    def replace(self, path: Path, other: "Document") -> None:
        """Put another document's value at `path`, with its places."""
        for known in [p for p in (*self.places, *self.written) if p[: len(path)] == path]:
            self.places.pop(known, None)
            self.written.pop(known, None)
        self.places.update({path + p: place for p, place in other.places.items()})
        self.written.update({path + p: text for p, text in other.written.items()})
        parent = self.value
        for part in path[:-1]:
            parent = parent[part]
        parent[path[-1]] = other.value


class _Broken(Exception):
    """Text that cannot be read any further."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


_Mixed: Any = object  # it stands before a loader, whose methods it uses


class _Composing(_Mixed):  # type: ignore[misc]
    """For PyYAML's composer: remembers where aliases stand and refuses bottomless nesting."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.alias_marks: dict[tuple[int, int], Any] = {}

    def compose_node(
        self, parent: Optional[yaml.Node], index: Union[None, int, yaml.Node]
    ) -> Optional[yaml.Node]:
        if self.check_event(yaml.AliasEvent):
            where = index if isinstance(index, int) else id(index)
            self.alias_marks[id(parent), where] = self.peek_event().start_mark
            return super().compose_node(parent, index)
        if self.depth >= MAX_DEPTH:
            mark = self.peek_event().start_mark
            raise _Broken(
                f"more than {MAX_DEPTH} levels of nesting", mark.line + 1, mark.column + 1
            )
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


class _Composer(_Composing, yaml.SafeLoader):  # type: ignore[misc]
    """The one that tells faults of the text in most detail."""


def _quick_composer() -> Optional[type]:
    """The same with the parser of libyaml, which is several times as fast, where there is one."""
    from yaml.composer import Composer

    loader: Any = getattr(yaml, "CSafeLoader", None)
    if loader is None:
        return None

    class Quick(_Composing, Composer, loader):  # type: ignore[misc]
        def __init__(self, text: str) -> None:
            loader.__init__(self, text)
            Composer.__init__(self)
            self.depth, self.alias_marks = 0, {}

    return Quick


def parse(data: bytes, file: str, *, mapping: bool = True) -> Document:
    """Read a text; what is wrong with it is in `faults`, and `readable` says if a value came out.

    With `mapping` the text has to be a mapping, as a spec is.
    """
    document = Document(file)
    most = max_bytes(SPEC_BYTES)
    if len(data) > most:
        size = f"the text has {len(data):,} bytes"
        allowed = f"at most {most:,} (--max-bytes raises that)"
        return _unreadable(document, Fault(file, 1, 1, "spec", size, allowed))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unreadable(document, _not_utf8(data, file, error))
    lines = _LINE_BREAK.split(text)
    try:
        node, alias_marks = _composed(text)
    except _Broken as error:
        return _unreadable(document, _at(file, lines, error.line, error.column, error.message))
    except yaml.MarkedYAMLError as error:
        return _unreadable(document, *_syntax(error, file, lines))
    except yaml.reader.ReaderError as error:
        line, column = _line_column(text[: error.position])
        message = f"the character U+{ord(text[error.position]):04X} is not allowed in YAML"
        return _unreadable(document, _at(file, lines, line, column, message))
    if mapping and (node is None or _is_empty(node)):
        message = "the spec is empty"
        allowed = "a mapping that begins with 'cvinfer: 1'"
        return _unreadable(document, Fault(file, 1, 1, "spec", message, allowed))
    if mapping and not isinstance(node, yaml.MappingNode):
        mark = node.start_mark
        message = "the spec is not a mapping of keys to values"
        fault = _at(file, lines, mark.line + 1, mark.column + 1, message)
        return _unreadable(document, fault._replace(allowed="lines like 'cvinfer: 1'"))
    if node is None:
        return document
    builder = _Builder(document, lines, alias_marks)
    try:
        document.value = builder.build(node, (), None, None)
    except _Broken as error:
        return _unreadable(document, _at(file, lines, error.line, error.column, error.message))
    return document


def from_values(value: object, file: str = "spec") -> Document:
    """A document of plain Python values, which have paths but no lines."""
    document = Document(file, _plain(value, ()))

    def note(part: Any, path: Path) -> None:
        if isinstance(part, dict):
            for key, child in part.items():
                note(child, path + (key,))
        elif isinstance(part, list):
            for index, child in enumerate(part):
                note(child, path + (index,))
        elif part is not None:
            document.written[path] = str(part)

    note(document.value, ())
    return document


def refuse_infinite(document: Document, but_under: str) -> None:
    """Numbers are finite; only parameters of learners may have a use for infinity.

    There it has to be written as such: digits without end are a mistake.
    """

    def walk(value: Any, path: Path) -> None:
        if isinstance(value, dict):
            for key, child in value.items():
                walk(child, path + (key,))
        elif isinstance(value, list):
            for index, child in enumerate(value):
                walk(child, path + (index,))
        elif isinstance(value, float) and not math.isfinite(value):
            text = document.written.get(path, str(value))
            if path[:1] == (but_under,) and not any(map(str.isdigit, text)):
                return
            document.add(path, f"{text if len(text) < 20 else 'this'} is not a finite number")

    walk(document.value, ())


def keep_as_written(document: Document, patterns: Iterable[tuple[str, ...]]) -> None:
    """Turn scalars back into what was written, where the language means text.

    In a pattern "*" stands for any one step of a path and "**" at its end for any that follow.
    """
    every = list(patterns)
    for path, text in document.written.items():
        if any(_matches(path, pattern) for pattern in every):
            parent = document.value
            for part in path[:-1]:
                parent = parent[part]
            # An empty value is nothing at all, not a label: that one needs quotes.
            if parent[path[-1]] is not None:
                parent[path[-1]] = text


class _Builder:
    """Nodes to values. Counts nodes as it expands aliases, so that none can blow up."""

    def __init__(self, document: Document, lines: list[str], alias_marks: Any) -> None:
        self.document = document
        self.lines = lines
        self.alias_marks = alias_marks
        self.count = 0
        self.open: list[int] = []
        self.aliases: list[Any] = []

    def build(
        self, node: yaml.Node, path: Path, key: Optional[yaml.Mark], alias: Optional[yaml.Mark]
    ) -> object:
        mark = alias or node.start_mark
        self.count += 1
        if self.count > MAX_NODES:
            # The outermost alias that is being expanded: the ones inside it did no harm alone.
            mark = [*self.aliases, mark][0]
            message = f"the aliases expand to more than {MAX_NODES:,} values"
            raise _Broken(message, mark.line + 1, mark.column + 1)
        if id(node) in self.open:
            raise _Broken("the alias refers to itself", mark.line + 1, mark.column + 1)
        self._note(path, mark, key)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        wanted = "seq" if isinstance(node, yaml.SequenceNode) else "map"
        if node.tag != _TAG + wanted:
            self._refuse_tag(node, path)
        self.open.append(id(node))
        self.aliases += [alias] if alias else []
        value = self._list(node, path) if wanted == "seq" else self._mapping(node, path)
        self.open.pop()
        if alias:
            self.aliases.pop()
        return value

    def _list(self, node: Any, path: Path) -> list[Any]:
        marks = self.alias_marks
        return [
            self.build(child, path + (index,), None, marks.get((id(node), index)))
            for index, child in enumerate(node.value)
        ]

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        result: dict[str, Any] = {}
        first: dict[str, Any] = {}
        merged: list[Any] = []
        for key_node, child in node.value:
            alias = self.alias_marks.get((id(node), id(key_node)))
            if not isinstance(key_node, yaml.ScalarNode):
                mark = key_node.start_mark
                message = "a key must be plain text, not a list or a mapping"
                self.document.faults.append(self._fault_at(mark, path, message))
                continue
            if key_node.tag == _TAG + "merge":
                merged.append((child, alias or child.start_mark))
                continue
            key = key_node.value
            if key in first:
                message = f"the key '{key}' is there twice; line {first[key].line + 1} has it too"
                fault = self._fault_at(key_node.start_mark, path + (key,), message)
                self.document.faults.append(fault)
                continue
            first[key] = key_node.start_mark
            result[key] = self.build(child, path + (key,), key_node.start_mark, alias)
        for child, mark in merged:
            self._merge(result, child, mark, path)
        return result

    def _merge(self, result: dict[str, Any], node: Any, mark: Any, path: Path) -> None:
        """`<<: *base`: the keys of base that are not there yet."""
        if isinstance(node, yaml.SequenceNode):
            for child in node.value:
                self._merge(result, child, mark, path)
            return
        if not isinstance(node, yaml.MappingNode):
            message = "'<<' takes a mapping to merge, or a list of them"
            self.document.faults.append(self._fault_at(mark, path, message))
            return
        inner = Document(self.document.file)
        document, self.document = self.document, inner
        try:
            value = self.build(node, path, None, mark)
        finally:
            self.document = document
        document.faults += [fault for fault in inner.faults if fault not in document.faults]
        assert isinstance(value, dict)  # as of every mapping node
        for key, item in value.items():
            if key not in result:
                result[key] = item
                under = len(path) + 1
                moved = [known for known in inner.places if known[:under] == path + (key,)]
                document.places.update({known: inner.places[known] for known in moved})
                written = {k: inner.written[k] for k in moved if k in inner.written}
                document.written.update(written)

    def _scalar(self, node: Any, path: Path) -> Any:
        self.document.written[path] = node.value
        if node.tag in _TEXT:
            plain = not node.style and _EXPONENT.fullmatch(node.value)
            return self._number(float, node, path) if plain else node.value
        if node.tag == _TAG + "null":
            return None
        if node.tag == _TAG + "bool":
            return node.value.lower() in ("yes", "true", "on")
        if node.tag == _TAG + "int":
            if _DECIMAL.fullmatch(node.value):
                return self._number(int, node, path)
            if _BASED.fullmatch(node.value):
                # As long a decimal is infinite too.
                return int(node.value.replace("_", ""), 0) if len(node.value) < 250 else math.inf
            return node.value
        if node.tag == _TAG + "float":
            if ":" in node.value:
                return node.value
            if node.value.lower().lstrip("+-") in (".inf", ".nan"):
                return float(node.value.replace(".", ""))
            return self._number(float, node, path)
        self._refuse_tag(node, path)
        return node.value

    def _number(self, kind: Any, node: Any, path: Path) -> Any:
        text = node.value.replace("_", "")
        try:
            return kind(text) if len(text) <= MAX_DIGITS else float(text)
        except ValueError:
            return node.value

    def _refuse_tag(self, node: Any, path: Path) -> None:
        tag = node.tag.replace(_TAG, "!!")
        allowed = "text, numbers, true, false, lists and mappings, without tags"
        fault = self._fault_at(node.start_mark, path, f"the tag {tag} is refused")
        self.document.faults.append(fault._replace(allowed=allowed))
        self.document.refused.add(path)

    def _note(self, path: Path, mark: Any, key: Any) -> None:
        line = mark.line + 1
        key_line, key_column = (key.line + 1, key.column + 1) if key else (0, 0)
        self.document.places[path] = Place(
            self.document.file,
            line,
            mark.column + 1,
            key_line,
            key_column,
            _line(self.lines, line),
            _line(self.lines, key_line),
        )

    def _fault_at(self, mark: Any, path: Path, message: str) -> Fault:
        fault = _at(self.document.file, self.lines, mark.line + 1, mark.column + 1, message)
        return fault._replace(path=path_text(path))


def _composed(text: str) -> tuple[Any, Any]:
    quick = _quick_composer() if len(text) > LONG else None
    if quick is not None:
        with contextlib.suppress(yaml.YAMLError):  # the other one says what is wrong
            return _nodes(quick(text))
    return _nodes(_Composer(text))


def _nodes(loader: Any) -> tuple[Any, Any]:
    try:
        return loader.get_single_node(), loader.alias_marks
    finally:
        loader.dispose()


def _unreadable(document: Document, *faults: Fault) -> Document:
    document.faults = in_order([*document.faults, *faults])
    document.readable = False
    return document


def _is_empty(node: Any) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == _TAG + "null"


def _line(lines: list[str], number: int) -> str:
    return lines[number - 1] if 0 < number <= len(lines) else ""


def _at(file: str, lines: list[str], line: int, column: int, message: str) -> Fault:
    return Fault(file, line, column, "spec", message, None, None, _line(lines, line))


def _line_column(before: str) -> tuple[int, int]:
    """Line and column of the character that follows `before`."""
    lines = _LINE_BREAK.split(before)
    return len(lines), len(lines[-1]) + 1


def _not_utf8(data: bytes, file: str, error: UnicodeDecodeError) -> Fault:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Fault(file, 1, 1, "spec", "the text is UTF-16", "UTF-8; save it as that")
    readable = data[: error.start].decode("utf-8-sig")
    line, column = _line_column(readable)
    source = _LINE_BREAK.split(data.decode("utf-8", errors="replace").lstrip("\ufeff"))
    message = f"byte {error.start} (0x{data[error.start]:02X}) is not UTF-8"
    return Fault(
        file, line, column, "spec", message, "UTF-8; save it as that", None, _line(source, line)
    )


def _syntax(error: yaml.MarkedYAMLError, file: str, lines: list[str]) -> list[Fault]:
    """PyYAML's complaint in plain words, where the fault is rather than where it was noticed."""
    problem, context = error.problem or "", error.context or ""
    mark, opened = error.problem_mark or error.context_mark, error.context_mark

    def here(message: str, place: Any = None) -> list[Fault]:
        where = place or mark
        if where is None:
            return [_at(file, lines, 1, 1, message)]
        return [_at(file, lines, where.line + 1, where.column + 1, message)]

    if "'\\t'" in problem:
        return _tabs(file, lines, mark.line if mark else 0)
    if "found another document" in problem:
        return here("a second document begins here; a spec is one document")
    if problem.startswith("found undefined alias"):
        name = problem.split("'")[1]
        return here(f"there is no anchor &{name} for the alias *{name} before this line")
    if problem.startswith("second occurrence"):
        return here(f"the anchor {context.split(';')[0].split()[-1]} is defined twice")
    if problem.startswith("found undefined tag") or "tag" in context:
        return here("tags are refused; write plain text, numbers, lists and mappings")
    if problem.startswith("found unexpected end of stream") or "quoted scalar" in context:
        return here("the quote that begins here is not closed", opened)
    if "flow sequence" in context or "flow mapping" in context:
        bracket = "']'" if "sequence" in context else "'}'"
        if problem.endswith("'<stream end>'") or "document" in problem.split("got")[-1]:
            return here(f"the bracket that opens here is not closed with {bracket}", opened)
        since = f"; the bracket of line {opened.line + 1} is still open" if opened else ""
        return here(f"',' or {bracket} is missing before this{since}")
    if problem.startswith("mapping values are not allowed"):
        return here("a ':' is not expected here; text with ': ' in it needs quotes")
    if problem.startswith("could not find expected ':'"):
        return here("this line has no ':' after its key", opened)
    if problem.startswith("found character"):
        letter = problem.split("'")[1] if "'" in problem else "%"
        return here(f"a value cannot begin with '{letter}'; put it in quotes")
    if "block collection" in context or "block mapping" in context:
        return here("the indentation does not fit the lines above")
    return here(f"this is not YAML: {' '.join([context, problem]).strip()}")


def _tabs(file: str, lines: list[str], first: int) -> list[Fault]:
    """Every line that is indented with a tab, from the one where the reader stopped."""
    faults = []
    for number, line in enumerate(lines):
        indentation = line[: len(line) - len(line.lstrip())]
        if number == first or (number > first and "\t" in indentation and line.strip()):
            column = indentation.find("\t") + 1 if "\t" in indentation else line.find("\t") + 1
            message = "a tab is used as white space; YAML takes spaces only"
            faults.append(_at(file, lines, number + 1, column, message))
    return faults


def _matches(path: Path, pattern: tuple[str, ...]) -> bool:
    if pattern[-1] == "**":
        head = pattern[:-1]
        return len(path) > len(head) and _matches(path[: len(head)], head)
    return len(path) == len(pattern) and all(w in ("*", part) for w, part in zip(pattern, path))


def _plain(value: Any, path: Path) -> Any:
    """Lists, dicts with text keys and scalars, copied so that nothing of the caller's changes."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(child, path + (str(key),)) for key, child in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(child, path + (index,)) for index, child in enumerate(value)]
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        return value.item()
    if hasattr(value, "__fspath__"):
        return str(value)
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return math.inf if value > 0 else -math.inf  # as where it is written in digits
    return copy.copy(value)
