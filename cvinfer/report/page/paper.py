"""The page as a whole: head, contents, sections, foot."""

from __future__ import annotations

import base64
import hashlib
from functools import lru_cache
from importlib import resources
from typing import Optional, Sequence

from cvinfer.documents import JsonObject
from cvinfer.foreign import shown_all
from cvinfer.report.files import canonical
from cvinfer.report.page.sections import Section, sections
from cvinfer.report.page.markup import Content, Element, Verbatim, bdi, rendered, tag
from cvinfer.report.page.reading import Reading


def page(document: JsonObject, facts: Optional[JsonObject] = None) -> str:
    """A document as one HTML file; `facts` are those of run.json beside it."""
    reading = Reading(shown_all(document), shown_all(facts or {}))
    digest = _digest(document) if reading.kind == "result" else ""
    shown = [(each, each.show(reading)) for each in _sections(reading.kind)]
    parts = [(each, content) for each, content in shown if content]
    root = tag("html", _head(reading), _body(reading, parts, digest), lang="en")
    return f"<!DOCTYPE html>{rendered([root])}\n"


def _sections(kind: str) -> list[Section]:
    found = [each for each in sections.values() if kind in each.of]
    return sorted(found, key=lambda each: each.place)


def _head(reading: Reading) -> Element:
    style, script = _asset("page.css"), _asset("page.js")
    # Nothing is loaded, and no other style or script than these two is obeyed.
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content="cvinfer"),
        tag("title", f"{reading.document['name']} – cvinfer"),
        tag("style", Verbatim(style)),
        tag("script", Verbatim(script)),
    )


def _body(reading: Reading, parts: Sequence[tuple[Section, Content]], digest: str) -> Element:
    document = reading.document
    links = [tag("li", tag("a", each.title, href=f"#{each.name}")) for each, _ in parts]
    made = [
        tag(
            "section",
            tag("h2", each.title, id=f"{each.name}-title"),
            content,
            id=each.name,
            aria_labelledby=f"{each.name}-title",
        )
        for each, content in parts
    ]
    return tag(
        "body",
        tag("a", "Skip to the results", href="#main", class_="skip"),
        tag(
            "header",
            tag("p", f"cvinfer {reading.kind}", class_="kind"),
            tag("h1", bdi(document["name"])),
        ),
        tag("nav", tag("h2", "Contents"), tag("ol", links), aria_label="Contents"),
        tag("main", made, id="main", tabindex=-1),
        tag("footer", _foot(document, digest)),
    )


def _foot(document: JsonObject, digest: str) -> Element:
    version = document.get("manifest", {}).get("versions", {}).get("cvinfer", "")
    made = f"Made by cvinfer {version}".rstrip()
    return tag(
        "p",
        (
            [f"{made} from a result.json of sha256 ", tag("code", digest), "."]
            if digest
            else f"{made}."
        ),
        " Differences are A minus B in loss: a positive one means that A is worse.",
    )


def _digest(document: JsonObject) -> str:
    """What sha256sum says of a result.json."""
    return hashlib.sha256(canonical(document).encode("utf-8", "backslashreplace")).hexdigest()


@lru_cache(maxsize=None)
def _asset(name: str) -> str:
    source = resources.files("cvinfer.report").joinpath("templates", name)
    return "\n" + source.read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
