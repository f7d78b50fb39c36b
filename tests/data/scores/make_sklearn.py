"""Makes the samples of scikit-learn (1.2.1) and of the plain form: python make_sklearn.py"""

import json

import pandas as pd
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

x, y = load_iris(return_X_y=True)
x, y = x[50:110, :2], (y[50:110] == 1).astype(int)

search = GridSearchCV(
    DecisionTreeClassifier(random_state=0),
    {"max_depth": [1, 3], "min_samples_leaf": [1, 5]},
    cv=KFold(5, shuffle=True, random_state=1),
    scoring=["roc_auc", "accuracy"],
    refit=False,
).fit(x, y)
frame = pd.DataFrame(search.cv_results_)
times = [name for name in frame if name.endswith("_time")]
frame[times] = 0.0  # not the same twice
frame.to_csv("cv_results.csv")
lists = {name: list(column) for name, column in frame.items()}
with open("cv_results.json", "w") as file:
    json.dump(lists, file, indent=1)
    file.write("\n")

splits = RepeatedKFold(n_splits=3, n_repeats=4, random_state=1)
learners = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
found = {
    name: {
        key: [0.0] * 12 if key.endswith("_time") else values.tolist()
        for key, values in cross_validate(one, x, y, cv=splits, scoring="roc_auc").items()
    }
    for name, one in learners.items()
}
with open("cross_validate.json", "w") as file:
    json.dump(found, file, indent=1)
    file.write("\n")
frames = [pd.DataFrame(each).assign(learner=name) for name, each in found.items()]
pd.concat(frames).to_csv("cross_validate.csv")
