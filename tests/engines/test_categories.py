"""How categories reach learners: said, chosen, and the same as plain scikit-learn gives."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import r_parts

import cvinfer
from cvinfer import runner
from cvinfer.engines import engine, engines
from cvinfer.engines.base import AUTO
from cvinfer.execute.store import Store
from cvinfer.planning import fit_seed
from cvinfer.spec import SpecError, load_spec

pandas = pytest.importorskip("pandas")

N = 120
ENCODER = {"OneHotEncoder": {"handle_unknown": "ignore"}}
COLUMNS = {"transformers": [[ENCODER, ["colour", "shape"]]], "remainder": "passthrough"}
FOREST = {"RandomForestClassifier": {"n_estimators": 5}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], N),
            "x": rng.normal(size=N).round(3),
            "shape": rng.choice(["round", "square", "1"], N),
            "z": rng.normal(size=N).round(3),
        }
    )
    frame.loc[7, "colour"] = "mauve"  # in the training half of half of the splits
    noise = rng.random(N) < 0.1
    frame["y"] = np.where((frame.colour == "red") ^ (frame.x > 0.3) ^ noise, "yes", "no")
    frame.to_csv(tmp_path / "things.csv", index=False)
    return tmp_path


def spec(*learners: dict[str, Any], **changes: Any) -> dict[str, Any]:
    named = {f"L{at}": {"engine": "sklearn", **each} for at, each in enumerate(learners)}
    data = {"source": "csv", "path": "things.csv", "target": "y"}
    made = {"cvinfer": 1, "name": "kinds", "data": data, "learners": named, "seed": 11}
    return {**made, "tests": ["kfold_t"], **changes}


def predicted(mine: dict[str, Any], folder: Path, learner: str = "L0") -> tuple[Any, Any, Any]:
    """The plan, the seeds of the fits, and the predicted labels of each split."""
    checked, sets = runner.load(mine, base=folder)
    (plan,) = runner.run_plans(checked, sets)
    assert plan is not None
    file = folder / "store.sqlite"
    result = cvinfer.run(mine, base=folder, store=file)
    assert not result.failed, result.document["failures"][0]
    with Store(file) as store:
        keys = [plan.fit_keys()[learner, split] for split in plan.split_keys[0]]
        codes = [np.array(sets[0].classes)[store.get(key).codes] for key in keys]  # type: ignore
    settings = checked.learners[learner].settings()
    seeds = [fit_seed(11, settings, split) for split in plan.split_keys[0]]
    return plan.partitions[0], seeds, codes


def test_none_with_an_encoder_of_ones_own_is_plain_scikit_learn(folder: Path) -> None:
    """Record by record, by code that knows nothing of cvinfer but the splits and the seeds."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    from cvinfer.engines._sklearn.recipes import stream

    steps = [{"ColumnTransformer": COLUMNS}, FOREST]
    mine = spec({"encode": "none", "steps": steps}, {"learner": "DummyClassifier"})
    plan, seeds, made = predicted(mine, folder)
    frame = pandas.read_csv(folder / "things.csv")
    x, y = frame.drop(columns="y"), frame["y"]
    for split, seed, found in zip(plan.splits, seeds, made):
        onehot = OneHotEncoder(handle_unknown="ignore")
        columns = make_column_transformer((onehot, ["colour", "shape"]), remainder="passthrough")
        inner = stream(seed, "randomforestclassifier__random_state")
        forest = RandomForestClassifier(n_estimators=5, random_state=inner)
        plain = make_pipeline(columns, forest).fit(x.iloc[split.train], y.iloc[split.train])
        assert (plain.predict(x.iloc[split.test]) == found).all()


def test_ordinal_is_plain_scikit_learns_ordinal_encoder(folder: Path) -> None:
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    tree = {"encode": "ordinal", "learner": "DecisionTreeClassifier"}
    plan, seeds, made = predicted(spec(tree, {"learner": "DummyClassifier"}), folder)
    frame = pandas.read_csv(folder / "things.csv")
    x, y = frame.drop(columns="y"), frame["y"]
    for split, seed, found in zip(plan.splits, seeds, made):
        ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        # In the order of the data's columns, since ties in a tree are broken by it.
        parts = [(ordinal, ["colour"]), ("passthrough", ["x"])]
        other = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        parts += [(other, ["shape"]), ("passthrough", ["z"])]
        columns = make_column_transformer(*parts)
        plain = make_pipeline(columns, DecisionTreeClassifier(random_state=seed))
        plain.fit(x.iloc[split.train], y.iloc[split.train])
        assert (plain.predict(x.iloc[split.test]) == found).all()


def test_the_default_has_no_part_in_settings_or_keys(folder: Path) -> None:
    """Stored fits stay valid: `auto` and its own word are the entry without `encode`."""
    tree = {"learner": "DecisionTreeClassifier"}
    every = [tree, {**tree, "encode": "auto"}, {**tree, "encode": "onehot"}]
    checked, sets = runner.load(spec(*every, {**tree, "encode": "ordinal"}), base=folder)
    settings = [json.dumps(each.settings()) for each in checked.learners.values()]
    assert len(set(settings[:3])) == 1 and settings[3] != settings[0]
    assert json.loads(settings[0]) == {
        "engine": "sklearn",
        "learner": "DecisionTreeClassifier",
        "params": {},
        "options": {},
    }
    (plan,) = runner.run_plans(checked, sets)
    assert plan is not None
    keys = plan.fit_keys()
    split = plan.split_keys[0][0]
    assert len({keys[f"L{at}", split] for at in range(3)}) == 1
    content = {
        "data": sets[0].sha256,
        "impute": False,
        "learner": json.loads(settings[0]),
        "split": split,
        "seed": fit_seed(11, json.loads(settings[0]), split),
        "versions": dict(engine("sklearn").versions()),
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    assert keys["L0", split] == hashlib.sha256(text.encode()).hexdigest()


def test_the_way_is_said(folder: Path) -> None:
    none = {"encode": "none", "steps": [{"ColumnTransformer": COLUMNS}, "LogisticRegression"]}
    tree = {"learner": "DecisionTreeClassifier"}
    mine = spec(tree, {**tree, "encode": "ordinal"}, none)
    result = cvinfer.run(mine, base=folder)
    ways = [each["categories"] for each in result.document["learners"]]
    assert ways == ["one-hot", "ordinal", "native"]
    shown = result.spec.resolved()
    assert [each["encode"] for each in shown["learners"].values()] == ["onehot", "ordinal", "none"]
    assert load_spec(shown, base=folder).resolved() == shown
    again = cvinfer.run(shown, base=folder).document
    assert again == result.document


def test_every_engine_says_what_it_does() -> None:
    for each in engines().values():
        assert set(each.encodes) <= {AUTO, "onehot", "ordinal", "none"}
        assert set(each.encodes.values()) <= {"one-hot", "ordinal", "native"}
        assert AUTO in each.encodes and each.encodes["none"] == "native"


@pytest.mark.parametrize("name", ["r", "rweka"])
def test_r_and_weka_know_categories(folder: Path, name: str) -> None:
    learner = {"r": "rpart", "rweka": "J48"}[name]
    why = r_parts.why_not(f"engine: {name}, learner: {learner}")
    if why is not None:
        pytest.skip(why)
    plain = {"engine": name, "learner": learner}
    mine = spec(plain, {**plain, "encode": "none"}, {**plain, "encode": "auto"})
    found = load_spec(mine, base=folder)
    assert len({json.dumps(each.settings()) for each in found.learners.values()}) == 1
    assert [each["encode"] for each in found.resolved()["learners"].values()] == ["none"] * 3
    message = f"learners.L1.encode: the engine {name} cannot encode categories: .* auto or none"
    with pytest.raises(SpecError, match=message):
        load_spec(spec(plain, {**plain, "encode": "onehot"}), base=folder)


def test_unknown_categories_are_told_with_the_remedy(folder: Path) -> None:
    strict = {"transformers": [["OneHotEncoder", ["colour", "shape"]]]}
    steps = [{"ColumnTransformer": strict}, "LogisticRegression"]
    result = cvinfer.run(
        spec({"encode": "none", "steps": steps}, {"learner": "DummyClassifier"}), base=folder
    )
    assert len(result.document["failures"]) == 1  # the fold that tests the one mauve record
    message = result.document["failures"][0]["message"]
    assert "unknown categories ['mauve']" in message and "handle_unknown" in message


def test_imputed_values_are_learned_from_training_records(folder: Path) -> None:
    """A data frame is filled in as the matrices are."""
    from cvinfer.data import load
    from cvinfer.engines._sklearn.encode import Encoder, Frames, Ordinal

    text = "a,b,y\n1,u,p\n,v,q\n3,v,p\n,,q\n100,w,p\n200,w,q\n"
    (folder / "holes.csv").write_text(text)
    entry = {"source": "csv", "path": "holes.csv", "target": "y", "missing": "impute"}
    data: Any = load(entry, folder, 0)
    train, test = np.array([0, 1, 2]), np.array([3, 4])
    frames, numbers = (kind(data).halves(train, test) for kind in (Frames, Ordinal))
    assert frames.train["a"].tolist() == [1, 2, 3] and frames.test["a"].tolist() == [2, 100]
    assert frames.train["b"].tolist() == ["u", "v", "v"] and frames.test["b"].tolist() == ["v", "w"]
    assert frames.test["b"].cat.categories.tolist() == ["u", "v", "w"]
    assert numbers.train.tolist() == [[1, 0], [2, 1], [3, 1]]
    assert numbers.test.tolist() == [[2, 1], [100, -1]]
    hot = Encoder(data).halves(train, test)
    assert hot.test.tolist() == [[2, 0, 1], [100, 0, 0]]


#: Learners that would fail in every fit, with where the fault is and what it says.
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no encoder": (
        {"encode": "none", "learner": "LogisticRegression"},
        r"L0\.learner: LogisticRegression takes no categories, and colour, shape are given",
    ),
    "no encoder, and no look at types": (
        {"encode": "none", "learner": "GaussianNB"},
        r"L0\.learner: GaussianNB takes no categories, and colour, shape are given",
    ),
    "no encoder before neighbours": (
        {"encode": "none", "learner": "KNeighborsClassifier"},
        r"L0\.learner: KNeighborsClassifier takes no categories",
    ),
    "scaler first": (
        {"encode": "none", "steps": ["StandardScaler", "GaussianNB"]},
        r"L0\.steps\[0\]: StandardScaler takes no categories",
    ),
    "one column forgotten": (
        {
            "encode": "none",
            "steps": [
                {"ColumnTransformer": {**COLUMNS, "transformers": [[ENCODER, "colour"]]}},
                "LogisticRegression",
            ],
        },
        r"L0\.steps\[1\]: LogisticRegression takes no categories, and shape is given",
    ),
    "imputer only": (
        {"encode": "none", "steps": [{"SimpleImputer": {"strategy": "most_frequent"}}, "SVC"]},
        r"L0\.steps\[1\]: SVC takes no categories",
    ),
    "inside a search": (
        {
            "encode": "none",
            "learner": "GridSearchCV",
            "params": {"estimator": "SVC", "param_grid": {"C": [1, 2]}},
        },
        r"L0\.learner: SVC takes no categories",
    ),
    "names without a frame": (
        {"steps": [{"ColumnTransformer": COLUMNS}, "LogisticRegression"]},
        r"transformers\[0\]\[1\]: columns have no names .*encode: none",
    ),
    "selector without a frame": (
        {
            "steps": [
                {
                    "ColumnTransformer": {
                        "transformers": [
                            [ENCODER, {"make_column_selector": {"dtype_include": "category"}}]
                        ]
                    }
                },
                "LogisticRegression",
            ]
        },
        r"columns have no names",
    ),
    "no such column": (
        {
            "encode": "none",
            "steps": [
                {"ColumnTransformer": {"transformers": [["drop", ["color"]]]}},
                "LogisticRegression",
            ],
        },
        r"transformers\[0\]\[1\]\[0\]: the data has no feature 'color'; .* did you mean 'colour'",
    ),
    "no transformer": (
        {
            "encode": "none",
            "steps": [{"ColumnTransformer": {"transformers": [["SVC", ["x"]]]}}, "SVC"],
        },
        r"transformers\[0\]\[0\]: SVC does not transform",
    ),
    "the rest to no transformer": (
        {
            "encode": "none",
            "steps": [{"ColumnTransformer": {**COLUMNS, "remainder": "SVC"}}, "SVC"],
        },
        r"ColumnTransformer\.remainder: SVC does not transform",
    ),
    "no columns": (
        {"encode": "none", "steps": [{"ColumnTransformer": {"transformers": [["drop"]]}}, "SVC"]},
        r"transformers\[0\]: .* is no transformer with its columns",
    ),
    "code of others": (
        {
            "encode": "none",
            "steps": [{"ColumnTransformer": {"transformers": [["os:system", ["x"]]]}}, "SVC"],
        },
        r"transformers\[0\]\[0\]: os:system is code of ",
    ),
    "no such word": ({"encode": "hot", "learner": "SVC"}, r"L0\.encode: 'hot' is not known"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_would_fail_in_every_fit_is_told_before(folder: Path, case: str) -> None:
    learner, message = FAULTS[case]
    with pytest.raises(SpecError, match=message) as caught:
        load_spec(spec(learner, {"learner": "DummyClassifier"}), base=folder)
    assert len(caught.value.faults) == 1


#: Learners that know what to do with columns as they are.
FITS: dict[str, list[Any]] = {
    "all in one encoder": [ENCODER, "LogisticRegression"],
    "by kind": [
        {
            "ColumnTransformer": {
                "transformers": [
                    [
                        "words",
                        [{"SimpleImputer": {"strategy": "most_frequent"}}, ENCODER],
                        {"make_column_selector": {"dtype_include": "category"}},
                    ],
                    [
                        ["SimpleImputer", "StandardScaler"],
                        {"make_column_selector": {"dtype_include": "number"}},
                    ],
                ]
            }
        },
        "LogisticRegression",
    ],
    "dropped": [
        {"ColumnTransformer": {"transformers": [["passthrough", ["x", "z"]]]}},
        "GaussianNB",
    ],
    "by number": [
        {"ColumnTransformer": {"transformers": [[ENCODER, [0, 2]]], "remainder": "StandardScaler"}},
        "LogisticRegression",
    ],
    "no features needed": ["DummyClassifier"],
}


@pytest.mark.parametrize("case", FITS)
def test_pipelines_with_columns_as_they_are(folder: Path, case: str) -> None:
    steps = FITS[case]
    entry = {"encode": "none", "steps": steps} if len(steps) > 1 else {"learner": steps[0]}
    mine = spec({"encode": "none", **entry}, {"learner": "DummyClassifier"})
    result = cvinfer.run(mine, base=folder)
    assert not result.failed, result.document["failures"][0]


def test_missing_values_are_a_fault_only_where_they_stay(folder: Path) -> None:
    text = (folder / "things.csv").read_text().replace("green", "").replace(",round,", ",,")
    (folder / "things.csv").write_text(text)
    mine = spec({"encode": "none"}, {"learner": "DummyClassifier"})
    mine["data"]["missing"] = "keep"
    mine["learners"]["L1"] = {"engine": "sklearn", "learner": "HistGradientBoostingClassifier"}

    def faults(transformers: list[Any], remainder: str = "passthrough") -> list[str]:
        columns = {"transformers": transformers, "remainder": remainder}
        mine["learners"]["L0"]["steps"] = [{"ColumnTransformer": columns}, "LogisticRegression"]
        try:
            load_spec(mine, base=folder)
        except SpecError as error:
            return [each.message for each in error.faults]
        return []

    assert faults([[ENCODER, ["colour", "shape"]]]) == []
    assert faults([["drop", ["colour", "shape"]]]) == []
    (message,) = faults([[ENCODER, ["colour"]], ["OrdinalEncoder", ["shape"]]])
    assert message == "LogisticRegression takes no missing values, and there are some in shape"
