# R's learners as their users call them; names as in test_r_identity_r.py and test_r_edges.py.

source(file.path(commandArgs(TRUE)[[1L]], "plain.R"))
suppressPackageStartupMessages({
  library(rpart)
  library(tree)
  library(e1071)
  library(MASS)
  library(nnet)
  library(class)
  library(kknn)
  library(randomForest)
  library(ranger)
})

# These mislabel or refuse where a class has no training record, unless it is left out.
trimmed <- function(learner) {
  function(formula, train, test, seed) {
    name <- as.character(formula[[2L]])
    train[[name]] <- droplevels(train[[name]])
    learner(formula, train, test, seed)
  }
}

# The second of two classes where the score is above one half.
two <- function(score, formula, train) levels(response(formula, train))[(score > 0.5) + 1L]

omitting <- function(learner) {
  force(learner)
  function(formula, train, test, seed) learner(formula, na.omit(train), test, seed)
}

learners <- list(
  rpart = function(formula, train, test, seed) {
    predict(rpart(formula, train, method = "class"), test, type = "class")
  },
  anova = function(formula, train, test, seed) {
    numbers <- train
    name <- as.character(formula[[2L]])
    numbers[[name]] <- as.numeric(train[[name]] == levels(train[[name]])[[2L]])
    two(predict(rpart(formula, numbers, method = "anova"), test), formula, train)
  },
  tree = function(formula, train, test, seed) predict(tree(formula, train), test, type = "class"),
  svm = function(formula, train, test, seed) predict(svm(formula, train), test),
  naiveBayes = function(formula, train, test, seed) predict(naiveBayes(formula, train), test),
  lda = function(formula, train, test, seed) predict(lda(formula, train), test)$class,
  qda = trimmed(function(formula, train, test, seed) predict(qda(formula, train), test)$class),
  nnet = trimmed(function(formula, train, test, seed) {
    fit <- nnet(formula, train, size = 2, maxit = 40, MaxNWts = 5000, trace = FALSE)
    predict(fit, test, type = "class")
  }),
  multinom = function(formula, train, test, seed) {
    fit <- multinom(formula, train, maxit = 40, MaxNWts = 5000, trace = FALSE)
    predict(fit, test, type = "class")
  },
  glm = function(formula, train, test, seed) {
    two(predict(glm(formula, binomial, train), test, type = "response"), formula, train)
  },
  kknn = function(formula, train, test, seed) fitted(kknn(formula, train, test)),
  knn = function(formula, train, test, seed) {
    knn(features(formula, train), features(formula, test), response(formula, train), k = 4)
  },
  randomForest = trimmed(function(formula, train, test, seed) {
    predict(randomForest(formula, train, ntree = 15), test)
  }),
  ranger = function(formula, train, test, seed) {
    fit <- ranger(formula, train, num.trees = 15, num.threads = 1)
    predict(fit, test, num.threads = 1)$predictions
  },

  # Arguments, given as mappings in the spec.
  "rpart with control" = function(formula, train, test, seed) {
    control <- rpart.control(cp = 0, minsplit = 5, maxdepth = 3)
    fit <- rpart(formula, train, method = "class", control = control)
    predict(fit, test, type = "class")
  },
  "rpart with prior" = function(formula, train, test, seed) {
    parms <- list(prior = c(0.2, 0.8), split = "information")
    fit <- rpart(formula, train, method = "class", parms = parms)
    predict(fit, test, type = "class")
  },
  "rpart with loss" = function(formula, train, test, seed) {
    fit <- rpart(formula, train, method = "class", parms = list(loss = matrix(c(0, 1, 3, 0), 2)))
    predict(fit, test, type = "class")
  },
  "weighted svm" = function(formula, train, test, seed) {
    weights <- c(Yes = 3, No = 1)
    predict(svm(formula, train, kernel = "linear", cost = 0.5, class.weights = weights), test)
  },
  "lda with prior" = function(formula, train, test, seed) {
    predict(lda(formula, train, prior = c(No = 0.1, Yes = 0.9)), test)$class
  },
  "probit" = function(formula, train, test, seed) {
    two(predict(glm(formula, binomial("probit"), train), test, type = "response"), formula, train)
  },
  "sigmoid svm" = function(formula, train, test, seed) {
    predict(svm(formula, train, kernel = "sigmoid"), test)
  },
  "perceptron" = trimmed(function(formula, train, test, seed) {
    fit <- nnet(formula, train, size = 0, skip = TRUE, maxit = 200, trace = FALSE)
    predict(fit, test, type = "class")
  }),
  "nnet with range" = trimmed(function(formula, train, test, seed) {
    fit <- nnet(formula, train, size = 3, rang = 0.6, maxit = 200, trace = FALSE)
    predict(fit, test, type = "class")
  }),
  "kknn with kernel" = function(formula, train, test, seed) {
    fitted(kknn(formula, train, test, k = 3, kernel = "triangular", distance = 1))
  },
  "weighted forest" = trimmed(function(formula, train, test, seed) {
    fit <- randomForest(formula, train,
      ntree = 15, mtry = 2, cutoff = c(0.3, 0.7), sampsize = c(20, 10)
    )
    predict(fit, test)
  }),
  "weighted ranger" = function(formula, train, test, seed) {
    fit <- ranger(formula, train,
      num.trees = 15, num.threads = 1, class.weights = c(1, 5), splitrule = "extratrees"
    )
    predict(fit, test, num.threads = 1)$predictions
  },
  "probability ranger" = function(formula, train, test, seed) {
    fit <- ranger(formula, train, num.trees = 15, num.threads = 1, probability = TRUE)
    scores <- predict(fit, test, num.threads = 1)$predictions
    colnames(scores)[max.col(scores, ties.method = "first")]
  },

  # Functions of any package.
  "code of rpart" = function(formula, train, test, seed) {
    predict(rpart(formula, train, cp = 0.001), test, type = "class")
  },
  "scores of rpart" = function(formula, train, test, seed) {
    scores <- predict(rpart(formula, train), test)
    colnames(scores)[max.col(scores, ties.method = "first")]
  },
  "code of train.kknn" = function(formula, train, test, seed) {
    predict(train.kknn(formula, train, kmax = 5), test)
  },
  "code of lda" = function(formula, train, test, seed) predict(lda(formula, train), test)$class
)

names <- c("rpart", "naiveBayes", "glm", "svm", "randomForest")
for (name in names) learners[[paste(name, "omitting gaps")]] <- omitting(learners[[name]])

run_plain("plain_r", learners)
