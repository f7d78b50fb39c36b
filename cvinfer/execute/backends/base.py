"""What a back end is: two verbs. It knows processes, machines and their limits, and no store."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, ContextManager, Iterator, Mapping, Optional, Protocol, Sequence, Union

from cvinfer.execute.work import Batch, Job, Limits, Lost, Made, Printed


class Orders(Protocol):
    """The stream of orders, from which a back end takes when it has a worker free."""

    def has(self, kept_for: Optional[int] = None) -> bool:
        """Whether there is something for a worker that is kept for this learner, or for none."""

    def take(self, kept_for: Optional[int] = None) -> Batch:
        """What such a worker is to do next."""

    def back(self, batch: Batch) -> None:
        """Nobody began with it."""

    def answered(self, made: Made) -> None:
        """What came, said before more is taken, so that the pace of the work is known."""

    def at_work(self, batches: Sequence[Batch]) -> None:
        """What workers are at now."""


class Log(Protocol):
    """What work printed, wherever that was."""

    def printed(self, pid: int, start: int, end: Optional[int], heading: str) -> None:
        """A fit printed something; the numbers are those of a `Printed`."""

    def lost(self, pid: int, start: int, heading: str) -> None:
        """A fit ended with its worker."""

    def failed(self, text: str) -> None:
        """A fit failed."""

    def write(self, path: Path) -> None:
        """Everything at its place; nothing there if there is nothing to tell."""


class Backend(Protocol):
    """A place where work is done; `jobs` is how many batches it has at once, at most."""

    @property
    def jobs(self) -> int:
        """It may come to be fewer, where the machine has no more to give."""

    @property
    def log(self) -> Log:
        """What is told of the work."""

    @property
    def facts(self) -> Mapping[str, object]:
        """What run.json tells of the place; nothing where it is this machine."""

    def results(self, orders: Orders) -> Iterator[Union[Made, Lost]]:
        """Start, and give what comes until nothing is left to take and nothing is at work.

        What is lost goes back into the orders, or not, before the next result is asked for.
        """

    def cancel(self) -> Sequence[tuple[Batch, int, Printed]]:
        """End whatever is at work: the batches, with the task that each was at."""


#: Opens a back end for a job with its materials, limits on each order, and so many at once.
Opener = Callable[[Job, Sequence[object], Limits, int], ContextManager[Backend]]
