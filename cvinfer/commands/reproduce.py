"""`cvinfer reproduce`: the papers' tables and figures again, beside what is printed."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

import click

from cvinfer.commands._cluster import backend_of, cluster_options
from cvinfer.commands._options import JOBS, PATH, QUIET
from cvinfer.commands._resume import Remembering, resume_with
from cvinfer.foreign import say

if TYPE_CHECKING:
    from cvinfer.studies.ledger import Item, Results

#: Where results go unless told otherwise, below the results of the working directory.
PLACE = "reproduction"


@click.command("reproduce", cls=Remembering, short_help="Make a paper's table or figure again.")
@click.argument("item", required=False, metavar="[PAPER:ITEM]")
@click.option("--list", "listing", is_flag=True, help="Every item, with what is stored of it.")
@click.option("--quick", is_flag=True, help="Fewer replications: wider errors, minutes.")
@click.option("--replications", type=click.IntRange(min=2), metavar="N", help="So many instead.")
@click.option("--study", "only", metavar="NAME", help="Only this study of the item.")
@click.option(
    "--data", type=PATH, metavar="DIR", help="Where data lies that the project does not ship."
)
@click.option(
    "--output",
    type=PATH,
    metavar="DIR",
    help="Where results go, as PAPER/ITEM/STUDY.json (default: results/reproduction here).",
)
@click.option(
    "--store",
    type=PATH,
    metavar="FILE",
    help="File of finished fits (default: results/store.sqlite).",
)
@JOBS
@cluster_options
@QUIET
@click.pass_context
def command(
    ctx: click.Context,
    item: Optional[str],
    listing: bool,
    quick: bool,
    replications: Optional[int],
    only: Optional[str],
    data: Optional[Path],
    output: Optional[Path],
    store: Optional[Path],
    jobs: Optional[int],
    cluster: Optional[str],
    quiet: bool,
) -> None:
    """Make a table or figure of the five papers again and compare it with what is printed.

    Without options an item is run with the replications that its file says are in reach here.
    Finished replications are stored: an interrupted run goes on, and more of them cost what is new.

    \b
      cvinfer reproduce --list
      cvinfer reproduce s2:examples
      cvinfer reproduce s1:table5 --quick
      cvinfer reproduce s0:table10 --data ~/uci --jobs 4
    """
    from cvinfer.places import RESULTS, STORE_NAME
    from cvinfer.studies.ledger import Results, load_ledger
    from cvinfer.studies.ledger.load import find_item
    from cvinfer.studies.ledger.reproduce import find_ledger, kept_results, run_item

    ledger = find_ledger(Path.cwd())
    items = load_ledger(ledger)
    place = output if output is not None else Path(RESULTS) / PLACE
    results = Results((place, kept_results(ledger)))
    if listing or item is None:
        _list(items.values(), results)
        return
    chosen = find_item(items, item)
    if only is not None and only not in chosen.own_studies:
        _refuse_study(chosen, only)
    if chosen.own_studies:
        from cvinfer.progress import progress_for
        from cvinfer.studies import simulate

        def progress(study: str, count: int) -> Any:
            if not quiet:
                say(f"{chosen.key} {study}: {count:,} replications", err=True)
            return progress_for(quiet)

        resume_with(ctx)

        def tell(text: str) -> None:
            if not quiet:
                say(text, err=True)

        backend = backend_of(ctx, cluster, tell)
        runs = run_item(
            chosen,
            functools.partial(simulate, backend=backend),
            output=place,
            data=data,
            replications=replications,
            quick=quick,
            only=only,
            jobs=jobs,
            store=store if store is not None else Path(RESULTS) / STORE_NAME,
            progress=progress,
        )
        for ran in runs:
            failed = len(ran.document["failures"])
            more = f"; {failed} kinds of failure are told in it" if failed else ""
            say(f"{ran.study}: {ran.replications:,} replications in {ran.file}{more}")
    _show(chosen, results)


def _refuse_study(item: Item, only: str) -> None:
    from cvinfer.errors import UserError, listed
    from cvinfer.names import close_match

    known = item.own_studies
    raise UserError(
        f"{item.key} has no study {only!r}", (), listed(known) or "none", close_match(only, known)
    )


def _list(items: Any, results: Results) -> None:
    from cvinfer.studies.ledger import compare_item, count
    from cvinfer.studies.ledger.page import held, look

    for each in look(items, results):
        found = count(compare_item(each.item, results)).of
        parts = [f"{number} {verdict}" for verdict, number in found.items() if number]
        if each.claims:
            parts.append(f"claims that hold: {held(each.claims)}")
        say(f"{each.item.key}  {each.item.title}")
        say(f"    {', '.join(parts)}")


def _show(item: Item, results: Results) -> None:
    """Every cell and claim of an item, and the counts."""
    from cvinfer.studies.ledger import chance, claims_of, compare_item, count
    from cvinfer.studies.ledger.page import cell_line

    cells = compare_item(item, results)
    say(f"\n{item.key}: {item.title}\n{item.says}\n")
    for cell in cells:
        say(cell_line(cell))
    for claim in claims_of(item, results):
        more = "; ".join(text for text in (claim.worst, claim.note) if text)
        say(f"{claim.verdict:>10}  {claim.text}" + (f" ({more})" if more else ""))
    if cells:
        counts = count(cells).of
        said = ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
        found = chance(cells)
        say(f"\n{len(cells)} cells: {said}.")
        if found.compared:
            say(
                f"{found.beyond} of {found.compared} lie beyond |z| = 3; chance alone would bring"
                f" {found.expected:.1f}, and as many with probability {found.probability:.2g}."
            )
