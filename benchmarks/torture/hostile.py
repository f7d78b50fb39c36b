"""Specs and files of a stranger: a result or a located fault, and nothing else."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Callable, Mapping

from torture import strange
from torture.cases import Case, Fault, Part, Tally
from torture.commands import clear, harmless, no_complaint
from torture.comparisons import BAYES, TREE, undisturbed
from torture.inside import Several

#: What one of these commands may take: seconds of the processor, MB of memory.
SECONDS = 20.0
MEMORY = 1500.0
#: Seconds after which a command that gives no answer is said to hang.
HANGS = 120.0
#: Fits that a hostile spec may ask for; a learner may take the seconds that it is given.
RUN = ("--jobs", "1", "--max-fits", "200", "--set", "limits.seconds=5", "--quiet")

MEAN = {"engine": "builtin", "learner": "mean"}
MAJORITY = {"engine": "builtin", "learner": "majority"}
CSV = {"source": "csv", "path": "data.csv", "target": "class"}
SPECS: tuple[dict[str, Any], ...] = (
    {"data": CSV, "learners": {"a": MEAN, "b": MAJORITY}, "tests": ["kfold_t"]},
    {"data": CSV, "learners": {"a": TREE, "b": BAYES}, "tests": "recommended", "alpha": 0.1},
    {
        "data": [{**CSV, "name": "one"}, {"name": "two", "source": "sklearn", "dataset": "iris"}],
        "learners": {
            "a": {"engine": "sklearn", "steps": ["StandardScaler", {"SVC": {"C": 1.0}}]},
            "b": {"engine": "sklearn", "learner": "KNeighborsClassifier"},
        },
        "compare": [["a", "b"]],
        "partition": [{"scheme": "kfold", "k": 3}, {"scheme": "repeated_holdout", "j": 3}],
        "tests": [{"corrected_kfold_t": {"rho": 0.5}}, "repeated_holdout_t"],
        "intervals": ["f1_beta_prime"],
        "correction": "holm",
        "margin": 0.01,
        "output": {"directory": "out"},
    },
    {
        "data": {"source": "synthetic", "population": "two_gaussians", "n": 60, "dim": 2},
        "learners": {
            "a": {
                "engine": "sklearn",
                "learner": "GridSearchCV",
                "params": {"estimator": "SVC", "param_grid": {"C": [1.0, 10.0]}},
            },
            "b": {
                "engine": "sklearn",
                "learner": "BaggingClassifier",
                "params": {"estimator": "GaussianNB", "n_estimators": 3},
            },
        },
        "tests": ["blocked_3x2_t"],
        "limits": {"seconds": 10, "memory_mb": 500},
    },
    {
        "data": {"source": "arff", "path": "data.arff"},
        "learners": {
            "a": {"engine": "r", "learner": "rpart", "params": {"cp": 0.1}},
            "b": {"engine": "rweka", "learner": "J48", "options": {"C": 0.1}},
        },
        "tests": ["kfold_t"],
    },
    {
        "data": {"source": "openml", "id": 61, "server": "http://127.0.0.1:9/", "cache": "cache"},
        "learners": {"a": MEAN, "b": MAJORITY},
        "tests": ["kfold_t"],
    },
    {
        "data": {"source": "predictions", "path": "predictions.csv"},
        "tests": ["kfold_t"],
    },
    {
        "data": CSV,
        "learners": {"a": MEAN, "b": MAJORITY},
        "partition": {"scheme": "file", "path": "splits.csv"},
        "tests": ["kfold_t"],
    },
    {
        "data": {"source": "csv", "path": "kinds.csv", "target": "class", "positive": "c1"},
        "learners": {
            "a": {"engine": "sklearn", "learner": "DecisionTreeClassifier", "encode": "ordinal"},
            "b": {
                "engine": "sklearn",
                "encode": "none",
                "steps": [{"OneHotEncoder": {"handle_unknown": "ignore"}}, "LogisticRegression"],
            },
        },
        "tests": ["kfold_t"],
        "intervals": ["f1_beta_prime"],
        "partition": {"scheme": "kfold", "k": 10, "groups": "owner"},
    },
    {
        "data": {
            "source": "predictions",
            "path": "test-set.csv",
            "record": "id",
            "truth": "label",
            "learners": {"resnet": "net", "vit": "vit"},
        },
        "tests": "recommended",
    },
)
#: Ways to code, files and the network that docs/security.md names, as learners.
WAYS: tuple[dict[str, Any], ...] = (
    {"engine": "sklearn", "learner": "theirs:Learner"},
    {"engine": "sklearn", "learner": "subprocess:Popen", "params": {"args": "touch canary"}},
    {
        "engine": "sklearn",
        "learner": "VotingClassifier",
        "params": {"estimators": [["x", "theirs:Learner"]]},
    },
    {"engine": "sklearn", "steps": ["StandardScaler", "SVC"], "params": {"memory": "cache"}},
    {
        "engine": "sklearn",
        "learner": "GridSearchCV",
        "params": {
            "estimator": "SVC",
            "param_grid": {"C": [1]},
            "pre_dispatch": "__import__('os')",
        },
    },
    {"engine": "r", "learner": "base::system", "params": {"command": "touch canary"}},
    {"engine": "r", "learner": "glm", "params": {"family": "system('touch canary')"}},
    {"engine": "r", "package": "base", "function": "source", "params": {"file": ".Rprofile"}},
    {"engine": "rweka", "learner": "weka.classifiers.misc.SerializedClassifier -model model.ser"},
    {
        "engine": "rweka",
        "learner": "weka.classifiers.misc.SerializedClassifier",
        "options": {"model": "model.ser"},
    },
    {"engine": "rweka", "learner": "weka.classifiers.bayes.BayesNet", "options": "-B net.xml"},
    {
        "engine": "rweka",
        "learner": "weka.classifiers.meta.FilteredClassifier",
        "options": {
            "F": "weka.filters.unsupervised.attribute.StringToWordVector -dictionary precious"
        },
    },
    {"engine": "rweka", "learner": "J48", "options": {"output-debug-info": "precious"}},
)


@dataclass
class Ground:
    result: Path
    files: Mapping[str, bytes]
    inside: Several

    def close(self) -> list[str]:
        return self.inside.close()


def prepared(place: Path, tally: Tally) -> Ground:
    undisturbed(place / "Python", {"tree": TREE, "Bayes": BAYES})
    result = place / "Python" / "r" / "made"
    rows = (place / "Python" / "data.csv").read_text().splitlines()[1:]
    arff = (
        "@relation r\n@attribute u numeric\n@attribute 'v w' numeric\n@attribute class {c0,c1,c2}\n"
    )
    records = range(60)
    predictions = [f"{i % 10},{i},{'pq'[i % 2]},p,{'qp'[i % 3 == 0]}" for i in records]
    splits = [
        f"kfold,1,{fold + 1},{'test' if record % 10 == fold else 'train'},{record}"
        for fold in range(10)
        for record in range(120)
    ]
    files = {
        "data.csv": "\n".join(["u,v,class", *rows]) + "\n",
        "data.arff": arff + "@data\n" + "\n".join(rows) + "\n",
        "predictions.csv": "\n".join(["split,record,truth,a,b", *predictions]) + "\n",
        "splits.csv": "\n".join(["scheme,replication,fold,role,record", *splits]) + "\n",
    }
    kinds = [f"{'rgb'[i % 3]},{i % 5},o{i % 12},c{i % 7 % 2}" for i in range(120)]
    files["kinds.csv"] = "\n".join(["colour,size,owner,class", *kinds]) + "\n"
    tested = [f"{i},{'pq'[i % 2]},p,{'pq'[i % 3 == 0]}" for i in range(100)]
    files["test-set.csv"] = "\n".join(["id,label,net,vit", *tested]) + "\n"
    packed = {name: text.encode() for name, text in files.items()}
    return Ground(result, packed, Several(place / "inside", 2))


# --- the kinds of cases: each writes files into its place and returns the words of a command ------


def _yaml(spec: Any) -> bytes:
    import yaml

    try:
        text = yaml.safe_dump(spec, sort_keys=False, allow_unicode=True)
        return str(text).encode("utf-8", "surrogatepass")
    except yaml.YAMLError:
        return json.dumps(spec).encode()


def _of_spec(draw: Random) -> tuple[object, ...]:
    kind = draw.choice(("validate",) * 5 + ("run", "run", "show", "plan", "splits", "doctor"))
    if kind == "run":
        return "run", "spec.yaml", *RUN
    if kind == "splits":
        return "splits", "spec.yaml", "-o", "written.csv", "--max-fits", "1000"
    if kind == "validate":
        return ("validate", "spec.yaml", *draw.choice(((), ("--json",))))
    return kind, "spec.yaml"


def _whole(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"cvinfer": 1, "name": "x", "seed": 1, **spec}


def changed_spec(this: Case) -> tuple[object, ...]:
    spec = strange.changed(_whole(this.draw.choice(SPECS)), this.draw, this.place)
    text = json.dumps(spec).encode() if this.draw.random() < 0.3 else _yaml(spec)
    (this.place / "spec.yaml").write_bytes(text)
    return _without_network(_of_spec(this.draw), text)


def garbled_spec(this: Case) -> tuple[object, ...]:
    text = strange.garbled(_yaml(_whole(this.draw.choice(SPECS))), this.draw, this.place)
    (this.place / "spec.yaml").write_bytes(text)
    return _without_network(_of_spec(this.draw), text)


def way_outside(this: Case) -> tuple[object, ...]:
    learner = this.draw.choice(WAYS)
    if this.draw.random() < 0.5:
        learner = strange.changed(learner, this.draw, this.place)
    spec = _whole({"data": CSV, "learners": {"a": MEAN, "b": learner}, "tests": ["kfold_t"]})
    text = _yaml(spec)
    (this.place / "spec.yaml").write_bytes(text)
    return _of_spec(this.draw)


def _without_network(words: tuple[object, ...], text: bytes) -> tuple[object, ...]:
    """A spec that asks for data of a server gets them when it is run: that is no fault."""
    if b"openml" in text and words[0] != "validate":
        return "validate", "spec.yaml"
    return words


READ_BY = {
    "data.csv": {"data": CSV, "learners": {"a": MEAN, "b": MAJORITY}, "tests": ["kfold_t"]},
    "data.arff": {
        "data": {"source": "arff", "path": "data.arff"},
        "learners": {"a": MEAN, "b": MAJORITY},
        "tests": ["kfold_t"],
    },
    "predictions.csv": SPECS[6],
    "splits.csv": SPECS[7],
    "kinds.csv": SPECS[8],
    "test-set.csv": SPECS[9],
}


def strange_file(this: Case) -> tuple[object, ...]:
    name = this.draw.choice(sorted(READ_BY))
    path, text = this.place / name, this.ground.files[name]
    path.unlink()
    if this.draw.random() < 0.25:
        strange.OTHERS[this.draw.choice(sorted(strange.OTHERS))](path, text, this.draw)
    else:
        path.write_bytes(strange.garbled(text, this.draw, this.place))
    (this.place / "spec.yaml").write_bytes(_yaml(_whole(READ_BY[name])))
    if name in ("data.csv", "data.arff") and this.draw.random() < 0.3:
        return "init", name, "--target", "class", "-o", "made.yaml"
    kind = this.draw.choice(("validate", "validate", "validate", "run", "plan", "doctor"))
    return (kind, "spec.yaml", *(RUN if kind == "run" else ()))


def strange_result(this: Case) -> tuple[object, ...]:
    for each in this.ground.result.iterdir():
        shutil.copy(each, this.place / each.name)
    path = this.place / "result.json"
    text = path.read_bytes()
    kind = this.draw.random()
    if kind < 0.7:
        document = strange.changed(json.loads(text), this.draw, this.place)
        path.write_text(json.dumps(document))
    elif kind < 0.9:
        path.write_bytes(strange.garbled(text, this.draw, this.place))
    else:
        path.unlink()
        strange.OTHERS[this.draw.choice(sorted(strange.OTHERS))](path, text, this.draw)
    if this.draw.random() < 0.15:
        other = this.place / "predictions.csv.gz"
        other.write_bytes(strange.garbled(other.read_bytes(), this.draw, this.place))
    form = this.draw.choice(("text", "markdown", "latex", "csv"))
    return this.draw.choice(
        (
            ("table", "result.json", "--format", form),
            ("table", "result.json", "--format", form),
            (
                "test",
                "result.json",
                "--tests",
                this.draw.choice(("kfold_t", "blocked_3x2_t", "cvci_z")),
            ),
            ("verify", "result.json", "--quiet"),
            ("validate", "result.json"),
            ("run", "result.json", *RUN, "--output", "again"),
        )
    )


KINDS: Mapping[str, tuple[int, Callable[[Case], tuple[object, ...]]]] = {
    "specs with other values": (7, changed_spec),
    "specs with other text": (4, garbled_spec),
    "specs that lead outside": (2, way_outside),
    "files of data, predictions and splits": (5, strange_file),
    "results": (4, strange_result),
}


def case(this: Case) -> None:
    ground: Ground = this.ground
    kind = this.draw.choice([name for name, (turns, _) in KINDS.items() for _ in range(turns)])
    for name, text in ground.files.items():
        (this.place / name).write_bytes(text)
    strange.lay_traps(this.place)
    words = KINDS[kind][1](this)
    answer = ground.inside.ask(this.place, *words, seconds=HANGS, alone=False)
    _judge(this, words, answer)
    this.tally.count(kind)
    this.tally.count(f"exit code {answer.code}")
    this.tally.measured("seconds of the processor for one", answer.seconds)
    this.tally.measured("MB of memory for one", answer.peak)
    clear(this.place)


def _judge(this: Case, words: tuple[object, ...], answer: Any) -> None:
    told = f"{' '.join(map(str, words))}"
    if (this.place / strange.CANARY).exists():
        raise Fault(f"{told}: the canary was made")
    if (this.place / "precious").read_text() != "precious":
        raise Fault(f"{told}: a file was changed")
    no_complaint(answer)
    # 3: fits failed, 4: a result does not come out again. Both are verdicts with a message.
    allowed = {"run": (0, 2, 3), "test": (0, 2, 3), "verify": (0, 2, 3, 4)}
    if answer.code not in allowed.get(str(words[0]), (0, 2)):
        raise Fault(f"{told}: {answer.short()}")
    if answer.code and not answer.text.strip():
        raise Fault(f"{told}: exit code {answer.code} without a word")
    harmless(answer.out, answer.err)
    if answer.seconds > SECONDS:
        raise Fault(f"{told}: takes {answer.seconds:.0f} s")
    if answer.peak > MEMORY:
        raise Fault(f"{told}: takes {answer.peak:.0f} MB")


PART = Part("hostile", "specs and files of strangers", 1000, case, prepared)
