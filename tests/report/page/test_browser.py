"""The page in a real browser: silent, accessible, light, dark, on paper, with and without script.

Pictures go to the directory of CVINFER_SCREENSHOTS, if that is set, to be looked at.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any, Iterator

import pytest
from tests.report import report_examples as examples
from tests.report import study_examples
from tests.report.page.browser import Browser, browsing, program
from tests.report.page.test_page import HOSTILE, named, page

from cvinfer.report.warned import one_name

ROOT = Path(__file__).parents[3]
#: Where set-up leaves axe-core, which looks for faults of accessibility.
AXE = ROOT / ".axe" / "package" / "axe.min.js"

pytestmark = pytest.mark.skipif(program() is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("browser")) as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("pages")
    hostile = named(examples.small(), "CART", HOSTILE)
    hostile = named(named(hostile, "SVM", "x" * 300), "letter", "שלום <b>עולם</b>")
    documents: dict[str, Any] = {
        "small": examples.small(),
        "intervals": examples.breast_cancer(),
        "sixty": examples.sixty(),
        "troubled": examples.troubled(),
        "hostile": hostile,
        "study": study_examples.whole(),
    }
    for name, document in documents.items():
        (place / f"{name}.html").write_text(page(document), encoding="utf-8")
    return {name: place / f"{name}.html" for name in documents}


def look(browser: Browser, name: str) -> None:
    """Keep a picture of the whole page, where somebody wants to look at it."""
    place = os.environ.get("CVINFER_SCREENSHOTS")
    if place:
        size = browser.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 6000)}
        found = browser.call(
            "Page.captureScreenshot", clip={**clip, "scale": 1}, captureBeyondViewport=True
        )
        (Path(place) / f"{name}.png").write_bytes(base64.b64decode(found["data"]))


def screen(browser: Browser, width: int, scheme: str = "light", media: str = "screen") -> None:
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        width=width,
        height=900,
        deviceScaleFactor=1,
        mobile=False,
    )
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.call("Emulation.setEmulatedMedia", media=media, features=features)


NAMES = ("small", "intervals", "sixty", "troubled", "hostile", "study")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_silent_and_fits(browser: Browser, pages: dict[str, Path], name: str) -> None:
    for width in (1280, 360):
        screen(browser, width)
        browser.open(pages[name])
        assert browser.complaints == []
        assert browser.value("document.documentElement.scrollWidth") <= width
        look(browser, f"{name}-{width}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_fault(
    browser: Browser, pages: dict[str, Path], name: str, scheme: str
) -> None:
    """Names of everything, order of headings, contrast and all that axe-core knows."""
    if not AXE.exists():
        pytest.skip("axe-core is not there; tools/setup.sh takes it from npm's registry")
    screen(browser, 1280, scheme)
    browser.open(pages[name])
    browser.value("document.querySelectorAll('details').forEach((each) => (each.open = true))")
    look(browser, f"{name}-{scheme}")
    browser.value(AXE.read_text(encoding="utf-8") + ";1")
    found = browser.value(
        "axe.run(document, {resultTypes: ['violations']}).then((found) => JSON.stringify("
        "found.violations.map((each) => [each.id, each.help, each.nodes.length,"
        " each.nodes[0].html.slice(0, 200), each.nodes[0].failureSummary])))"
    )
    assert json.loads(found) == []


def test_hostile_names_are_shown_and_run_nothing(browser: Browser, pages: dict[str, Path]) -> None:
    screen(browser, 1280)
    browser.open(pages["hostile"])
    shown = browser.value("document.body.textContent")
    assert HOSTILE in shown and "שלום <b>עולם</b>" in shown and "x" * 300 in shown
    assert browser.value("document.images.length + document.scripts.length") == 1
    # Even a script that got in would be refused by the page's own policy.
    browser.value(
        "const more = document.createElement('script'); more.textContent = 'window.ran = 1';"
        "document.head.append(more)"
    )
    assert browser.value("window.ran") is None


def test_tables_sort_and_rows_are_filtered(browser: Browser, pages: dict[str, Path]) -> None:
    screen(browser, 1280)
    browser.open(pages["sixty"])
    first = (
        "document.querySelector('#differences tbody tr[data-row] td:nth-of-type(2)').dataset.value"
    )
    click = "[...document.querySelectorAll('#differences th button')][1].click()"
    values = (
        "JSON.stringify([...document.querySelectorAll('#differences tbody:first-of-type"
        " tr[data-row]')].map((row) => Number(row.cells[2].dataset.value)))"
    )
    browser.value(click)
    rising = json.loads(browser.value(values))
    assert rising == sorted(rising) and browser.value(first) is not None
    browser.value(click)
    assert json.loads(browser.value(values)) == rising[::-1]
    assert browser.value("document.querySelector('th[aria-sort]').ariaSort") == "descending"
    browser.value(
        "const input = document.querySelector('input'); input.value = 'naive bayes';"
        "input.dispatchEvent(new Event('input'))"
    )
    seen = "[...document.querySelectorAll('.pair')].filter((each) => !each.hidden).length"
    assert browser.value(seen) == 20
    assert browser.value("document.querySelector('[role=status]').textContent") == "20 comparisons"
    assert browser.complaints == []


def test_without_script_all_is_there(browser: Browser, pages: dict[str, Path]) -> None:
    screen(browser, 1280)
    browser.open(pages["small"], script=False)
    found = browser.call("DOM.getDocument", depth=0)["root"]["nodeId"]
    body = browser.call("DOM.querySelector", nodeId=found, selector="body")["nodeId"]
    text = browser.call("DOM.getOuterHTML", nodeId=body)["outerHTML"]
    assert "<button" not in text and "<input" not in text
    for verdict in examples.small()["verdicts"]:
        sentence = one_name(verdict["sentence"], examples.small())
        assert sentence.replace("<", "&lt;").replace(">", "&gt;") in text
    browser.call("Emulation.setScriptExecutionDisabled", value=False)


def test_paper_shows_everything(browser: Browser, pages: dict[str, Path]) -> None:
    screen(browser, 800, media="print")
    browser.open(pages["small"])
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value("document.querySelectorAll('details:not([open])').length") == 0
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    look(browser, "small-print")
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value("document.querySelectorAll('details:not([open])').length") > 0
    pdf = browser.call("Page.printToPDF", printBackground=True)["data"]
    assert base64.b64decode(pdf).startswith(b"%PDF")
