"""The command `cvinfer`: the group of all commands, signals and exit codes.

Only click is imported here, and of a command its own file in `cvinfer/commands`: whatever it needs
it imports when it runs, so that `cvinfer --help` answers at once. Exit codes: 0 fine, 1 internal
error, 2 the user's mistake, 3 some fits failed, 4 something is not what it should be, 129, 130 and
143 interrupted (129 also where a cluster went).
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import pkgutil
import signal
import sys
import threading
from typing import Any, Callable, Iterator, Mapping, NoReturn, Optional, Sequence

from cvinfer import __version__, commands
from cvinfer.commands._said import tell
from cvinfer.errors import CvinferError, Interruption, Refusal

try:
    import click
except ImportError:
    sys.exit("error: the command cvinfer needs the package click: pip install click")

#: Seconds after which an interrupted command ends whatever it is at; two are promised.
PATIENCE = 1.5


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or a request to end; `code` is what the command returns."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.code = 128 + number


class Commands(click.Group):
    """Finds the commands, and turns whatever goes wrong inside one into a message and a code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = (each.name for each in pkgutil.iter_modules(commands.__path__))
        return sorted(name for name in names if not name.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> Optional[click.Command]:
        if cmd_name not in self.list_commands(ctx):
            return None
        found: click.Command = importlib.import_module(f"cvinfer.commands.{cmd_name}").command
        return found

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with _signals_caught(lambda: _say_interrupted(ctx)):
                answer = super().invoke(ctx)
                sys.stdout.flush()
                return answer
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except KeyboardInterrupt as error:
            _end_interrupted(ctx, error.code if isinstance(error, Interrupted) else 130)
        except BrokenPipeError:
            # Whoever reads has seen enough, as in `cvinfer list tests | head`.
            _drop_output()
            ctx.exit(128 + 13)
        except Exception as error:
            if _requested:  # compiled code may turn what interrupts it into an error of its own
                _end_interrupted(ctx, 128 + _requested[0])
            if isinstance(error, CvinferError):
                tell(_message(error))
                if isinstance(error, Interruption):
                    _end_interrupted(ctx, error.exit_code)
                ctx.exit(error.exit_code)
            if os.environ.get("CVINFER_DEBUG"):
                raise
            text, code = _unforeseen(error)
            tell(text)
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
    atexit.register(_leave)  # what is registered first is done last
    try:
        cli.main(args=None if args is None else list(args), prog_name=program)
    except SystemExit:
        _leaving.extend(_requested)
        raise
    except OSError as error:  # the help has no place to go
        tell(_unforeseen(error)[0])
        _drop_output()
        sys.exit(1)


def _message(error: CvinferError) -> str:
    from cvinfer.spec.faults import SpecError, path_text

    if isinstance(error, SpecError):
        return str(error)
    path = error.path if isinstance(error, Refusal) else None
    return f"error: {path_text(path)}: {error}" if path else f"error: {error}"


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
    from cvinfer.names import close_match

    near = close_match(wrong, known)
    if near is None:
        return error
    return click.UsageError(f"{error.message} Did you mean {near!r}?", error.ctx)


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


def _leave() -> None:
    """Where the end was asked for, this is it: to give back what many packages hold takes long."""
    if _leaving:
        _drop_output()
        os._exit(128 + _leaving[0])


_said_interrupted = threading.Event()
#: The signal that asked for the end, if one did.
_requested: list[int] = []
#: The same, when the command has ended and nothing but the process is left.
_leaving: list[int] = []


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
        tell("\ninterrupted")
    else:
        tell(f"\ninterrupted; finished fits are kept. To go on from there:\n  {resume}")


def _drop_output() -> None:
    """What cannot be written must not be tried again at the end: Python would complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())


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


if __name__ == "__main__":
    main()
