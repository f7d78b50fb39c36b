"""What several commands say, and where it goes."""

from __future__ import annotations

import contextlib
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from cvinfer.documents import JsonObject
from cvinfer.errors import LearnerError, UserError
from cvinfer.foreign import say, say_whole

if TYPE_CHECKING:
    import click

    from cvinfer.commands._made_again import Verdict
    from cvinfer.runner import Result
    from cvinfer.studies.frame import Finished

#: Exit codes of commands that did what they should: some fits failed,
FAILED_FITS = LearnerError.exit_code
#: or a result does not come out again, or stored fits are damaged.
DIFFERENT = 4
#: Lines that a command says below a document: fits, store and files.
AFTER = 5
#: Failed fits that are listed; result.json has them all.
LISTED = 20
#: So many files of predictions are named each.
NAMED = 4


def tell(text: str) -> None:
    """Say something beside the output of a command."""
    # Where nobody can be told, the exit code still tells.
    with contextlib.suppress(OSError):
        say(text, err=True)


def say_below(text: str) -> None:
    """Say something below a document: on a terminal no line is wider than that, but for a path."""
    if not sys.stdout.isatty():
        say(text)
        return
    from cvinfer.report.screen import size_of

    width = size_of(sys.stdout).columns
    whole_words = textwrap.TextWrapper(
        width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    for line in text.split("\n"):
        say(whole_words.fill(line))


def write_out(text: str, output: Optional[Path]) -> None:
    """To standard output, or to a file that appears whole or not at all."""
    if output is None or str(output) == "-":
        say_whole(text)
        return
    from cvinfer.report.files import write_text

    try:
        write_text(output, text)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error.strerror or error}") from None
    say(f"written: {output}")


def files_in(directory: Path) -> list[str]:
    """The files of a result, in the order in which one looks at them; of many alike the number."""
    from cvinfer.places import is_predictions
    from cvinfer.report.formats import files_of

    first = ["result.json", *files_of("result")]
    found = {each.name for each in directory.iterdir() if each.is_file() and each.name[0] != "."}
    others = sorted(found - set(first))
    predicted = [name for name in others if is_predictions(name)]
    if len(predicted) > NAMED:
        at = others.index(predicted[0])
        others = [name for name in others if name not in predicted]
        others.insert(at, f"predictions-*.csv.gz ({len(predicted)} files)")
    return [name for name in first if name in found] + others


def show_failures(result: Result) -> None:
    """Which fits failed, those with one reason together."""
    failures = result.document["failures"]
    for lost in result.document.get("failed_data", ()):
        tell(f"\ndata set {lost['data']} is left out: {lost['message']}")
    if not failures:
        return
    partitions = result.document["partitions"]
    tell(f"\n{len(failures)} fits failed or were not made:")
    alike: dict[tuple[str, str, str], list[JsonObject]] = {}
    for each in failures:
        alike.setdefault((each["learner"], each["data"], each["message"]), []).append(each)
    for (learner, data, message), group in list(alike.items())[:LISTED]:
        label = partitions[group[0]["partition"]]["label"]
        split = f"split {group[0]['split'] + 1} of {label}"
        split = f"{len(group)} times, first on {split}" if len(group) > 1 else split
        tell(f"  {learner} on {data}, {split}: {message}")
    if len(alike) > LISTED:
        tell(f"  and {len(alike) - LISTED} more reasons; result.json has them all")


def tell_verdict(ctx: click.Context, verdict: Verdict) -> None:
    """Whether a result came out again; where it did not, the command ends with that."""
    for line in verdict.lines():
        say(line)
    if not verdict.same:
        ctx.exit(DIFFERENT)


def reused_and_made(found: "Union[Finished, Result]") -> str:
    """How much of the work was there already, and where it is kept."""
    outcome = found.outcome
    made = f"{outcome.reused} reused from the store, {outcome.fitted} made now."
    return (
        made if found.store is None else f"{made} The store is {found.store}{found.store_remark}."
    )


def show_finished(ctx: click.Context, found: Finished, blocks: str, verbose: bool) -> None:
    """What a command on studies found, which blocks it made, and where its files are."""
    from cvinfer.report.terminal import print_document

    print_document(found.document, verbose=verbose, after=AFTER)
    say_below(f"\n{blocks}: {reused_and_made(found)}")
    names = ", ".join(path.name for path in found.files)
    say_below(f"Files: {names} in {found.directory}")
    for remark in found.remarks:
        tell(remark)
    if found.outcome.damaged:
        tell(f"warning: {found.outcome.warning(found.store)}")
    if found.failed:
        ctx.exit(FAILED_FITS)
