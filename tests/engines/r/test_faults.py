"""Faults of R, Java and Weka: each costs its own fit, tells its cause and leaves nothing."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Optional

import pytest
from tests.engines.r.r_proof import HERE, ROOT, install
from tests.execute.run_examples import BAYES, MAJORITY, NEAREST_MEAN, spec_of

from cvinfer.engines._r import client
from cvinfer.engines._r.installation import NoR
from cvinfer.execute.store import Store

psutil = pytest.importorskip("psutil")
pytestmark = [
    pytest.mark.usefixtures("bad"),
    pytest.mark.skipif(sys.platform != "linux", reason="processes and signals as Linux has them"),
]

FOLDS = 3
#: Every record is tested once, the marked one among those of this fold (from 0).
GUILTY = 1


def r(name: str, **params: Any) -> dict[str, Any]:
    return {"engine": "r", "learner": name, "params": params}


def weka(name: str, **params: Any) -> dict[str, Any]:
    return {"engine": "rweka", "learner": name, "params": params}


#: Learners that have nothing to do with any fault; they come first, last, and in between.
HEALTHY: Mapping[str, Any] = {
    "majority": MAJORITY,
    "mean": NEAREST_MEAN,
    "rpart": r("rpart"),
    "J48": weka("J48"),
    "lda": r("lda"),
    "SMO": weka("SMO"),
}


# --- commands in a world of their own -------------------------------------------------------------


class World(NamedTuple):
    """A command's home, temporary files and working directory, and where its fits speak to us."""

    root: Path
    variables: Mapping[str, str]

    def start(self, *words: object, **more: str) -> "subprocess.Popen[str]":
        for each in ("home", "tmp", "here"):
            (self.root / each).mkdir(exist_ok=True)
        own = {"HOME": str(self.root / "home"), "TMPDIR": str(self.root / "tmp")}
        return subprocess.Popen(
            [sys.executable, "-m", "cvinfer", *map(str, words)],
            cwd=self.root / "here",
            env={**os.environ, **self.variables, **own, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_cores,
        )

    def run(
        self, learners: Mapping[str, Any], jobs: int = 2, **more: Any
    ) -> "subprocess.Popen[str]":
        """Start `cvinfer run`; the first learner is compared with each of the others.

        Code of others has workers of its own: a second job is a second start of R for each learner.
        """
        first, *others = learners
        path = spec_of(
            self.root / "spec",
            learners,
            compare={"each": [first], "against": others},
            partition={"scheme": "kfold", "k": FOLDS},
            **more,
        )
        options = ("--allow-code", "--quiet", "--jobs", jobs, "--output", self.result)
        return self.start("run", path, *options)

    @property
    def result(self) -> Path:
        return self.root / "results" / "made"

    @property
    def store(self) -> Path:
        return self.root / "results" / "store.sqlite"

    def talk(self, name: str) -> Path:
        """A directory through which a learner speaks to the test."""
        place = self.root / "talk" / name
        place.mkdir(parents=True, exist_ok=True)
        return place

    def processes(self) -> list[Any]:
        """All that belong to commands of this world, wherever they went."""
        return [each for each in psutil.process_iter() if self._is_ours(each)]

    def _is_ours(self, process: Any) -> bool:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return False
            return bool(process.environ().get("HOME") == str(self.root / "home"))
        except psutil.Error:
            return False

    def helper(self) -> Any:
        """The process that answers questions about R."""
        return wait_for(lambda: next(filter(_is_helper, self.processes()), None))

    def check_tidy(self) -> None:
        assert wait_for(lambda: not self.processes()), self.processes()
        for each in ("home", "tmp", "here"):
            assert list((self.root / each).rglob("*")) == []


def _cores() -> None:
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def _is_helper(process: Any) -> bool:
    return any("cvinfer.engines._r.server" in each for each in process.cmdline())


def wait_for(found: Callable[[], Any], seconds: float = 120.0) -> Any:
    """What `found` gives as soon as that is something; or the last nothing."""
    give_up = time.monotonic() + seconds
    while True:
        answer = found()
        if answer or time.monotonic() > give_up:
            return answer
        time.sleep(0.02)


class Ran(NamedTuple):
    code: int
    out: str
    err: str
    log: str
    document: Any
    fits: Mapping[str, int]

    @property
    def failures(self) -> dict[tuple[str, int], str]:
        return {(row["learner"], row["split"]): row["message"] for row in self.document["failures"]}

    @property
    def losses(self) -> dict[str, list[Optional[float]]]:
        return {row["learner"]: row["per_split"] for row in self.document["losses"]}

    def printed(self, learner: str) -> str:
        """What the log has under the headings of a learner's guilty fit."""
        split = rf"{re.escape(learner)} on split {GUILTY + 1} of 3-fold of data, seed \d+"
        return "".join(re.findall(rf"^--- {split}[^\n]*\n(.*?)(?=^---|\Z)", self.log, re.M | re.S))

    def deaths(self, learner: str) -> int:
        return len(
            re.findall(rf"^--- {re.escape(learner)} on .*: its worker ended, ", self.log, re.M)
        )


def finished(world: World, process: "subprocess.Popen[str]", seconds: float = 900.0) -> Ran:
    out, err = process.communicate(timeout=seconds)
    assert (world.result / "result.json").exists(), err
    document = json.loads((world.result / "result.json").read_text())
    facts = json.loads((world.result / "run.json").read_text())
    log = world.result / "run.log"
    said = log.read_text() if log.exists() else ""
    return Ran(process.returncode, out, err, said, document, facts["fits"])


@pytest.fixture(scope="module")
def bad(weka: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables with which R and Java find learners that go wrong."""
    place = tmp_path_factory.mktemp("faults")
    compiler = subprocess.run(["R", "CMD", "config", "CC"], capture_output=True, text=True)
    for needed in ("javac", "make", *compiler.stdout.split()[:1]):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    # What is compiled must not lie among the sources.
    shutil.copytree(HERE / "faults_package", place / "cvfaults")
    install(place / "cvfaults", place / "library")
    libraries = map(Path, client.known("inventory")["libraries"])
    jars = (each / "RWekajars" / "java" / "weka.jar" for each in libraries)
    jar = next(each for each in jars if each.exists())
    source = HERE / "faults_java" / "cvfaults" / "Marked.java"
    javac = ["javac", "-cp", str(jar), "-d", str(place / "classes"), str(source)]
    done = subprocess.run(javac, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "R_LIBS": os.pathsep.join([str(place / "library"), os.environ["R_LIBS"]]),
        # rJava adds these places to its own.
        "CLASSPATH": str(place / "classes"),
    }


@contextlib.contextmanager
def made(place: Path, variables: Mapping[str, str]) -> Iterator[World]:
    """A world; what a test that failed left running in it goes with it."""
    world = World(place, variables)
    try:
        yield world
    finally:
        for each in world.processes():
            each.kill()


@pytest.fixture
def world(bad: Mapping[str, str], tmp_path: Path) -> Iterator[World]:
    with made(tmp_path, bad) as world:
        yield world


def in_r(mode: str, place: object = "") -> dict[str, Any]:
    return r("cvfaults::marked", mode=mode, place=str(place))


def in_java(mode: str, place: object = "-") -> dict[str, Any]:
    return weka("cvfaults.Marked", mode=mode, place=str(place))


def with_healthy(learners: Mapping[str, Any]) -> dict[str, Any]:
    """The healthy ones around the others."""
    names = list(HEALTHY)
    middle = len(learners) // 2
    bad = list(learners.items())
    return {
        **{name: HEALTHY[name] for name in names[:2]},
        **dict(bad[:middle]),
        **{name: HEALTHY[name] for name in names[2:4]},
        **dict(bad[middle:]),
        **{name: HEALTHY[name] for name in names[4:]},
    }


def check_others(ran: Ran, failing: Mapping[tuple[str, int], str], learners: int) -> None:
    """Exactly these fits failed, and every other is there."""
    assert ran.code == 3
    assert ran.failures.keys() == failing.keys()
    assert ran.fits == {
        "reused": 0,
        "fitted": FOLDS * learners - len(failing),
        "failed": len(failing),
    }
    for name, losses in ran.losses.items():
        lost = [(name, at) for at, loss in enumerate(losses) if loss is None]
        assert lost == sorted(each for each in failing if each[0] == name)


def check_silent(ran: Ran) -> None:
    """Nothing that a learner, R or Java printed is on the terminal."""
    for text in (ran.out, ran.err):
        assert not re.search(r"LOUD|fatal error|Exception in thread|Traceback|SIG\w+ \(", text)
    # What is there are the failures, as the command tells them.
    told, *lines = ran.err.splitlines()[1:]
    assert re.fullmatch(r"\d+ fits failed or were not made:", told)
    where = r"[\w ]+ on data, (\d+ times, first on )?split \d of 3-fold: "
    assert all(re.match(rf"  ({where}|and \d+ more reasons;)", line) for line in lines)


# --- faults that R and Java survive ---------------------------------------------------------------

ODD = "a \u00e4\u20ac\U0001f600 b 'c' \"d\" \\e %s {f} g"
R_ERRORS = {
    "stop": "cvfaults::marked: no luck at all",
    "odd": re.escape("cvfaults::marked: " + ODD),
    "bytes": "cvfaults::marked: bytes <ff><fe> here",
    "wordless": "cvfaults::marked: no message",
    "few": r"cvfaults::marked gave 19 predictions for 20 test records.*",
    "unknown": 'cvfaults::marked predicts "no such class ä", which is no class',
    "missing": "cvfaults::marked gave no class for 2 of 20 test records",
    "recurse": r"cvfaults::marked: evaluation nested too deeply: infinite recursion.*",
    "recurse_in_c": r"cvfaults::marked: C stack usage +\d+ is too close to the limit",
    "vector": "cvfaults::marked: cannot allocate vector of size 524288.0 Gb",
}
JAVA_ERRORS = {
    "runtime": "Marked: java.lang.RuntimeException: no luck at all",
    "odd": re.escape("Marked: java.lang.Exception: " + ODD),
    "wordless": r"Marked: java.lang.ArrayIndexOutOfBoundsException at cvfaults.Marked.act\(.*\)",
    "error": "Marked: java.lang.AssertionError: not to be",
    "overflow": r"Marked: java.lang.StackOverflowError at cvfaults.Marked.deeper\(.*\)",
    "classify": "Marked: java.lang.IllegalStateException: not this record",
    "missing": "cvfaults.Marked gave no class for 1 of 20 test records",
    "unknown": "cvfaults.Marked gave no class for 1 of 20 test records",
}
#: Ready-made learners that cannot do what they are asked for, on any split.
UNABLE = {
    "nnet": (r("nnet", size=1000), "nnet: too many (5001) weights"),
    "counts": (
        weka("weka.classifiers.bayes.NaiveBayesMultinomial"),
        "NaiveBayesMultinomial: java.lang.Exception: Numeric attribute values must all be greater"
        " or equal to zero.",
    ),
}
ERRORS = {
    **{f"R {mode}": message for mode, message in R_ERRORS.items()},
    **{f"Java {mode}": message for mode, message in JAVA_ERRORS.items()},
}


def survivable() -> dict[str, Any]:
    return with_healthy(
        {
            **{f"R {mode}": in_r(mode) for mode in (*R_ERRORS, "loud")},
            **{name: learner for name, (learner, _) in UNABLE.items()},
            **{f"Java {mode}": in_java(mode) for mode in (*JAVA_ERRORS, "loud")},
            "Bayes": BAYES,
        }
    )


@pytest.fixture(scope="module")
def errors(bad: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Ran:
    with made(tmp_path_factory.mktemp("errors"), bad) as world:
        # They end no worker, so that a second one would have nothing to tell.
        ran = finished(world, world.run(survivable(), jobs=1))
        world.check_tidy()
    return ran


@pytest.mark.parametrize("learner", ERRORS)
def test_an_error_is_told(errors: Ran, learner: str) -> None:
    message = errors.failures[learner, GUILTY]
    assert re.fullmatch(ERRORS[learner], message), message


@pytest.mark.parametrize("learner", UNABLE)
def test_what_a_learner_cannot_do_is_told(errors: Ran, learner: str) -> None:
    told = {errors.failures[learner, split] for split in range(FOLDS)}
    assert told == {UNABLE[learner][1]}


def test_errors_cost_their_fit_only(errors: Ran) -> None:
    failing = {(learner, GUILTY): message for learner, message in ERRORS.items()}
    for learner, (_, message) in UNABLE.items():
        failing.update({(learner, split): message for split in range(FOLDS)})
    check_others(errors, failing, len(survivable()))
    # None of these needs another worker.
    assert "its worker ended" not in errors.log


def test_output_is_in_the_log_and_not_on_the_terminal(errors: Ran) -> None:
    check_silent(errors)
    assert sorted(errors.printed("R loud").splitlines()) == sorted(
        [
            '[1] "LOUD print"',
            "LOUD cat ä",
            "LOUD stderr",
            "LOUD message",
            "LOUD C",
            "LOUD C stderr",
            "LOUD system",
            "LOUD system error",
            "LOUD connection",
            "LOUD question? ",
            "LOUD answer:  ",
        ]
    )
    assert errors.printed("Java loud").splitlines() == [
        "LOUD out ä",
        "LOUD err",
        "LOUD unended",
        "LOUD process",
    ]
    assert errors.log.count("LOUD") == 15
    (told,) = [text for text in errors.document["warnings"] if text.startswith("R loud: ")]
    assert told == "R loud: heard and told (in 1 of 3 fits)"


# --- faults that end the worker -------------------------------------------------------------------

SECONDS = 3
DIED = r"its worker process died 2 times \({}\)"
DEADLY = {
    "R quit": DIED.format(r"R ended: quit\(\) with status 3"),
    "R q": DIED.format(r"R ended: quit\(\) with status 0"),
    "R hidden_quit": DIED.format(r"R ended: quit\(\) with status 0"),
    "R null": DIED.format(r"signal SIGSEGV in cvfaults\.so"),
    "R signal": DIED.format(r"signal SIGSEGV in libc\.so\.6"),
    "R abort": DIED.format("signal SIGABRT"),
    "R endless": f"took longer than {SECONDS} s",
    "Java exit": DIED.format(
        r"cvfaults\.Marked called Java's System\.exit \(in cvfaults\.Marked\.act\(.*\)\)"
    ),
    "Java halt": DIED.format(r"the learner called Java's Runtime\.halt"),
    "Java endless": f"took longer than {SECONDS} s",
}


class Deadly(NamedTuple):
    ran: Ran
    world: World
    learners: Mapping[str, Any]


@pytest.fixture(scope="module")
def deadly(bad: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Deadly:
    makers = {"R": in_r, "Java": in_java}
    words = [name.split() for name in (*DEADLY, "R once", "Java once")]
    with made(tmp_path_factory.mktemp("deadly"), bad) as world:
        learners = with_healthy(
            {
                f"{language} {mode}": makers[language](mode, world.talk(f"{language}-{mode}"))
                for language, mode in words
            }
        )
        ran = finished(world, world.run(learners, limits={"seconds": SECONDS}))
        world.check_tidy()
    return Deadly(ran, world, learners)


@pytest.mark.parametrize("learner", DEADLY)
def test_an_end_is_told_with_its_cause(deadly: Deadly, learner: str) -> None:
    message = deadly.ran.failures[learner, GUILTY]
    assert re.fullmatch(DEADLY[learner], message), message
    # A fit that ends its worker has a second try, one that takes too long has not.
    assert deadly.ran.deaths(learner) == (1 if "endless" in learner else 2)


@pytest.mark.parametrize("language", ["R", "Java"])
def test_a_fit_that_ends_its_worker_once_is_made(deadly: Deadly, language: str) -> None:
    name = f"{language} once"
    assert len(list(deadly.world.talk(f"{language}-once").iterdir())) == 2
    assert None not in deadly.ran.losses[name]
    assert deadly.ran.deaths(name) == 1


def test_ends_cost_their_fit_only(deadly: Deadly) -> None:
    failing = {(learner, GUILTY): message for learner, message in DEADLY.items()}
    check_others(deadly.ran, failing, len(deadly.learners))
    check_silent(deadly.ran)
    # What was printed before the end is there, and what Java writes when it crashes.
    assert deadly.ran.printed("R null").startswith("LOUD before the end\n#\n# A fatal error")


# --- memory ---------------------------------------------------------------------------------------

MEMORY_MB = 200
HEAP = (
    "cvfaults.Marked: java.lang.OutOfMemoryError: Java heap space "
    f"(Java's heap of {MEMORY_MB} MB is too small; limits: memory_mb sets it)"
)
TOO_BIG = {
    "R hoard": f"used more than {MEMORY_MB} MB (limits.memory_mb)",
    "Java heap": HEAP,
    # In a thread whose end the learner does not look into.
    "Java swallow": HEAP,
}


@pytest.fixture(scope="module")
def memory(bad: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Ran:
    learners = with_healthy(
        {"R hoard": in_r("hoard"), "Java heap": in_java("heap"), "Java swallow": in_java("swallow")}
    )
    with made(tmp_path_factory.mktemp("memory"), bad) as world:
        ran = finished(world, world.run(learners, limits={"memory_mb": MEMORY_MB}))
        world.check_tidy()
    return ran


def test_memory_is_limited_in_r_and_java(memory: Ran) -> None:
    failing = {(learner, GUILTY): message for learner, message in TOO_BIG.items()}
    assert memory.failures == failing
    check_others(memory, failing, len(HEALTHY) + len(TOO_BIG))
    check_silent(memory)
    # Once is enough to know, and the worker is of no more use.
    assert [memory.deaths(learner) for learner in TOO_BIG] == [1, 1, 1]
    assert memory.log.count("its worker ended") == 3


def test_faults_of_others_move_no_prediction(errors: Ran, deadly: Deadly, memory: Ran) -> None:
    first, *others = (
        {name: ran.losses[name] for name in HEALTHY} for ran in (errors, deadly.ran, memory)
    )
    assert all(other == first for other in others)
    assert len({tuple(losses) for losses in first.values()}) > 2


# --- from outside ---------------------------------------------------------------------------------


def told_pid(place: Path, known: "tuple[int, ...]" = ()) -> int:
    """The process of a fit that told of itself, other than those that are known."""

    def found() -> Optional[int]:
        pids = (int(each.name.partition("-")[2]) for each in place.glob("*-*"))
        return next((pid for pid in pids if pid not in known), None)

    pid = wait_for(found)
    assert pid, "no fit told of itself"
    return int(pid)


def test_a_worker_that_is_killed_from_outside(world: World) -> None:
    once, twice = world.talk("once"), world.talk("twice")
    learners = {
        "majority": MAJORITY,
        "R": in_r("wait", once),
        "Java": in_java("wait", twice),
        "J48": weka("J48"),
        "rpart": r("rpart"),
    }
    process = world.run(learners)
    first = told_pid(once)
    os.kill(first, signal.SIGKILL)
    killed = told_pid(twice)
    os.kill(killed, signal.SIGKILL)
    assert told_pid(once, (first,))
    (once / "go").touch()
    os.kill(told_pid(twice, (killed,)), signal.SIGKILL)
    ran = finished(world, process)
    failing = {("Java", GUILTY): "its worker process died 2 times (signal SIGKILL)"}
    assert ran.failures == failing
    check_others(ran, failing, len(learners))
    assert (ran.deaths("R"), ran.deaths("Java")) == (1, 2)
    world.check_tidy()


def test_ctrl_c_and_kill_inside_of_java_and_r(world: World) -> None:
    learners = {
        "majority": MAJORITY,
        "J48": weka("J48"),
        "rpart": r("rpart"),
        "R": in_r("endless", world.talk("R")),
        "Java": in_java("smo", world.talk("Java")),
    }

    def busy(known: "tuple[int, ...]") -> "tuple[subprocess.Popen[str], tuple[int, int]]":
        """A command with one worker in an endless loop of R and one in Weka's SMO."""
        process = world.run(learners)
        pids = told_pid(world.talk("R"), known), told_pid(world.talk("Java"), known)
        time.sleep(0.3)
        names = [each.read_text() for each in Path(f"/proc/{pids[1]}/task").glob("*/comm")]
        assert [name for name in names if name.startswith("fit cvfaults")]
        return process, pids

    process, pids = busy(())
    pressed = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - pressed < 2.0
    assert process.returncode == 130
    assert "LOUD" not in out + err and "Traceback" not in err
    world.check_tidy()
    stored = check_store(world.store)

    process, _ = busy(pids)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert wait_for(lambda: not world.processes(), 2.0), world.processes()
    assert check_store(world.store) >= stored

    for name in ("R", "Java"):
        (world.talk(name) / "go").touch()
    stored = check_store(world.store)
    ran = finished(world, world.run(learners))
    assert ran.code == 0 and ran.failures == {}
    assert ran.fits == {"reused": stored, "fitted": FOLDS * 5 - stored, "failed": 0}
    # What the killed one left is removed too.
    world.check_tidy()


def check_store(path: Path) -> int:
    with Store(path) as store:
        assert store._db.execute("pragma integrity_check").fetchone() == ("ok",)
        return int(str(store.info()["fits"]))


# --- the process that answers questions -----------------------------------------------------------


def asking(world: World, dataset: str, command: str = "run") -> "subprocess.Popen[str]":
    """A command on data of R, which come from a script that does what its name says."""
    data = {"source": "r", "package": "cvfaults", "dataset": dataset, "target": "class"}
    path = spec_of(world.root / "spec", data=data)
    return world.start(command, path, CVFAULTS=str(world.talk("data")))


def loops(world: World) -> bool:
    """Whether R got to the endless loop of the data."""
    return bool(wait_for((world.talk("data") / "looping").exists))


@pytest.mark.parametrize("soon", [True, False])
def test_ctrl_c_while_r_is_asked(world: World, soon: bool) -> None:
    process = asking(world, "endless")
    assert world.helper() and (soon or loops(world))
    pressed = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - pressed < 2.0
    assert process.returncode == 130 and "Traceback" not in err
    world.check_tidy()


def test_whoever_answers_ends_with_who_asks(world: World) -> None:
    process = asking(world, "endless")
    assert loops(world)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    assert wait_for(lambda: not world.processes(), 2.0), world.processes()
    world.check_tidy()


@pytest.mark.parametrize(
    "dataset, why",
    [("quits", "R ended: quit() with status 5"), ("crashes", "signal SIGSEGV")],
)
def test_a_question_that_ends_r_is_a_clear_error(world: World, dataset: str, why: str) -> None:
    process = asking(world, dataset, "validate")
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert f"R's process ended while it was asked (question: data): {why}" in out + err
    assert "Traceback" not in err
    world.check_tidy()
    # R reads data in the directory where they are.
    library = Path(world.variables["R_LIBS"].split(os.pathsep)[0])
    assert not list(library.rglob("core*"))


def test_an_answerer_that_was_killed_is_replaced() -> None:
    versions = client.ask("versions", ["rpart"])
    assert client._current is not None
    process, scratch = client._current.process, client._current.scratch.path
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert client.ask("versions", ["rpart"]) == versions
    assert client._current.process.pid != process.pid
    assert not scratch.exists()


def test_an_answerer_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = client.ask("versions", ["rpart"])
    assert client._current is not None
    process, scratch = client._current.process, client._current.scratch.path
    os.kill(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(client, "PATIENCE", 0.3)
    with pytest.raises(NoR, match=r"R did not answer within 0.3 s \(question: versions\)"):
        client.ask("versions", ["rpart"])
    assert process.poll() is not None and not scratch.exists()
    monkeypatch.undo()
    assert client.ask("versions", ["rpart"]) == versions
