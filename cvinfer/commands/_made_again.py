"""A result run again from itself: is it the same?

The data is looked at first: a result speaks for the data sets whose hashes it holds. What is
compared is the content. Versions of packages are told where they differ, but they are no part of
the verdict: whether they matter is what the rest of the document says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import Path as Place
from cvinfer.progress import Progress
from cvinfer.spec.faults import path_text

#: Told apart from the content: see `versions`.
VERSIONS = ("manifest", "versions")
#: A value of a document is quoted up to so many characters.
QUOTED = 120

ABSENT = object()


class Difference(NamedTuple):
    """A place in a document where two have different values; `ABSENT` where one has none."""

    path: Place
    expected: object
    found: object

    def __str__(self) -> str:
        text = f"{path_text(self.path)}: {_shown(self.expected)} there, {_shown(self.found)} now"
        if isinstance(self.expected, float) and isinstance(self.found, float):
            largest = max(abs(self.expected), abs(self.found))
            relative = abs(self.expected - self.found) / largest
            text += f" (a relative difference of {relative:.1g})"
        return text


@dataclass(frozen=True)
class Verdict:
    """Whether a document came out again: all differences in its content, and in the versions."""

    file: str
    differences: Sequence[Difference]
    versions: Sequence[Difference]

    @property
    def same(self) -> bool:
        return not self.differences

    def lines(self) -> list[str]:
        made = [
            f"{each.path[-1]}: {_shown(each.expected)} there, {_shown(each.found)} now"
            for each in self.versions
        ]
        told = [f"Other versions than those of {self.file}:", *(f"  {line}" for line in made)]
        told = told if made else []
        if self.same:
            beside = ", by other versions" if made else ""
            return [*told, f"SAME: {self.file} comes out again to the last digit{beside}."]
        count = len(self.differences)
        all_ = "the only difference" if count == 1 else f"the first of {count} differences"
        return [*told, f"DIFFERENT: {self.file}, {all_}:", f"  {self.differences[0]}"]


def verify(
    path: Union[str, Path],
    *,
    base: Optional[Path] = None,
    store: Optional[Path] = None,
    jobs: Optional[int] = None,
    allow_code: bool = False,
    progress: Optional[Progress] = None,
) -> Verdict:
    """Run a result again and compare; nothing is written.

    Every fit is made anew, unless a `store` is named. Raises `OtherData` before the first fit where
    the data has changed.
    """
    from cvinfer.runner import run
    from cvinfer.spec.finished import read_result

    file = Path(path)
    file = file / "result.json" if file.is_dir() else file
    expected = read_result(file)
    result = run(file, base=base, store=store, jobs=jobs, allow_code=allow_code, progress=progress)
    return compared(str(file), expected, result.document)


def compared(file: str, expected: JsonObject, made: JsonObject) -> Verdict:
    """The verdict on a document that was made again."""
    from cvinfer.report.files import canonical

    found = json.loads(canonical(made))
    every = list(differences(expected, found))
    depth = len(VERSIONS)
    return Verdict(
        file,
        [each for each in every if each.path[:depth] != VERSIONS],
        [each for each in every if each.path[:depth] == VERSIONS],
    )


def differences(expected: object, found: object, path: Place = ()) -> Iterator[Difference]:
    """Where two values of JSON differ, in the order in which they are written."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key in sorted({*expected, *found}):
            first, second = (x.get(key, ABSENT) for x in (expected, found))
            yield from differences(first, second, (*path, key))
    elif isinstance(expected, list) and isinstance(found, list):
        for at in range(max(len(expected), len(found))):
            first, second = (x[at] if at < len(x) else ABSENT for x in (expected, found))
            yield from differences(first, second, (*path, at))
    elif type(expected) is not type(found) or expected != found:
        yield Difference(path, expected, found)


def _shown(value: object) -> str:
    if value is ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"
