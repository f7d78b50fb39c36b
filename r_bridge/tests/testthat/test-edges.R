# Data as they come: never a wrong label, or a clear error.

r_learners <- function() {
  found <- bridge_learners()
  found <- found[vapply(found, `[[`, NA, "available")]
  vapply(found, `[[`, "", "name")
}

arguments_of <- function(name) if (name == "nnet") list(size = 2) else list()

# Classes so far apart that every learner that mixes up labels is found out.
apart <- function(labels = c("a", "b", "c", "d")) {
  set.seed(3)
  k <- length(labels)
  code <- rep(seq_len(k), each = 12L)
  bridge_frame(
    list(code * 5 + rnorm(12 * k) / 9, rnorm(12 * k) - code * 4), c("u", "v"), rep("numeric", 2),
    list(NULL, NULL), code, "y", labels
  )
}

test_that("a training half that lacks a class gives no wrong label", {
  frame <- apart()
  code <- as.integer(frame$y)
  for (gone in list(1L, 2L, 4L, c(1L, 3L), c(2L, 4L))) {
    train <- which(!code %in% gone)
    for (name in setdiff(r_learners(), "glm")) {
      got <- bridge_predict(frame, name, arguments_of(name), train, train, 1L, "omit")
      expect_null(got$error, info = paste(name, deparse(gone)))
      expect_mostly(got$codes, code[train], if (name == "nnet") 0.45 else 0.9, name)
      expect_false(any(got$codes %in% gone), info = name)
    }
  }
})

test_that("training records of one class: that class, or an error that says so", {
  frame <- apart()
  for (name in setdiff(r_learners(), "glm")) {
    got <- bridge_predict(frame, name, arguments_of(name), 13:24, 1:48, 1L, "omit")
    if (is.null(got$error)) {
      expect_identical(got$codes, rep(2L, 48L), info = name)
    } else {
      expect_match(got$error, "all 12 training records are of class \"b\"", info = name)
    }
  }
})

test_that("two-class learners take the two classes that occur", {
  frame <- apart(c("a", "never", "z"))
  rows <- which(as.integer(frame$y) != 2L)
  frame <- bridge_frame(
    list(frame$u[rows], frame$v[rows]), c("u", "v"), rep("numeric", 2), list(NULL, NULL),
    as.integer(frame$y)[rows], "y", c("a", "never", "z")
  )
  truth <- as.integer(frame$y)
  for (each in list(list("glm", list()), list("rpart", list(method = "anova")))) {
    if (each[[1]] == "rpart") skip_if_not_installed("rpart")
    got <- bridge_predict(frame, each[[1]], each[[2]], 1:24, 1:24, 1L, "omit")
    expect_identical(got$codes, truth)
    # A half of one class: that class.
    for (half in list(1:12, 13:24)) {
      got <- bridge_predict(frame, each[[1]], each[[2]], half, 1:24, 1L, "omit")
      expect_identical(got$codes, rep(truth[half[1]], 24L))
    }
  }
})

test_that("class labels of any kind", {
  frame <- apart(c("", "1", "NA", "TRUE", "\u00e4", "0", "a b"))
  truth <- as.integer(frame$y)
  for (name in setdiff(r_learners(), c("glm", "nnet"))) {
    args <- if (name == "rpart") list(minsplit = 2) else list()
    got <- bridge_predict(frame, name, args, seq(1, 84, 2), seq(2, 84, 2), 1L, "omit")
    expect_null(got$error, info = name)
    expect_mostly(got$codes, truth[seq(2, 84, 2)], 0.9, name)
  }
  skip_if_not_installed("e1071")
  weights <- setNames(as.list(rep(1, 7)), c("", "1", "NA", "TRUE", "\u00e4", "0", "a b"))
  got <- bridge_predict(frame, "svm", list(class.weights = weights[-1]), 1:84, 1:84, 1L, "omit")
  expect_identical(got$codes, truth)
})

test_that("odd column names, a constant column, a level that training lacks", {
  data <- small()
  names(data) <- c("my class", "a b", "if", "\u00e4(x)")
  data$constant <- 1
  levels(data[[4]]) <- c("p", "", "NA")
  frame <- as_frame(data, "my class")
  train <- which(as.integer(data[[4]]) != 1L)
  test <- setdiff(1:60, train)
  plain <- stats::setNames(data, names(frame))
  for (name in setdiff(r_learners(), c("glm", "knn"))) {
    got <- bridge_predict(frame, name, arguments_of(name), train, test, 1L, "omit")
    if (is.null(got$error)) {
      expect_length(got$codes, length(test))
      expect_mostly(got$codes, as.integer(frame[[1]])[test], if (name == "nnet") 0.2 else 0.3, name)
    } else {
      # What these say of a constant or of a level that was never seen is clear enough.
      expect_match(got$error, paste0("^", name, ": "))
      expect_match(got$error, "constant|new level|rank deficiency|level", info = name)
    }
  }
})

test_that("a column of missing values only", {
  data <- small()
  data$gone <- NA_real_
  frame <- as_frame(data, "y")
  for (name in setdiff(r_learners(), c("glm", "knn"))) {
    omit <- bridge_predict(frame, name, arguments_of(name), 1:40, 41:60, 1L, "omit")
    expect_fault(omit, "no training record is left: all 40 have a missing value")
    pass <- bridge_predict(frame, name, arguments_of(name), 1:40, 41:60, 1L, "pass")
    if (is.null(pass$error)) expect_length(pass$codes, 20L) else expect_match(pass$error, name)
  }
})

test_that("test records with missing values: a prediction, none, or an error with the count", {
  data <- small()
  data$u[c(3, 30)] <- NA
  frame <- as_frame(data, "y")
  train <- seq(2, 60, 2)
  for (name in setdiff(r_learners(), c("glm", "knn"))) {
    got <- bridge_predict(frame, name, arguments_of(name), train, 1:60, 1L, "omit")
    if (is.null(got$error)) {
      expect_length(got$codes, 60L)
      expect_identical(got$dropped, 1L)
    } else {
      expect_match(got$error, name)
    }
    if (name %in% c("svm", "kknn")) {
      expect_match(got$error, "gave 58 predictions for 60 test records; some functions drop records with")
    }
    filled <- bridge_predict(frame, name, arguments_of(name), train, 1:60, 1L, "omit", c(2, 0, 1))
    expect_null(filled$error, info = name)
    expect_identical(filled$dropped, 0L)
    expect_false(anyNA(filled$codes))
  }
})

test_that("no training record, and a class that only test records have", {
  frame <- apart()
  expect_fault(
    bridge_predict(frame, "glm", list(), integer(), 1:3, 1L, "omit"), "there is no training record"
  )
})

test_that("knn takes numbers only", {
  skip_if_not_installed("class")
  got <- bridge_predict(as_frame(small(), "y"), "knn", list(), 1:40, 41:60, 1L, "omit")
  expect_fault(got, "knn takes numeric features only, and has no use for f")
})

test_that("a message of any bytes comes as one line of text", {
  odd <- "bytes \xff\xfe here"
  expect_identical(one_line(c(odd, " two\n lines")), "bytes <ff><fe> here; two lines")
  Encoding(odd) <- "bytes"
  expect_identical(one_line(odd), "bytes <ff><fe> here")
  latin <- "caf\xe9"
  Encoding(latin) <- "latin1"
  expect_identical(one_line(latin), "caf\u00e9")
})
