# Weka's learners through RWeka, as its users call them; names as in test_r_identity_weka.py.

source(file.path(commandArgs(TRUE)[[1L]], "plain.R"))
suppressPackageStartupMessages(library(RWeka))

weka <- function(name) make_Weka_classifier(paste0("weka/classifiers/", name))
RandomForest <- weka("trees/RandomForest")
NaiveBayes <- weka("bayes/NaiveBayes")
MultilayerPerceptron <- weka("functions/MultilayerPerceptron")
BayesNet <- weka("bayes/BayesNet")

# fit and predict, with `control` for the options, or one made of the seed
plain <- function(fun, control = function(seed) NULL) {
  function(formula, train, test, seed) predict(fun(formula, train, control = control(seed)), test)
}
passed <- function(fun) {
  function(formula, train, test, seed) predict(fun(formula, train, na.action = na.pass), test)
}
chosen <- function(...) {
  given <- Weka_control(...)
  function(seed) given
}

run_plain("plain_rweka", list(
  J48 = function(formula, train, test, seed) predict(J48(formula, train), test),
  JRip = function(formula, train, test, seed) predict(JRip(formula, train), test),
  SMO = function(formula, train, test, seed) predict(SMO(formula, train), test),
  Logistic = function(formula, train, test, seed) predict(Logistic(formula, train), test),
  IBk = function(formula, train, test, seed) predict(IBk(formula, train), test),
  "short Logistic" = plain(Logistic, chosen(M = 3)),

  "J48 with gaps" = passed(J48),
  "JRip with gaps" = passed(JRip),
  "IBk with gaps" = passed(IBk),

  "J48 by mapping" = plain(J48, chosen(C = 0.1, M = 5, A = TRUE)),
  "J48 by flags" = plain(J48, chosen(U = TRUE, M = 4)),
  "3-NN" = plain(IBk, chosen(K = 3, I = TRUE)),
  "SMO with RBF" = plain(SMO, chosen(
    C = 2, K = list("weka.classifiers.functions.supportVector.RBFKernel", G = 0.05)
  )),

  "forest of seed 7" = plain(RandomForest, chosen(I = 8, S = 7)),
  forest = plain(RandomForest, function(seed) Weka_control(I = 8, S = seed)),
  "seeded JRip" = plain(JRip, function(seed) Weka_control(S = seed)),
  "bagged J48" = plain(Bagging, chosen(I = 4, S = 3, W = list(J48, M = 5))),
  "bagged trees" = plain(Bagging, function(seed) {
    Weka_control(I = 4, S = seed, W = "weka.classifiers.trees.REPTree")
  }),
  "boosted stumps" = plain(AdaBoostM1, chosen(
    I = 6, S = 2, W = "weka.classifiers.trees.DecisionStump"
  )),
  "boosted J48" = plain(AdaBoostM1, chosen(I = 3, S = 2, W = list(J48, C = 0.1))),

  NaiveBayes = plain(NaiveBayes),
  BayesNet = plain(BayesNet),
  OneR = plain(OneR),
  PART = plain(PART),
  DecisionStump = plain(DecisionStump),
  LMT = plain(LMT, chosen(I = 5)),
  LogitBoost = plain(LogitBoost, function(seed) Weka_control(I = 4, S = seed)),
  perceptron = plain(MultilayerPerceptron, function(seed) Weka_control(N = 5, H = "3", S = seed)),
  RandomForest = plain(RandomForest, function(seed) Weka_control(I = 10, S = seed)),
  Bagging = plain(Bagging, function(seed) Weka_control(S = seed)),
  AdaBoostM1 = plain(AdaBoostM1, function(seed) Weka_control(S = seed)),
  MultilayerPerceptron = plain(MultilayerPerceptron, function(seed) Weka_control(N = 20, S = seed))
))
