"""The command `cvinfer`.

Only click is imported here: whatever a command needs it imports itself, so that `cvinfer --help`
answers at once. Exit codes: 0 fine, 1 internal error, 2 the user's mistake, 3 some fits failed,
4 something is not what it should be, 129, 130 and 143 interrupted.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import (
    Any,
    Callable,
    Iterator,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    TypeVar,
)

from cvinfer import __version__
from cvinfer.errors import CvinferError, UserError
from cvinfer.foreign import confirm, is_plain, say, say_json, say_whole
from cvinfer.report.formats import formats

try:
    import click
except ImportError:
    sys.exit("error: the command cvinfer needs the package click: pip install click")

FAILED_FITS = 3
#: A result does not come out again, or stored fits are damaged.
DIFFERENT = 4
#: Seconds after which an interrupted command ends whatever it is at; two are promised.
PATIENCE = 1.5
#: Failed fits that are listed; result.json has them all.
LISTED = 20

Command = TypeVar("Command", bound=Callable[..., Any])


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or a request to end; `code` is what the command returns."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


class Commands(click.Group):
    """Turns whatever goes wrong inside a command into one message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _signals_caught(lambda: _say_interrupted(ctx)):
                answer = super().invoke(ctx)
                sys.stdout.flush()
                return answer
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt as error:
            _end_interrupted(ctx, getattr(error, "code", 130))
        except BrokenPipeError:
            # Whoever reads has seen enough, as in `cvinfer list tests | head`.
            _drop_output()
            ctx.exit(128 + 13)
        except Exception as error:
            if _requested:  # compiled code may turn what interrupts it into an error of its own
                _end_interrupted(ctx, 128 + _requested[0])
            if isinstance(error, CvinferError):
                _say(_message(error))
                ctx.exit(error.exit_code)
            if os.environ.get("CVINFER_DEBUG"):
                raise
            text, code = _unforeseen(error)
            _say(text)
            _drop_output()
            ctx.exit(code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[Optional[str], Optional[click.Command], list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise _with_suggestion(error, args[0], self.list_commands(ctx)) from None


def main(args: Optional[Sequence[str]] = None, program: str = "cvinfer") -> None:
    """Entry point of the command."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "w"))
        elif hasattr(stream, "reconfigure"):
            # A terminal that cannot show × gets a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        cli.main(args=None if args is None else list(args), prog_name=program)
    except OSError as error:  # the help has no place to go
        _say(_unforeseen(error)[0])
        _drop_output()
        sys.exit(1)


def _say(text: str) -> None:
    # Where nobody can be told, the exit code still tells.
    with contextlib.suppress(OSError):
        say(text, err=True)


def _message(error: CvinferError) -> str:
    from cvinfer.spec.faults import SpecError, path_text

    if isinstance(error, SpecError):
        return str(error)
    path = getattr(error, "path", None)
    return f"error: {path_text(tuple(path))}: {error}" if path else f"error: {error}"


def _unforeseen(error: Exception) -> tuple[str, int]:
    """What is said of an error that nothing below has turned into a message."""
    if isinstance(error, ModuleNotFoundError) and error.name and "cvinfer" not in error.name:
        package = error.name.partition(".")[0]
        return f"error: the package {package} is not installed; cvinfer doctor tells more", 2
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"error: {place}{error.strerror}", 2 if error.filename else 1
    said = " ".join(str(error).split())
    return (
        f"internal error: {type(error).__name__}: {said}"
        " (please report it; CVINFER_DEBUG=1 shows where)",
        1,
    )


def _with_suggestion(error: click.UsageError, wrong: str, known: Sequence[str]) -> click.UsageError:
    from difflib import get_close_matches

    near = get_close_matches(wrong, known, n=1)
    if near:
        return click.UsageError(f"{error.message} Did you mean {near[0]!r}?", error.ctx)
    return error


# --- interruption ---------------------------------------------------------------------------------


@contextlib.contextmanager
def _signals_caught(tell: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and requests to end do it in order, and after `PATIENCE` seconds in any case."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int) -> None:
        tell()
        pool = sys.modules.get("cvinfer.execute.backends.pool")
        if pool is not None:
            pool.kill_all()
        os._exit(128 + number)

    def stop(number: int, frame: Any) -> NoReturn:
        # Once is enough: a second Ctrl-C would only disturb the end.
        for each in before:
            signal.signal(each, signal.SIG_IGN)
        _requested.append(number)
        sys.excepthook = _without_interruptions
        sys.unraisablehook = _nor_swallowed_ones
        timer = threading.Timer(PATIENCE, end, (number,))
        timer.daemon = True
        timer.start()
        raise Interrupted(number)

    _requested.clear()
    before = {each: signal.getsignal(each) for each in _requests()}
    # Also where a shell started this in the background and had Ctrl-C ignored: whoever interrupts
    # a run by its number means it.
    for each in before:
        signal.signal(each, stop)
    try:
        yield
    except Interrupted:
        raise
    except BaseException:
        _restore(before)
        raise
    _restore(before)


def _requests() -> list[signal.Signals]:
    """The signals that ask for the end. One of them is ignored on purpose where nohup is used."""
    requests: list[signal.Signals] = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        requests.append(hangup)
    return requests


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for each, handler in handlers.items():
        signal.signal(each, handler)


_said_interrupted = threading.Event()
#: The signal that asked for the end, if one did.
_requested: list[int] = []


def _without_interruptions(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Show what nobody caught, but for the interruption, which is told in words."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def _nor_swallowed_ones(found: Any) -> None:
    """The same for what Python cannot raise where it happens; then the timer ends the command."""
    if not issubclass(found.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(found)


def _end_interrupted(ctx: click.Context, code: int) -> NoReturn:
    _say_interrupted(ctx)
    _drop_output()  # the terminal may be gone
    ctx.exit(code)


def _say_interrupted(ctx: click.Context) -> None:
    if _said_interrupted.is_set():
        return
    _said_interrupted.set()
    resume = ctx.meta.get("cvinfer.resume")
    if resume is None:
        _say("\ninterrupted")
    else:
        _say(f"\ninterrupted; finished fits are kept. To go on from there:\n  {resume}")


def _drop_output() -> None:
    """What cannot be written must not be tried again at the end: Python would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


def _resume_with(ctx: click.Context) -> None:
    root = ctx.find_root()
    words = root.meta.get("cvinfer.arguments", [])
    ctx.meta["cvinfer.resume"] = f"{root.info_name} {shlex.join(words)}"


# --- what several commands share ------------------------------------------------------------------

# Whether a file can be read is found out by reading it, and said in one form everywhere.
PATH = click.Path(path_type=Path, readable=False)
SPEC = click.argument("spec", type=PATH, metavar="SPEC")
RESULT = click.argument("result", type=PATH, metavar="RESULT.JSON")


class Amount(click.ParamType):
    """A whole number from 1 on, in digits or as 4e9 or 4G."""

    name = "amount"
    units = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}

    def convert(
        self, value: Any, param: Optional[click.Parameter], ctx: Optional[click.Context]
    ) -> int:
        text = str(value).strip().lower().replace("_", "").replace(",", "")
        unit = self.units.get(text[-1:], 1)
        try:
            amount = float(text[:-1] if unit > 1 else text) * unit
            if 1 <= amount < 10**18:
                return int(amount)
        except ValueError:
            pass
        self.fail(f"{value!r} is no amount, such as 5000000, 5e6 or 5M", param, ctx)


def _raise_limit(ctx: click.Context, param: click.Parameter, value: Optional[int]) -> None:
    from cvinfer.limits import limited

    if value is not None:
        ctx.with_resource(limited(**{str(param.name): value}))


MAX_BYTES = click.option(
    "--max-bytes",
    type=Amount(),
    metavar="N",
    expose_value=False,
    callback=_raise_limit,
    help="Read files up to this size (default: data 1G unpacked, results 100M, specs 1M).",
)
MAX_FITS = click.option(
    "--max-fits",
    type=Amount(),
    metavar="N",
    expose_value=False,
    callback=_raise_limit,
    help="Accept specs that take up to this many fits or comparisons (default: 10M).",
)


def _keep_readings(ctx: click.Context, param: click.Parameter, without: bool) -> None:
    """Data is read for somebody who waits; what was read is kept beside the store."""
    from cvinfer.data.kept import Keeping, keeping
    from cvinfer.progress import telling

    given = ctx.params  # filled while the command line is read

    def place(option: str) -> Optional[Path]:
        # Elsewhere `output` is a file.
        return given.get(option) if "store" in given else None

    ctx.with_resource(telling(lambda: bool(given.get("quiet"))))
    if not without:
        ctx.with_resource(keeping(Keeping(lambda: place("output"), lambda: place("store"))))


NO_CACHE = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=_keep_readings,
    help="Read data files anew, and keep nothing of them beside the store.",
)
ALLOW_CODE = click.option(
    "--allow-code",
    is_flag=True,
    help="Accept learners of other packages or of Python files beside the spec (module:Class),"
    " whose code is run, and options that lead to files: docs/security.md.",
)


def spec_options(command: Command) -> Command:
    command = ALLOW_CODE(MAX_FITS(MAX_BYTES(NO_CACHE(command))))
    return click.option(
        "--set",
        "overrides",
        multiple=True,
        metavar="KEY=VALUE",
        help="Change the spec, for example --set alpha=0.01; checked like the spec.",
    )(command)


JOBS = click.option(
    "--jobs", type=click.IntRange(min=1), help="Worker processes (default: the cores there are)."
)
QUIET = click.option("--quiet", is_flag=True, help="No progress, only the result.")
BASE = click.option(
    "--base",
    type=PATH,
    metavar="DIR",
    help="Directory that relative paths start from (default: the spec's; for a result.json where"
    " its data was, then its own directory, then the working directory).",
)


def place_options(command: Command) -> Command:
    command = click.option(
        "--store",
        type=PATH,
        metavar="FILE",
        help="File of finished fits (default: the first that is there of results/store.sqlite"
        " here, beside the spec, and beside its directory, but for another user's; else a new one"
        " here; with --output the one beside that).",
    )(command)
    return click.option(
        "--output",
        type=PATH,
        metavar="DIR",
        help="Directory of the result (default: results/NAME in the working directory, or in"
        " output.directory of the spec in the place of results).",
    )(command)


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


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


# --- commands -------------------------------------------------------------------------------------


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="cvinfer")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Compare classifiers by cross-validation, with tests and intervals that are honest.

    A comparison is written down in a spec, a small YAML file:

    \b
      cvinfer init data.csv --target class    write a spec for your data
      cvinfer run spec.yaml                   fit, test, and write the tables
    """


class Remembering(click.Command):
    """Keeps its arguments as they were given, for the command to resume."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.find_root().meta["cvinfer.arguments"] = [str(ctx.info_name), *args]
        return super().parse_args(ctx, args)


@cli.command(cls=Remembering, short_help="Fit, test, write the results and show them.")
@SPEC
@spec_options
@BASE
@place_options
@JOBS
@QUIET
@click.option("--fail-fast", is_flag=True, help="Stop at the first fit that fails.")
@click.pass_context
def run(
    ctx: click.Context,
    spec: Path,
    overrides: tuple[str, ...],
    allow_code: bool,
    base: Optional[Path],
    output: Optional[Path],
    store: Optional[Path],
    jobs: Optional[int],
    quiet: bool,
    fail_fast: bool,
) -> None:
    """Run a spec: fit, test, write the results and show them.

    Finished fits are stored at once and reused by later runs. Exit code 3 means that some fits
    failed; tests that need them say so, all others have their results.

    Data is looked for beside the spec. Results go to results/NAME in the working directory, and
    finished fits to the store that is there already: here, beside the spec or beside its
    directory, so that a run from elsewhere fits nothing twice. It says which it was.

    A result.json is run as the spec it was made from, on the data it was made from, and compared
    with what comes out: exit code 4 if that is another (cvinfer verify does it without writing).

    \b
      cvinfer run spec.yaml
      cvinfer run spec.yaml --jobs 4 --set alpha=0.01
      cvinfer run spec.yaml --output tables --quiet
      cvinfer run results/letter/result.json --output again
    """
    from cvinfer import runner
    from cvinfer import verify as verify_
    from cvinfer.again import read_result
    from cvinfer.progress import progress_for
    from cvinfer.spec import finished

    _resume_with(ctx)
    original = None
    if finished.is_result_file(spec) and not overrides:
        original = read_result(spec)  # before it may be written over
    result = runner.run(
        spec,
        overrides=overrides,
        base=base,
        jobs=jobs,
        output=output,
        store=store,
        progress=progress_for(quiet),
        fail_fast=fail_fast,
        allow_code=allow_code,
        write=True,
    )
    _show_result(result)
    if result.outcome.damaged:
        _say(f"warning: {result.outcome.warning(result.store)}")
    if result.failed:
        _show_failures(result)
    if original is not None:
        _tell_verdict(ctx, verify_.compared(str(spec), original, result.document))
    if result.failed:
        ctx.exit(FAILED_FITS)


def _tell_verdict(ctx: click.Context, verdict: Any) -> None:
    for line in verdict.lines():
        say(line)
    if not verdict.same:
        ctx.exit(DIFFERENT)


@cli.command(short_help="Run a result again: does it come out?")
@RESULT
@BASE
@ALLOW_CODE
@JOBS
@click.option(
    "--store",
    type=PATH,
    metavar="FILE",
    help="Take finished fits from this store (default: every fit is made anew).",
)
@QUIET
@click.pass_context
def verify(
    ctx: click.Context,
    result: Path,
    base: Optional[Path],
    allow_code: bool,
    jobs: Optional[int],
    store: Optional[Path],
    quiet: bool,
) -> None:
    """Run a result again from itself, and say SAME or the first difference; nothing is written.

    Its data is looked at first: other data than the result's is told with both hashes, before
    anything is fitted. Other versions of packages are told, but only the content decides.
    Exit code 0 for SAME, 4 for other data or another content.

    \b
      cvinfer verify results/letter/result.json
      cvinfer verify result.json --base data
    """
    from cvinfer import verify as verify_
    from cvinfer.progress import progress_for

    found = verify_.verify(
        result,
        base=base,
        store=store,
        jobs=jobs,
        allow_code=allow_code,
        progress=progress_for(quiet),
    )
    _tell_verdict(ctx, found)


def _show_result(result: Any) -> None:
    from cvinfer.report.terminal import print_result

    print_result(result.document)
    outcome = result.outcome
    store = ""
    if result.store is not None:
        store = f" The store is {result.store}{result.store_remark}."
    made = f"{outcome.reused} reused from the store, {outcome.fitted} made now"
    say(f"\nFits: {made}.{store}" if result.spec.learners else "\nNothing had to be fitted.")
    say(f"Files: {', '.join(_files(result.directory))} in {result.directory}")


def _files(directory: Path) -> list[str]:
    first = ["result.json", "result.tex", "result.md"]
    found = {each.name for each in directory.iterdir() if each.is_file() and each.name[0] != "."}
    return [name for name in first if name in found] + sorted(found - set(first))


def _show_failures(result: Any) -> None:
    failures = result.document["failures"]
    partitions = result.document["partitions"]
    _say(f"\n{len(failures)} fits failed or were not made:")
    alike: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for each in failures:
        alike.setdefault((each["learner"], each["data"], each["message"]), []).append(each)
    for (learner, data, message), group in list(alike.items())[:LISTED]:
        label = partitions[group[0]["partition"]]["label"]
        split = f"split {group[0]['split'] + 1} of {label}"
        split = f"{len(group)} times, first on {split}" if len(group) > 1 else split
        _say(f"  {learner} on {data}, {split}: {message}")
    if len(alike) > LISTED:
        _say(f"  and {len(alike) - LISTED} more reasons; result.json has them all")


@cli.command(short_help="Find all faults of specs.")
@click.argument("specs", nargs=-1, required=True, type=PATH, metavar="SPEC...")
@spec_options
@JSON
@click.pass_context
def validate(
    ctx: click.Context,
    specs: tuple[Path, ...],
    overrides: tuple[str, ...],
    allow_code: bool,
    as_json: bool,
) -> None:
    """Check specs without running them; all faults are told at once, with their places.

    What looks like a leak in the data is told as a note, and is no fault: docs/leaks.md.

    Exit code 2 if there is a fault. With --json the faults are a list of objects with file, line,
    column, path, message, allowed, suggestion, source_line and there (what the data has).

    \b
      cvinfer validate spec.yaml
      cvinfer validate specs/*.yaml --json
    """
    from cvinfer.spec import as_json as faults_as_json
    from cvinfer.spec import read_spec, render_all

    every = []
    for spec in specs:
        _, read, faults = read_spec(spec, overrides, allow_code)
        every += faults
        if not as_json:
            say(render_all(faults) if faults else f"{spec}: ok")
            for note in [] if faults else _leaks(read):
                say(f"  note: {note}")
    if as_json:
        say_json(faults_as_json(every))
    elif every:
        _say(f"{len(every)} fault{'s' * (len(every) > 1)} found")
    if every:
        ctx.exit(2)


def _leaks(sets: Sequence[Any]) -> Iterator[str]:
    """What is noticed of leaks in data sets that were read."""
    from cvinfer.data import Dataset
    from cvinfer.data.leaks import data_notes

    for data in sets:
        if isinstance(data, Dataset):
            yield from (f"{data.name}: {note}" for note in data_notes(data))


@cli.command(short_help="Count the fits, per learner and test.")
@SPEC
@spec_options
@place_options
@JSON
def plan(
    spec: Path,
    overrides: tuple[str, ...],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
    as_json: bool,
) -> None:
    """Show how many fits a spec takes, per learner and test.

    naive: fits if every test made its own; distinct: those that no test above needs as well;
    stored: how many of these are finished already.

    \b
      cvinfer plan spec.yaml
      cvinfer plan spec.yaml --json
    """
    from cvinfer import runner
    from cvinfer.costs import costs, costs_text
    from cvinfer.execute import places

    checked, sets = runner.load(spec, overrides, allow_code)
    path = places.store_path(checked, output, store)
    found = costs(checked, sets, runner.run_plans(checked, sets), path)
    if as_json:
        say_json(found)
    else:
        say(costs_text(found))


@cli.command(short_help="Print a spec with every default.")
@SPEC
@spec_options
def show(spec: Path, overrides: tuple[str, ...], allow_code: bool) -> None:
    """Print a spec resolved, with every default spelled out; the output is a spec again.

    \b
      cvinfer show spec.yaml
      cvinfer show spec.yaml --set tests=all
    """
    import yaml

    from cvinfer.spec import load_spec

    resolved = load_spec(spec, overrides, allow_code=allow_code).resolved()
    text = yaml.safe_dump(resolved, sort_keys=False, allow_unicode=True, width=100)
    if not is_plain(
        text.replace("\n", "")
    ):  # then what a terminal would obey is escaped, as YAML has it
        text = yaml.safe_dump(resolved, sort_keys=False, allow_unicode=False, width=100)
    say_whole(text)


@cli.command(short_help="Write a spec that runs, for your data.")
@click.argument("data", required=False, type=PATH, metavar="[DATA]")
@click.option("--target", help="Column with the classes; needed where DATA is given.")
@click.option(
    "--learners",
    metavar="NAMES",
    help="Learners with commas between, as cvinfer list learners has them; ENGINE:NAME for one of"
    " another engine than scikit-learn, such as rweka:J48.",
)
@click.option(
    "--drop", multiple=True, metavar="COLUMN", help="Leave out a column; can be said again."
)
@click.option("--encoding", help="Encoding of the file (default: utf-8, or a guess that is told).")
@click.option("--separator", help="Character between fields of a csv file (default: it is found).")
@click.option(
    "--decimal",
    type=click.Choice([".", ","]),
    help="Decimal mark of numbers in a csv file (default: it is found).",
)
@click.option(
    "-o",
    "--output",
    type=PATH,
    default=Path("spec.yaml"),
    show_default=True,
    metavar="FILE",
    help="Where the spec goes; - prints it.",
)
@click.option("--force", is_flag=True, help="Overwrite a file that is there.")
@MAX_BYTES
@NO_CACHE
def init(
    data: Optional[Path],
    target: Optional[str],
    learners: Optional[str],
    drop: tuple[str, ...],
    encoding: Optional[str],
    separator: Optional[str],
    decimal: Optional[str],
    output: Path,
    force: bool,
) -> None:
    """Write a commented spec that runs: for DATA (csv, arff, parquet), or as a first example.

    \b
      cvinfer init
      cvinfer init data.csv --target class
      cvinfer init data.csv --target class -o comparison.yaml
      cvinfer init data.csv --target class --learners GaussianNB,SVC,rweka:J48 --drop id
    """
    from cvinfer.scaffold import Wishes, spec_text, write_spec

    separator = {"tab": "\t", "\\t": "\t"}.get(str(separator), separator)
    wishes = Wishes(target, learners, drop, encoding, separator, decimal)

    if str(output) == "-":
        text, notes = spec_text(data, wishes, Path("spec.yaml"))
        say_whole(text)
    else:
        notes = write_spec(data, wishes, output, force)
    for note in notes:
        _say(f"note: {note}")
    if str(output) == "-":
        return
    say(f"written: {output}")
    say(f"Next: cvinfer run {shlex.quote(str(output))}")


@cli.command(short_help="Write the partitions to a csv file.")
@SPEC
@spec_options
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    metavar="FILE",
    help="Where the splits go; a name in .gz is packed.",
)
def splits(spec: Path, overrides: tuple[str, ...], allow_code: bool, output: Path) -> None:
    """Write the partitions of a spec: scheme, replication, fold, role, record (from 0).

    Any program can run on these very splits, and `partition: {scheme: file, path: splits.csv}`
    reads them back. With several data sets each has a file of its own, named after it.

    \b
      cvinfer splits spec.yaml -o splits.csv
      cvinfer splits spec.yaml -o splits.csv.gz
    """
    from cvinfer import runner
    from cvinfer.costs import write_partitions

    checked, sets = runner.load(spec, overrides, allow_code)
    for path in write_partitions(checked, sets, output):
        say(f"written: {path}")


@cli.command(short_help="Print the tables of a finished run.")
@RESULT
@click.option(
    "--format",
    "form",
    type=click.Choice(list(formats)),
    default="text",
    show_default=True,
    help="csv has every number in full precision.",
)
@click.option("-o", "--output", type=PATH, metavar="FILE", help="Where the table goes.")
@MAX_BYTES
def table(result: Path, form: str, output: Optional[Path]) -> None:
    """Print the tables of a finished run.

    \b
      cvinfer table results/letter/result.json --format latex
      cvinfer table results/letter/result.json --format csv -o letter.csv
    """
    from cvinfer.again import read_as_result, read_result
    from cvinfer.report import render
    from cvinfer.report.terminal import print_result

    document = read_result(result)
    with read_as_result(result):
        text = render(document, form)
    if form == "text" and output is None:
        print_result(document)
    else:
        write_out(text, output)


@cli.command(short_help="Make more tests without fitting again.")
@RESULT
@click.option(
    "--tests",
    required=True,
    metavar="TESTS",
    help="Names with commas between; options as in a spec: 'corrected_kfold_t: {rho: 0.5}'.",
)
@JSON
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="DIR",
    help="Directory to write the result to.",
)
@MAX_BYTES
@click.pass_context
def test(
    ctx: click.Context, result: Path, tests: str, as_json: bool, output: Optional[Path]
) -> None:
    """Run more tests on the predictions of a finished run; nothing is fitted again.

    The test that decided in the run decides here too, with the others beside it: one that is
    picked when the results are known names no winner. The partition that a test needs must be
    among those of the run. `cvinfer list tests` says what each needs.

    \b
      cvinfer test results/letter/result.json --tests kfold_t,cvci_z
      cvinfer test results/letter/result.json --tests combined_5x2_f -o results/more
    """
    from cvinfer.again import test_again

    found = test_again(result, tests, output)
    if as_json:
        say_json(found.document)
    else:
        from cvinfer.report.terminal import print_result

        print_result(found.document)
        if output is not None:
            say(f"\nFiles: {', '.join(_files(output))} in {output}")
    if found.failed:
        _show_failures(found)
        ctx.exit(FAILED_FITS)


@cli.command(name="list", short_help="List what a spec can name.")
@click.argument("what", type=click.Choice(["tests", "intervals", "schemes", "learners", "data"]))
@JSON
def list_(what: str, as_json: bool) -> None:
    """List what a spec can name; what cannot be used here is listed with the reason.

    \b
      cvinfer list tests
      cvinfer list learners --json
    """
    from cvinfer.listing import entries, entries_text

    found = entries(what)
    if as_json:
        say_json(found)
    else:
        say(entries_text(found))


@cli.command(short_help="Look whether everything needed is there.")
@click.argument("spec", required=False, type=PATH, metavar="[SPEC]")
@spec_options
@place_options
@click.pass_context
def doctor(
    ctx: click.Context,
    spec: Optional[Path],
    overrides: tuple[str, ...],
    allow_code: bool,
    output: Optional[Path],
    store: Optional[Path],
) -> None:
    """Look whether everything needed is there, and say how to add what is missing.

    Exit code 0 only if the spec can run, or without a spec if every engine and learner can.

    \b
      cvinfer doctor
      cvinfer doctor spec.yaml
    """
    from cvinfer.doctor import examine

    healthy = True
    for line in examine(spec, overrides, allow_code, output, store):
        say(line.text)
        healthy = healthy and line.fine
    if not healthy:
        ctx.exit(2)


@cli.group(short_help="Look at the stored fits, or remove some.")
def store() -> None:
    """The file of finished fits: what is in it, and how to make it smaller.

    \b
      cvinfer store info
      cvinfer store check
      cvinfer store prune --older-than 30
    """


STORE = click.option(
    "--store",
    "path",
    type=PATH,
    default=Path("results/store.sqlite"),
    show_default=True,
    metavar="FILE",
    help="The file of finished fits.",
)


@store.command(short_help="Show what is stored.")
@STORE
@JSON
def info(path: Path, as_json: bool) -> None:
    """Show how many fits are stored, and what they take and save.

    \b
      cvinfer store info
      cvinfer store info --store results/store.sqlite --json
    """
    with open_store(path) as opened:
        facts = opened.info()
    if as_json:
        say_json(facts)
        return
    say(f"file    {facts['path']}")
    say(f"fits    {facts['fits']}")
    say(f"size    {facts['bytes'] / 1e6:.1f} MB")
    say(f"saves   {facts['seconds']:.1f} s of fitting and predicting")
    if facts["fits"]:
        say(f"made    {facts['first']} to {facts['last']} (UTC)")


@store.command(short_help="Look whether all stored fits are sound.")
@STORE
@click.option("--mend", is_flag=True, help="Keep the sound fits and drop the damaged ones.")
@JSON
@click.pass_context
def check(ctx: click.Context, path: Path, mend: bool, as_json: bool) -> None:
    """Look whether every stored fit is what was put there, by its checksum, and the file is whole.

    A run leaves damaged fits aside and makes them again. Exit code 4 if there is damage that is
    not mended. Fits of versions that knew no checksums get theirs when the store is first opened.

    \b
      cvinfer store check
      cvinfer store check --store results/store.sqlite --json
      cvinfer store check --mend
    """
    with open_store(path) as opened:
        found = opened.check()
        if mend and not found.sound:
            opened.mend()
    if as_json:
        say_json({"path": str(path), **found._asdict(), "mended": mend and not found.sound})
    else:
        say(f"{found.fits} fits in {path} are sound, {len(found.damaged)} are damaged")
        for learner, count in Counter(found.damaged).items():
            say(f"  damaged: {count} of {learner}")
        for line in found.structure:
            say(f"  the file: {line}")
        if mend and not found.sound:
            say("The sound fits are kept, the damaged ones are gone; a run makes them again.")
    if not found.sound and not mend:
        ctx.exit(DIFFERENT)


@store.command(short_help="Remove stored fits.")
@STORE
@click.option(
    "--older-than",
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Remove only what is older.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
def prune(path: Path, older_than: Optional[float], yes: bool) -> None:
    """Remove stored fits, all or the older ones; a later run makes again what it needs.

    \b
      cvinfer store prune --older-than 30
      cvinfer store prune --yes
    """
    with open_store(path) as opened:
        which = "all fits" if older_than is None else f"fits older than {older_than:g} days"
        if not yes:
            if not sys.stdin.isatty():
                raise UserError(f"this removes {which} from {path}; say --yes to do it")
            confirm(f"Remove {which} from {path}?")
        removed = opened.prune(older_than)
    say(f"{removed} fits removed from {path}")


def open_store(path: Path) -> Any:
    """The store in a file that is there and is one."""
    import sqlite3

    from cvinfer.execute.store import Store

    if not path.exists():
        raise UserError(f"there is no store {path}; name it with --store FILE")
    try:
        # Read-only: looking at a file must not turn it into a store.
        with sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True) as looked_at:
            known = looked_at.execute("select 1 from sqlite_master where name = 'fits'").fetchone()
        looked_at.close()
    except sqlite3.OperationalError as error:
        raise UserError(f"the store {path} cannot be opened: {error}") from None
    except sqlite3.Error as error:
        raise UserError(f"{path} is no store of cvinfer: {error}") from None
    if known is None:
        raise UserError(f"{path} is no store of cvinfer: it is another program's database")
    return Store(path)


if __name__ == "__main__":
    main()
