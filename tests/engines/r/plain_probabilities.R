# What an R user writes to have probabilities, without any code of cvinfer.
#
# The working directory holds jobs.csv: data, learner, seed. For each of these the numbers go to
# <data>-<learner>.bin: a column for each class in the order of the levels, one after the other.

suppressPackageStartupMessages({
  for (each in c(
    "rpart", "tree", "e1071", "MASS", "nnet", "class", "kknn", "randomForest", "ranger"
  )) {
    library(each, character.only = TRUE)
  }
})
with_weka <- requireNamespace("RWeka", quietly = TRUE)
if (with_weka) library(RWeka)

weka <- function(name, control = function(seed) NULL) {
  function(train, test, seed) {
    fun <- make_Weka_classifier(paste0("weka/classifiers/", name))
    predict(fun(y ~ ., train, control = control(seed)), test, type = "probability")
  }
}
with_seed <- function(seed) Weka_control(S = seed)

two <- function(p, test) if (is.matrix(p) && ncol(p) > 1L) p else cbind(1 - as.vector(p), p)

learners <- list(
  rpart = function(train, test, seed) predict(rpart(y ~ ., train), test),
  anova = function(train, test, seed) {
    train$y <- as.numeric(train$y == levels(test$y)[[2L]])
    two(predict(rpart(y ~ ., train, method = "anova"), test))
  },
  tree = function(train, test, seed) predict(tree(y ~ ., train), test),
  svm = function(train, test, seed) {
    fit <- svm(y ~ ., train, probability = TRUE)
    attr(predict(fit, test, probability = TRUE), "probabilities")[, levels(test$y)]
  },
  naiveBayes = function(train, test, seed) predict(naiveBayes(y ~ ., train), test, type = "raw"),
  lda = function(train, test, seed) predict(lda(y ~ ., train), test)$posterior,
  qda = function(train, test, seed) predict(qda(y ~ ., train), test)$posterior,
  nnet = function(train, test, seed) {
    two(predict(nnet(y ~ ., train, size = 2, maxit = 40, trace = FALSE), test))
  },
  multinom = function(train, test, seed) {
    two(predict(multinom(y ~ ., train, maxit = 40, trace = FALSE), test, type = "probs"))
  },
  glm = function(train, test, seed) {
    two(predict(glm(y ~ ., binomial, train), test, type = "response"))
  },
  kknn = function(train, test, seed) kknn(y ~ ., train, test)$prob,
  knn = function(train, test, seed) {
    found <- knn(train[-1], test[-1], train$y, k = 5, prob = TRUE)
    share <- attr(found, "prob")
    two(ifelse(found == levels(test$y)[[2L]], share, 1 - share))
  },
  randomForest = function(train, test, seed) {
    predict(randomForest(y ~ ., train, ntree = 15), test, type = "prob")
  },
  ranger = function(train, test, seed) {
    fit <- ranger(y ~ ., train, num.trees = 15, num.threads = 1, probability = TRUE)
    predict(fit, test, num.threads = 1)$predictions[, levels(test$y)]
  },
  AdaBoostM1 = weka("meta/AdaBoostM1", with_seed),
  Bagging = weka("meta/Bagging", with_seed),
  DecisionStump = weka("trees/DecisionStump"),
  IBk = weka("lazy/IBk"),
  J48 = weka("trees/J48"),
  JRip = weka("rules/JRip"),
  LMT = weka("trees/LMT"),
  Logistic = weka("functions/Logistic"),
  LogitBoost = weka("meta/LogitBoost", with_seed),
  MultilayerPerceptron = weka("functions/MultilayerPerceptron", function(seed) {
    Weka_control(N = 20, S = seed)
  }),
  NaiveBayes = weka("bayes/NaiveBayes"),
  OneR = weka("rules/OneR"),
  PART = weka("rules/PART"),
  RandomForest = weka("trees/RandomForest", function(seed) Weka_control(I = 8, S = seed)),
  SMO = weka("functions/SMO")
)

jobs <- read.csv("jobs.csv", colClasses = "character")
for (at in seq_len(nrow(jobs))) {
  job <- jobs[at, ]
  half <- function(role) {
    df <- read.csv(paste0(job$data, "-", role, ".csv"))
    df$y <- factor(df$y, levels = strsplit(job$levels, " ")[[1L]])
    df
  }
  seed <- as.integer(job$seed)
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  found <- learners[[job$learner]](half("train"), half("test"), seed)
  writeBin(as.double(found), paste0(job$data, "-", job$learner, ".bin"))
}
