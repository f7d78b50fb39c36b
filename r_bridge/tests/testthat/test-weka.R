two_halves <- list(train = seq(1, 60, 2), test = seq(2, 60, 2))

fit <- function(data, class, options = character(), seed = 1L, seeding = "auto", na_action = "omit",
                fill = NULL, train = two_halves$train, test = two_halves$test) {
  weka()
  handle <- bridge_weka_load(as_frame(data, "y"))
  bridge_weka_predict(handle, paste0("weka.classifiers.", class), options, train, test, seed,
    seeding = seeding, na_action = na_action, fill = fill
  )
}

test_that("names are resolved", {
  weka()
  expect_identical(bridge_weka_resolve("J48"), "weka.classifiers.trees.J48")
  expect_identical(bridge_weka_resolve("weka.classifiers.lazy.IBk"), "weka.classifiers.lazy.IBk")
  expect_identical(bridge_weka_resolve("J4"), character())
  # Abstract, no classifier, not public.
  expect_identical(bridge_weka_resolve("AbstractClassifier"), character())
  expect_identical(bridge_weka_resolve("Evaluation"), character())
  expect_identical(bridge_weka_resolve("weka.core.Instances"), character())
  for (name in c(
    "JRip", "SMO", "Logistic", "NaiveBayes", "RandomForest", "LMT", "PART", "OneR", "DecisionStump",
    "AdaBoostM1", "Bagging", "LogitBoost", "MultilayerPerceptron"
  )) {
    expect_match(bridge_weka_resolve(name), paste0("^weka\\.classifiers\\..*\\.", name, "$"))
  }
})

test_that("options are checked by Weka itself", {
  weka()
  check <- function(class, ...) bridge_weka_check(paste0("weka.classifiers.", class), c(...))
  expect_null(check("trees.J48", "-C", "0.1", "-M", "3"))
  expect_null(check("trees.J48"))
  got <- check("trees.J48", "-C", "0.1", "-Z")
  expect_match(got$message, "-Z")
  expect_match(got$allowed, "^-C <pruning confidence> ", all = FALSE)
  # Not every classifier minds what it does not know.
  expect_match(check("rules.PART", "-junk")$message, "-junk")
  expect_match(check("trees.J48", "-C", "abc")$message, "abc")
  expect_match(check("trees.J48", "-C")$message, "-C")
  expect_null(check("meta.AdaBoostM1", "-W", "weka.classifiers.trees.J48", "--", "-C", "0.1"))
  expect_match(
    check("meta.AdaBoostM1", "-W", "weka.classifiers.trees.J48", "--", "-Z")$message, "-Z"
  )
  expect_match(check("meta.AdaBoostM1", "-W", "weka.classifiers.trees.J49")$message, "J49")
  expect_match(check("trees.J4")$message, "no Weka class .*J4 \\(did you mean .*trees.J48")
  expect_match(check("trees.j48")$message, "did you mean weka.classifiers.trees.J48")
  expect_match(check("AbstractClassifier")$message, "is abstract")
  expect_match(bridge_weka_check("weka.core.Instances", "")$message, "is not a Weka classifier")
})

test_that("options that lead to files or to the network are found without being set", {
  weka()
  outside <- function(class, ...) bridge_weka_outside(paste0("weka.classifiers.", class), c(...))
  expect_identical(outside("trees.J48", "-C", "0.1", "-B"), character())
  expect_identical(outside("misc.SerializedClassifier", "-model", "a.model"), "-model")
  expect_identical(outside("bayes.BayesNet", "-B", "net.xml"), "-B")
  expect_identical(outside("meta.Vote", "-P", "a.model"), "-P")
  expect_identical(outside("meta.CostSensitiveClassifier", "-C", "a.cost"), "-C")
  # Inside each other, and by the end of a class name, as Weka takes it.
  for (filter in c("weka.filters.unsupervised.attribute.AddCluster", "AddCluster")) {
    inside <- paste(filter, "-serialized a.model")
    expect_identical(outside("meta.FilteredClassifier", "-F", inside), "-serialized")
    deeper <- paste0("weka.filters.MultiFilter -F \"", inside, "\"")
    expect_identical(outside("meta.FilteredClassifier", "-F", deeper), "-serialized")
  }
  # Whatever the option is called.
  for (place in c("/tmp/x", "~/x", "../x", "a/../../x", "http://127.0.0.1/x", "file:x", "C:\\x")) {
    expect_identical(outside("trees.J48", "-C", place), place)
  }
  for (plain in c("a1/a2", "0.1", "\\s+", "last", "2..3", "1-2,4")) {
    expect_identical(outside("trees.J48", "-C", plain), character())
  }
})

test_that("versions of Weka and Java", {
  weka()
  got <- bridge_weka_versions()
  expect_identical(names(got), c("Weka", "Java"))
  expect_match(got[["Weka"]], "^3\\.")
})

test_that("seeds go where they belong, and the user's own seed wins", {
  weka()
  seeds <- function(class) {
    rJava::.jcall("cvinfer/Classifiers", "[S", "seeds", paste0("weka.classifiers.", class))
  }
  expect_identical(seeds("rules.JRip"), "S")
  expect_identical(seeds("functions.SMO"), "W")
  expect_identical(seeds("trees.J48"), "Q")
  # Bagging's own, not that of the trees it wraps.
  expect_identical(seeds("meta.Bagging"), "S")
  expect_identical(seeds("functions.SMOreg"), character())
  expect_identical(seeds("lazy.IBk"), character())

  data <- small()
  set.seed(8)
  for (each in letters[1:9]) data[[each]] <- rnorm(60)
  data$u <- NULL
  run <- function(...) fit(data, ...)$codes
  tree <- "trees.RandomTree"
  expect_identical(run(tree, seed = 5L), run(tree, c("-S", "5"), seeding = "none"))
  expect_false(identical(run(tree, seed = 5L), run(tree, seed = 6L)))
  expect_identical(run(tree, c("-S", "5"), seed = 6L), run(tree, seed = 5L))
  expect_identical(run(tree, c("-S", "5"), seed = 6L, seeding = "fit"), run(tree, seed = 5L))
  expect_identical(run(tree, seed = 5L, seeding = "fit"), run(tree, seed = 5L))
  # JRip is not Randomizable: auto leaves it alone.
  expect_identical(run("rules.JRip", seed = 5L), run("rules.JRip", seed = 6L))
  expect_identical(
    run("rules.JRip", seed = 5L, seeding = "fit"), run("rules.JRip", c("-S", "5"), seeding = "none")
  )
  # The seed of what is wrapped is not that of the wrapper.
  wrapped <- c("-W", "weka.classifiers.trees.RandomTree", "--", "-S", "5")
  expect_false(identical(
    run("meta.Bagging", wrapped, seed = 5L), run("meta.Bagging", wrapped, seed = 6L)
  ))
  expect_fault(fit(data, tree, seeding = "maybe"), "seeding must be none, auto or fit")
})

test_that("faults of Java come back as text, and the next fit is right", {
  data <- small()
  expect_fault(fit(data, "trees.J48", "-Z"), "^J48: .*Illegal options: -Z", "java")
  expect_fault(
    fit(data, "functions.LinearRegression"), "^LinearRegression: weka.core.Unsupported", "java"
  )
  expect_fault(fit(data, "trees.Nosuch"), "there is no Weka class")
  expect_fault(fit(data, "trees.J48", train = integer()), "there is no training record")
  expect_null(fit(data, "trees.J48")$error)
})

test_that("the learners that need Weka's matrix library have it", {
  got <- fit(small(), "meta.ClassificationViaRegression", c(
    "-W", "weka.classifiers.functions.GaussianProcesses"
  ))
  expect_null(got$error)
})

test_that("missing values: dropped, kept or filled in", {
  data <- small()
  data$u[c(1, 3, 4)] <- NA
  data$f[5] <- NA
  expect_identical(fit(data, "trees.J48")$dropped, 3L)
  expect_identical(fit(data, "trees.J48", na_action = "pass")$dropped, 0L)
  full <- data
  full$u[c(1, 3, 4)] <- 1.25
  full$f[5] <- "q"
  for (class in c("lazy.IBk", "bayes.NaiveBayes", "functions.SMO")) {
    got <- fit(data, class, fill = c(1.25, 0, 2))
    expect_identical(got$dropped, 0L)
    expect_identical(got$codes, fit(full, class)$codes)
  }
  expect_fault(fit(data, "lazy.IBk", fill = 1), "1 values to fill in came for 3 features")
  data$gone <- NA_real_
  expect_fault(fit(data, "trees.J48"), "no training record is left: all 30 have a missing value")
  expect_null(fit(data, "trees.J48", na_action = "pass")$error)
})

test_that("odd names, labels and levels; a class that training lacks", {
  labels <- c("", "\U1F601", "NA", "TRUE", "\u00e4", "\U1F600", "a,b 'c'")
  set.seed(4)
  code <- rep(1:7, each = 8L)
  weka()
  frame <- bridge_frame(
    list(code * 5 + rnorm(56) / 9, code, rep(1, 56)), c("a b", "\u00e4\U1F600", "a.b"),
    c("numeric", "factor", "numeric"), list(NULL, labels, NULL), code, "", labels
  )
  handle <- bridge_weka_load(frame)
  expect_null(handle$error)
  run <- function(class, train, test) {
    bridge_weka_predict(handle, paste0("weka.classifiers.", class), character(), train, test, 1L)
  }
  for (class in c("trees.J48", "rules.JRip", "functions.SMO", "lazy.IBk", "bayes.NaiveBayes")) {
    got <- run(class, seq(1, 56, 2), seq(2, 56, 2))
    expect_null(got$error, info = class)
    expect_mostly(got$codes, code[seq(2, 56, 2)], if (class == "rules.JRip") 0.6 else 0.95, class)
    train <- which(code != 3L)
    got <- run(class, train, train)
    expect_mostly(got$codes, code[train], 0.8, class)
    expect_false(3L %in% got$codes)
  }
  # Records of one class.
  expect_identical(run("trees.J48", 9:16, 1:56)$codes, rep(2L, 56L))
})

test_that("data are shared between splits and never changed by one", {
  weka()
  data <- small()
  data$u[2] <- NA
  handle <- bridge_weka_load(as_frame(data, "y"))
  run <- function(class, ...) {
    bridge_weka_predict(
      handle, paste0("weka.classifiers.", class), character(), two_halves$train, two_halves$test,
      1L, ...
    )$codes
  }
  first <- run("bayes.NaiveBayes")
  for (class in c("functions.SMO", "lazy.IBk", "functions.MultilayerPerceptron")) {
    run(class, fill = c(9, 9, 1))
  }
  expect_identical(run("bayes.NaiveBayes"), first)
})

test_that("before Weka is started one is told so", {
  skip_if_not_installed("rJava")
  got <- elsewhere("str(bridge_weka_load(data.frame(y = factor('a'))))")
  expect_match(got$out, "Weka was not started", all = FALSE)
})

test_that("an exhausted heap is told apart from other faults", {
  weka()
  n <- 10000L
  set.seed(1)
  data <- data.frame(y = factor(sample(c("a", "b"), n, TRUE)), x = rnorm(n))
  # It asks for a matrix of n x n numbers: 800 MB.
  got <- fit(data, "meta.ClassificationViaRegression",
    c("-W", "weka.classifiers.functions.GaussianProcesses"),
    train = seq_len(n), test = 1:3
  )
  expect_fault(got, "^ClassificationViaRegression: java.lang.OutOfMemoryError", "heap")
})

test_that("a learner recurses deeply, sees no truth, calls System.exit, leaves nothing behind", {
  weka()
  for (tool in c("javac", "jar")) if (!nzchar(Sys.which(tool))) skip(paste("there is no", tool))
  place <- tempfile("exit")
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  jars <- c(
    system.file("java", "weka.jar", package = "RWekajars"), file.path(place, "quits.jar")
  )
  writeLines(c(
    "package quits;",
    "public class Quits extends weka.classifiers.rules.ZeroR {",
    "  public void buildClassifier(weka.core.Instances data) throws Exception {",
    "    if (getDebug()) System.exit(3);",
    "    if (depth(500000) == 500000) super.buildClassifier(data);",
    "  }",
    "  public double classifyInstance(weka.core.Instance record) {",
    "    if (!record.classIsMissing()) throw new RuntimeException(\"the truth is known\");",
    "    return super.classifyInstance(record);",
    "  }",
    "  int depth(int more) { return more == 0 ? 0 : 1 + depth(more - 1); }",
    "}"
  ), file.path(place, "Quits.java"))
  system2("javac", shQuote(c("-cp", jars[[1]], "-d", place, file.path(place, "Quits.java"))))
  system2("jar", shQuote(c("cf", jars[[2]], "-C", place, "quits")))
  cause <- file.path(place, "cause")
  home <- file.path(place, "home")
  dir.create(home)
  got <- elsewhere(c(
    "arguments <- commandArgs(TRUE)",
    "Sys.unsetenv('WEKA_HOME')",
    "parameters <- paste0(c('-Dcvinfer.cause=', '-Duser.home='), arguments[c(1, 3)])",
    "stopifnot(bridge_weka_start(parameters, arguments[[2]]))",
    "stopifnot(identical(bridge_weka_resolve('Quits'), 'quits.Quits'))",
    "frame <- bridge_frame(list(c(1, 2)), 'x', 'numeric', list(NULL), 1:2, 'y', c('k', 'l'))",
    "handle <- bridge_weka_load(frame)",
    "run <- function(options) {",
    "  bridge_weka_predict(handle, 'quits.Quits', options, 1:2, 1:2, 1L)",
    "}",
    "first <- run(character())",
    "cat('deep:', first$codes, first$error)",
    "run('-output-debug-info')",
    "cat('still here')"
  ), cause, jars[[2]], home)
  expect_match(got$out, "deep: 1 1", all = FALSE)
  expect_false(got$status == 0L)
  expect_false(any(grepl("still here", got$out)))
  said <- if (file.exists(cause)) readLines(cause, warn = FALSE) else "nothing"
  expect_match(said, "^quits.Quits called Java's System.exit \\(in quits.Quits.buildClassifier")
  expect_identical(list.files(home, all.files = TRUE, no.. = TRUE), character())
})
