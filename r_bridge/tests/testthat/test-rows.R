# Many fits in one call are the fits one by one, with a fault or a warning in their midst, too.

one_by_one <- function(made, sizes) {
  ends <- cumsum(3L + sizes)
  Map(function(end, size) list(
    dropped = as.integer(made[[end - size - 2L]]), codes = as.integer(made[seq.int(end - size + 1L, end)])
  ), ends, sizes)
}

kept <- function(found) list(dropped = found$dropped, codes = found$codes)

test_that("rows are what single fits give, whatever generators were chosen before", {
  skip_if_not_installed("nnet")
  frame <- bridge_frame(
    unname(as.list(iris[1:2])), c("a", "b"), rep("numeric", 2L), list(NULL, NULL),
    as.integer(iris$Species), "y", levels(iris$Species)
  )
  train <- list(c(1:40, 51:90, 101:140), 1:40, c(5:45, 55:95, 105:145))
  test <- list(41:44, 45:50, c(1:4, 51:54))
  args <- list(size = 2, maxit = 15)
  single <- Map(function(train, test, seed) {
    bridge_predict(frame, "nnet", args, train, test, seed, "pass")
  }, train, test, 1:3)
  expect_false(is.null(single[[2L]]$error))
  before <- RNGkind()
  RNGkind("Wichmann-Hill", "Box-Muller")
  rows <- cvinfer:::rows_of_predict(
    frame, "nnet", args, "pass", NULL, as.integer(unlist(Map(c, train, test))), lengths(train),
    lengths(test), 1:3
  )
  suppressWarnings(RNGkind(before[[1L]], before[[2L]], before[[3L]]))
  expect_identical(rows[[3L]], 2L)
  expect_identical(rows[[2L]], single[2L])
  expect_identical(one_by_one(rows[[1L]], c(4L, 8L)), lapply(single[c(1L, 3L)], kept))
})

test_that("a fit that warns comes back as a list", {
  frame <- bridge_frame(
    list(c(1:10, 21:30) + 0), "a", "numeric", list(NULL), rep(1:2, each = 10L), "y", c("n", "y")
  )
  train <- c(1:8, 11:18)
  rows <- cvinfer:::rows_of_predict(
    frame, "glm", list(), "pass", NULL, c(train, 9L, 19L), 16L, 2L, 1L
  )
  expect_identical(rows[[1L]], double())
  expect_identical(rows[[3L]], 1L)
  expect_identical(rows[[2L]][[1L]]$codes, 1:2)
  expect_gt(length(rows[[2L]][[1L]]$warnings), 0L)
})

test_that("rows of Weka are what single fits give", {
  weka()
  handle <- bridge_weka_load(as_frame(iris, "Species"))
  class <- "weka.classifiers.trees.J48"
  train <- list(c(1:40, 51:90, 101:140), integer(), c(5:45, 55:95, 105:145))
  test <- list(41:44, 45:50, c(1:4, 51:54))
  single <- Map(function(train, test, seed) {
    bridge_weka_predict(handle, class, character(), train, test, seed)
  }, train, test, 1:3)
  expect_match(single[[2L]]$error, "no training record")
  rows <- cvinfer:::rows_of_weka_predict(
    handle, class, character(), "auto", "omit", NULL, as.integer(unlist(Map(c, train, test))),
    lengths(train), lengths(test), 1:3
  )
  expect_identical(rows[[3L]], 2L)
  expect_identical(rows[[2L]], single[2L])
  expect_identical(one_by_one(rows[[1L]], c(4L, 8L)), lapply(single[c(1L, 3L)], kept))
  # What is wrong with all of them is told of each.
  rows <- cvinfer:::rows_of_weka_predict(
    handle, class, character(), "never", "omit", NULL, 1:20, 15L, 5L, 1L
  )
  expect_match(rows[[2L]][[1L]]$error, "seeding must be")
})
