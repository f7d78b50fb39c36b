"""The pages that people read say what the code does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path


ROOT = Path(__file__).resolve().parents[2]


def _generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate_tests_md.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tests_md_is_what_the_registry_says():
    assert (ROOT / "docs/tests.md").read_text(encoding="utf-8") == _generator().page()


def test_the_reproduction_is_what_the_ledger_and_its_results_say():
    from cvinfer.studies.ledger import Results, load_ledger
    from cvinfer.studies.ledger.page import look, pages

    kept = ROOT / "docs" / "reproduction"
    items = load_ledger(ROOT / "specs" / "papers").values()
    for name, text in pages(look(items, Results((kept,)), kept)).items():
        found = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert found == text, f"docs/{name} is not up to date: make docs"


def test_readme_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def test_the_test_set_of_the_readme_is_its_spec() -> None:
    import yaml

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## A test set and")[2].partition("\n## ")[0]
    (shown,) = re.findall(r"```yaml\n(.*?)```", section, flags=re.DOTALL)
    path = ROOT / "specs" / "test-set.yaml"
    assert yaml.safe_load(shown) == yaml.safe_load(path.read_text(encoding="utf-8"))


def test_what_the_page_recommends_is_what_the_rates_say():
    from cvinfer.inference.cautions import spread
    from cvinfer.inference.measured import measured_rates

    page = ROOT / "docs" / "decisions" / "recommended-on-a-partition.md"
    rows = re.findall(r"^\| ([^|]+) \| `(\w+)` \| ([^|,]+).*\| (.+) \|$", page.read_text(), re.M)
    assert len(rows) == 8
    for partition, name, level, power in rows:
        scheme = "random_mx2" if partition.startswith("random") else None
        assert spread(measured_rates(name, scheme=scheme).values()) == level.strip(), name
        assert spread(measured_rates(name, "difference", scheme=scheme).values()) == power, name


def test_the_recommended_tests_held_in_the_studies_that_are_kept() -> None:
    """In none of the papers' populations are they above alpha by more than four standard errors."""
    import json

    from cvinfer.spec.model import RECOMMENDED_TESTS

    # Second settings, with which the ledger makes one test again, are beside these.
    kept = [
        ROOT / "docs" / "reproduction" / "s1" / "table5" / f"{population}.json"
        for population in ("epsilon", "exp6", "letter", "simple")
    ]
    for path in kept:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        rates = {cell["name"]: cell for cell in cells if cell["kind"] == "test"}
        for name in RECOMMENDED_TESTS:
            alpha, count = rates[name]["alpha"], rates[name]["replications"]
            assert rates[name]["rate"] <= alpha + 4 * (alpha * (1 - alpha) / count) ** 0.5, path
