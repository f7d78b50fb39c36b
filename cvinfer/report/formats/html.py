"""html: a page for people, one file without a network; see `cvinfer.report.page`."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from cvinfer.report.files import PAGE_NAME
from cvinfer.report.formats import output_format


@output_format(
    "html",
    of=dict.fromkeys(("result", "study", "stability", "calibrate"), PAGE_NAME),
    as_it_is=True,
    timed=True,
)
def html(document: Mapping[str, Any], facts: Optional[Mapping[str, Any]] = None) -> str:
    """The page of a document; `facts` are those of run.json beside it, with its times."""
    from cvinfer.report.page.paper import page

    return page(document, facts)
