# Every ready-made learner against the script that an R user would write.

# The value of `code` with a package attached, as a script's library() does.
attached <- function(package, code) {
  attachNamespace(package)
  on.exit(detach(paste0("package:", package), character.only = TRUE))
  force(code)
}

scripts <- list(
  rpart = function(a, b) predict(rpart::rpart(y ~ ., data = a), b, type = "class"),
  tree = function(a, b) predict(tree::tree(y ~ ., data = a), b, type = "class"),
  svm = function(a, b) predict(e1071::svm(y ~ ., data = a), b),
  naiveBayes = function(a, b) predict(e1071::naiveBayes(y ~ ., data = a), b),
  lda = function(a, b) predict(MASS::lda(y ~ ., data = a), b)$class,
  qda = function(a, b) predict(MASS::qda(y ~ ., data = a), b)$class,
  nnet = function(a, b) {
    predict(nnet::nnet(y ~ ., data = a, size = 2, trace = FALSE), b, type = "class")
  },
  multinom = function(a, b) {
    predict(nnet::multinom(y ~ ., data = a, trace = FALSE), b, type = "class")
  },
  kknn = function(a, b) attached("kknn", fitted(kknn(y ~ ., a, b))),
  knn = function(a, b) class::knn(a[-1], b[-1], a$y),
  randomForest = function(a, b) predict(randomForest::randomForest(y ~ ., data = a), b),
  ranger = function(a, b) {
    predict(ranger::ranger(y ~ ., data = a, num.threads = 1), b)$predictions
  }
)

package_of <- c(
  rpart = "rpart", tree = "tree", svm = "e1071", naiveBayes = "e1071", lda = "MASS", qda = "MASS",
  nnet = "nnet", multinom = "nnet", kknn = "kknn", knn = "class", randomForest = "randomForest",
  ranger = "ranger"
)

# Predictions of both, on every split; the data's class column is y and stands first.
expect_same <- function(name, data, script = scripts[[name]], args = list(), na_action = "pass") {
  if (name %in% names(package_of)) skip_if_not_installed(package_of[[name]])
  frame <- as_frame(data, "y")
  for (split in halves(nrow(data))) {
    got <- bridge_predict(frame, name, args, split$train, split$test, 11L, na_action)
    expect_null(got$error)
    train <- data[split$train, ]
    if (na_action == "omit") train <- na.omit(train)
    seeded(11L)
    want <- suppressWarnings(script(train, data[split$test, ]))
    expect_identical(got$codes, match(as.character(want), levels(data$y)))
    expect_identical(got$dropped, length(split$train) - nrow(train))
    expect_length(got$seconds, 2L)
  }
}

required <- list(nnet = list(size = 2))

vehicle <- function() {
  data <- of_mlbench("Vehicle", 300L)
  data <- data.frame(y = data$Class, data[names(data) != "Class"])
  data[1:10]
}

votes <- function() {
  data <- of_mlbench("HouseVotes84")
  names(data)[1] <- "y"
  data
}

for (each in names(scripts)) {
  local({
    name <- each
    args <- if (is.null(required[[name]])) list() else required[[name]]
    test_that(paste(name, "is the plain script on numbers"), {
      expect_same(name, vehicle(), args = args)
    })
    if (name != "knn") {
      test_that(paste(name, "is the plain script on factors and numbers"), {
        expect_same(name, small(), args = args)
      })
    }
  })
}

test_that("records with missing values: omit drops them from training, pass does not", {
  for (name in c("rpart", "naiveBayes", "tree")) {
    expect_same(name, votes(), na_action = "omit")
    expect_same(name, votes(), na_action = "pass")
  }
  for (name in c("lda", "nnet", "multinom", "randomForest")) {
    args <- if (name == "nnet") list(size = 2) else list()
    expect_same(name, votes(), args = args, na_action = "omit")
  }
})

two <- function() {
  data <- small()
  data <- data[data$y != "c", ]
  data$y <- droplevels(data$y)
  data$u <- data$u + rnorm(nrow(data))
  data
}

test_that("glm is the plain script", {
  script <- function(a, b) {
    p <- predict(glm(y ~ ., data = a, family = "binomial"), b, type = "response")
    levels(a$y)[(p > 0.5) + 1]
  }
  expect_same("glm", two(), script)
  expect_same("glm", two(), script, list(family = "binomial"))
  probit <- function(a, b) {
    fit <- glm(y ~ ., data = a, family = binomial("probit"), control = list(maxit = 50))
    levels(a$y)[(predict(fit, b, type = "response") > 0.5) + 1]
  }
  args <- list(family = list(family = "binomial", link = "probit"), control = list(maxit = 50))
  expect_same("glm", two(), probit, args)
})

test_that("rpart with method anova is the plain script on 0 and 1", {
  script <- function(a, b) {
    a$y <- as.numeric(a$y == "b")
    p <- predict(rpart::rpart(y ~ ., data = a, method = "anova"), b)
    c("a", "b")[(p > 0.5) + 1]
  }
  expect_same("rpart", two(), script, list(method = "anova"))
})

test_that("arguments arrive in the form that R wants", {
  expect_same("rpart", vehicle(),
    function(a, b) {
      fit <- rpart::rpart(y ~ .,
        data = a, parms = list(prior = c(0.1, 0.2, 0.3, 0.4), split = "information"),
        control = rpart::rpart.control(cp = 0.001, minsplit = 5)
      )
      predict(fit, b, type = "class")
    },
    list(
      parms = list(
        prior = list(van = 0.4, bus = 0.1, opel = 0.2, saab = 0.3), split = "information"
      ),
      control = list(cp = 0.001), minsplit = 5
    )
  )
  loss <- matrix(c(0, 1, 5, 0), 2, byrow = TRUE)
  expect_same("rpart", two(),
    function(a, b) {
      predict(rpart::rpart(y ~ ., data = a, parms = list(loss = loss)), b, type = "class")
    },
    list(parms = list(loss = list(c(0, 1), c(5, 0))))
  )
  expect_same("tree", vehicle(),
    function(a, b) predict(tree::tree(y ~ ., data = a, mindev = 0.001), b, type = "class"),
    list(control = list(mindev = 0.001))
  )
  expect_same("svm", vehicle(),
    function(a, b) {
      weights <- c(bus = 1, opel = 3, saab = 1, van = 2)
      fit <- e1071::svm(y ~ .,
        data = a, kernel = "polynomial", degree = 2, cost = 4, class.weights = weights
      )
      predict(fit, b)
    },
    list(
      kernel = "polynomial", degree = 2, cost = 4,
      class.weights = list(van = 2, saab = 1, opel = 3, bus = 1)
    )
  )
  expect_same("kknn", vehicle(),
    function(a, b) {
      attached("kknn", fitted(kknn(y ~ ., a, b, k = 5, kernel = "triangular", distance = 1)))
    },
    list(k = 5, kernel = "triangular", distance = 1)
  )
  expect_same("knn", vehicle(),
    function(a, b) class::knn(a[-1], b[-1], a$y, k = 4), list(k = 4)
  )
  expect_same("randomForest", vehicle(),
    function(a, b) predict(randomForest::randomForest(y ~ ., data = a, ntree = 30, mtry = 2), b),
    list(ntree = 30, mtry = 2)
  )
  expect_same("ranger", vehicle(),
    function(a, b) {
      fit <- ranger::ranger(y ~ ., data = a, num.trees = 30, probability = TRUE, num.threads = 1)
      p <- predict(fit, b)$predictions
      colnames(p)[max.col(p, "first")]
    },
    list(num.trees = 30, probability = TRUE)
  )
  expect_same("lda", vehicle(),
    function(a, b) predict(MASS::lda(y ~ ., data = a, prior = c(0.1, 0.2, 0.3, 0.4)), b)$class,
    list(prior = c(0.1, 0.2, 0.3, 0.4))
  )
  expect_same("nnet", vehicle(),
    function(a, b) {
      fit <- nnet::nnet(y ~ ., data = a, size = 3, decay = 0.1, maxit = 30, trace = FALSE)
      predict(fit, b, type = "class")
    },
    list(size = 3, decay = 0.1, maxit = 30)
  )
})

test_that("the seed decides, and only the seed", {
  skip_if_not_installed("ranger")
  frame <- as_frame(small(), "y")
  run <- function(seed) {
    bridge_predict(frame, "ranger", list(num.trees = 3), 1:60, 1:60, seed, "omit")$codes
  }
  first <- run(1L)
  runif(5)
  expect_identical(run(1L), first)
  expect_false(identical(run(2L), first))
})

test_that("the list of learners tells what each takes", {
  found <- bridge_learners()
  names(found) <- vapply(found, `[[`, "", "name")
  expect_setequal(names(found), c(names(scripts), "glm"))
  for (each in found) {
    expect_type(each$title, "character")
    if (each$available) {
      expect_gt(length(each$arguments), 0L)
      expect_null(each$reason)
      expect_false(any(c("formula", "data", "...", "subset") %in% each$arguments))
      expect_true(all(each$required %in% each$arguments))
    } else {
      expect_match(each$reason, "R package")
      expect_length(each$arguments, 0L)
    }
  }
  expect_true(found$glm$two_classes)
  expect_true(all(c("epsilon", "maxit", "family") %in% found$glm$arguments))
  if (found$rpart$available) {
    expect_true(all(c("method", "parms", "control", "cp", "minsplit") %in% found$rpart$arguments))
  }
  if (found$knn$available) expect_true(found$knn$numeric_only)
  if (found$nnet$available) expect_identical(found$nnet$required, "size")
})

test_that("wrong arguments are refused with what would be right", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("nnet")
  frame <- as_frame(small(), "y")
  run <- function(learner, args) bridge_predict(frame, learner, args, 1:40, 41:60, 1L, "omit")
  expect_fault(run("rpart", list(cpp = 1)), "takes no argument cpp \\(did you mean cp\\?\\)")
  expect_fault(run("rpart", list(method = "poisson")), "method must be class or anova")
  expect_fault(run("rpart", list(method = "anova")), "needs two classes, but the data have 3")
  expect_fault(run("rpart", list(subset = 1)), "takes no argument subset")
  expect_fault(run("rpart", list(control = list(cpp = 1))), "in control takes no argument cpp")
  expect_fault(run("rpart", list(control = list(cp = 1), cp = 2)), "cp is given both in control")
  expect_fault(run("rpart", list(control = 1)), "takes arguments by name only")
  expect_fault(run("nnet", list()), "nnet needs size")
  expect_fault(run("rpat", list()), "no ready-made learner rpat \\(did you mean rpart\\?\\)")
  expect_fault(run("glm", list()), "glm needs two classes, but the data have 3")
  expect_fault(bridge_check("rpart", list(cpp = 1)), "did you mean cp")
  expect_null(bridge_check("rpart", list(cp = 0.1, parms = list(prior = list(a = 1, b = 0)))))
  expect_fault(
    bridge_check("rpart", list(parms = list(prior = list(a = 1, z = 0))), c("a", "b")),
    "names \"z\", which is no class"
  )
})

test_that("a text never names a function that R would call", {
  frame <- as_frame(two(), "y")
  run <- function(args) bridge_predict(frame, "glm", args, 1:40, 1:40, 1L, "omit")
  expect_fault(run(list(family = "quit")), "family must be binomial or quasibinomial")
  expect_fault(run(list(family = list(family = "binomial", link = "quit"))), "link must be one of")
  expect_fault(run(list(method = "quit")), "takes no argument method")
  expect_fault(run(list(control = list(method = "quit"))), "in control takes no argument method")
  expect_fault(run(list(contrasts = list(f = "quit"))), "contrasts has quit")
  skip_if_not_installed("kknn")
  expect_fault(
    bridge_predict(frame, "kknn", list(contrasts = c(unordered = "quit")), 1:40, 1:40, 1L, "omit"),
    "contrasts has quit"
  )
})

test_that("an error of the learner comes back as text, with its warnings otherwise", {
  skip_if_not_installed("e1071")
  frame <- as_frame(small(), "y")
  run <- function(args) bridge_predict(frame, "svm", args, 1:60, 1:60, 1L, "omit")
  expect_fault(run(list(kernel = "nonsense")), "^svm: ")
  expect_fault(run(list(class.weights = list(a = 1, d = 1))), "names \"d\", which is no class")
  separable <- small()[1:40, ]
  separable$y <- droplevels(separable$y)
  separable$u <- seq_len(40)
  got <- bridge_predict(as_frame(separable, "y"), "glm", list(), 1:40, 1:40, 1L, "omit")
  expect_match(got$warnings, "fitted probabilities|did not converge", all = FALSE)
  expect_identical(got$codes, as.integer(separable$y))
})

test_that("naive Bayes for all records at once is e1071's, to the last bit", {
  skip_if_not_installed("e1071")
  set.seed(5)
  n <- 90L
  draw <- function(levels) factor(sample(levels[1:3], n, TRUE), levels = levels)
  frame <- function() {
    data.frame(
      y = draw(letters[1:4]), a = rnorm(n, sd = 3), b = round(rnorm(n)), same = 1,
      f = draw(c("u", "v", "w", "never"))
    )
  }
  train <- frame()
  train$a[[2L]] <- NA
  test <- frame()
  test$a[1:3] <- NA
  test$f[2:4] <- NA
  test$f[[5L]] <- "never"
  for (laplace in 0:1) {
    fit <- e1071::naiveBayes(y ~ ., data = train[train$y != "d", ], laplace = laplace)
    fit$levels <- fit$levels[1:3]
    fit$apriori <- fit$apriori[1:3]
    fit$tables <- lapply(fit$tables, function(table) table[1:3, , drop = FALSE])
    scores <- bayes_scores(fit, test)
    share <- function(row) vapply(row, function(one) 1 / sum(exp(row - one)), 0)
    shares <- t(apply(scores, 1L, share))
    expect_identical(unname(shares), unname(predict(fit, test, type = "raw")))
    expect_identical(predict_bayes(fit, test), predict(fit, test))
  }
})

test_that("naive Bayes leaves what it does not know to the package", {
  skip_if_not_installed("e1071")
  data <- data.frame(y = factor(c("a", "a", "b", "b")), x = c(1, 2, 4, 5))
  data$z <- c(TRUE, TRUE, FALSE, TRUE)
  fit <- e1071::naiveBayes(y ~ ., data = data)
  expect_null(bayes_scores(fit, data))
  expect_identical(predict_bayes(fit, data), predict(fit, data))
})

test_that("rpart's inner cross-validation is left out unless it is asked for", {
  xval <- function(...) checked_arguments(find_learner("rpart"), list(...))$xval
  expect_identical(xval(), 0L)
  expect_identical(xval(xval = 5L), 5L)
  expect_identical(xval(control = list(xval = 5L)), 5L)
})
