"""The workers of a cluster: where they are, what they can run, and what is other than here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator

from cvinfer.commands.doctor.lines import Line, row

if TYPE_CHECKING:
    from cvinfer.execute.backends.dask import Cluster


def examine_cluster(cluster: "Cluster") -> Iterator[Line]:
    """One row for each worker, and one for each version that is another one there."""
    from cvinfer.execute.backends._dask import versions

    line = cluster.connected()
    yield row("Scheduler", "ok", line.address)
    if line.dashboard:
        yield row("Dashboard", "ok", line.dashboard)
    found = line.examine()
    if not found:
        text = f"there are none; to start some: cvinfer workers {line.address}"
        yield row("Workers", "FAULT", text, False)
        return
    ours, same = versions.everything(), True
    for address, (report, seconds) in found.items():
        usable = [name for name, reason in report.engines.items() if reason is None]
        code = ", code of specs" if report.code else ""
        text = f"{address} on {report.host}, {1000 * seconds:.1f} ms there and back"
        yield row("Worker", "ok", f"{text}; engines {', '.join(usable)}{code}")
        yield row("", "", ", ".join(f"{name} {each}" for name, each in report.versions.items()))
        for name, reason in report.engines.items():
            if reason is not None:
                yield row("", "absent", f"{name}: {reason}")
        for each in versions.differences(ours.versions, report.versions):
            same = False
            yield row("", "OTHER", str(each), False)
    count = "1 worker" if len(found) == 1 else f"{len(found)} workers"
    if same:
        yield row("Verdict", "", f"{count} with the versions that are here.")
    else:
        text = "specs whose learners need what differs are refused, but for --allow-versions."
        yield row("Verdict", "", f"{count}; {text}", False)
