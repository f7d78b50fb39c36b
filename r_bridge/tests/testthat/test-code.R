# The generic form: any function with a formula interface.

frame <- function() as_frame(small(), "y")

run <- function(package, fun, type = NULL, args = list(), test = 41:60) {
  bridge_predict_code(frame(), package, fun, type, args, 1:50, test, 1L, "omit")
}

test_that("factors, lists and matrices of scores are understood", {
  skip_if_not_installed("rpart")
  skip_if_not_installed("MASS")
  want <- bridge_predict(frame(), "rpart", list(), 1:50, 41:60, 1L, "omit")$codes
  expect_identical(run("rpart", "rpart", "class")$codes, want)
  expect_identical(run("rpart", "rpart", "prob")$codes, want)
  expect_identical(run("rpart", "rpart")$codes, want)
  want <- bridge_predict(frame(), "lda", list(), 1:50, 41:60, 1L, "omit")$codes
  expect_identical(run("MASS", "lda")$codes, want)
})

test_that("lists with predictions are understood", {
  skip_if_not_installed("ranger")
  want <- bridge_predict(frame(), "ranger", list(num.trees = 9), 1:50, 41:60, 1L, "omit")$codes
  expect_identical(run("ranger", "ranger", args = list(num.trees = 9))$codes, want)
})

test_that("a class that training lacks is not mislabelled", {
  skip_if_not_installed("nnet")
  got <- bridge_predict_code(
    frame(), "nnet", "nnet", "class", list(size = 2, trace = FALSE), 21:60, 1:60, 1L, "omit"
  )
  expect_null(got$error)
  expect_false(1L %in% got$codes)
})

test_that("what is not understood is described", {
  expect_fault(run("stats", "lm"), "^stats::lm: |stats::lm")
  expect_fault(run("stats", "nosuch"), "has no function nosuch")
  expect_fault(run("nosuchpackage", "f"), "R package nosuchpackage is not installed")
  skip_if_not_installed("rpart")
  expect_fault(run("rpart", "rpart", "vector"), "gave an object of class numeric \\(20\\)")
})

test_that("arguments of a function", {
  expect_true(all(c("formula", "family") %in% bridge_arguments("stats", "glm")))
  expect_fault(bridge_arguments("stats", "glmm"), "has no function glmm \\(did you mean glm\\?\\)")
})

test_that("codes of every form", {
  codes_of <- cvinfer:::codes_of
  labels <- c("a", "b", "c")
  expect_identical(codes_of(factor(c("c", "a", NA)), labels, 3L, "f"), c(3L, 1L, NA))
  expect_identical(codes_of(c(x = "c", y = "a"), labels, 2L, "f"), c(3L, 1L))
  expect_identical(codes_of(matrix(c("c", "a"), 2), labels, 2L, "f"), c(3L, 1L))
  columns <- c("c", "a")
  scores <- matrix(c(0.1, 0.5, NA, 0.9, 0.5, 1), 3, dimnames = list(NULL, columns))
  expect_identical(codes_of(scores, labels, 3L, "f"), c(1L, 3L, NA))
  deep <- array(scores, c(3, 2, 1), list(NULL, columns, "s"))
  expect_identical(codes_of(deep, labels, 3L, "f"), c(1L, 3L, NA))
  expect_identical(codes_of(as.data.frame(scores), labels, 3L, "f"), c(1L, 3L, NA))
  expect_identical(codes_of(data.frame(k = factor(c("b", "a"))), labels, 2L, "f"), c(2L, 1L))
  expect_identical(codes_of(list(class = factor(c("b", "a"))), labels, 2L, "f"), c(2L, 1L))
  expect_error(codes_of(c("a", "z"), labels, 2L, "f"), "f predicts \"z\", which is no class")
  expect_error(codes_of(factor(c("a", "z")), labels, 2L, "f"), "f predicts \"z\", which is no")
  expect_error(codes_of(c("a"), labels, 2L, "f"), "f gave 1 predictions for 2 test records")
  expect_error(codes_of(c(1, 2), labels, 2L, "f"), "an object of class numeric")
  expect_error(codes_of(matrix(1, 2, 2), labels, 2L, "f"), "are not the classes")
  expect_error(codes_of(NULL, labels, 2L, "f"), "gave nothing")
  expect_error(codes_of(list(x = 1), labels, 2L, "f"), "a list without class or predictions")
})
