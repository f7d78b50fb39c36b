three <- list(
  list(train = 2:3, test = 1L), list(train = c(1L, 3L), test = 2L), list(train = 1:2, test = 3L)
)

test_that("splits are numbered by replications", {
  expect_identical(names(numbered_splits(three, "kfold", NULL)), paste0("kfold:1:", 1:3))
  expect_identical(
    names(numbered_splits(three, "repeated_holdout", NULL)), paste0("repeated_holdout:", 1:3, ":1")
  )
  expect_identical(
    names(numbered_splits(c(three, three), "repeated_kfold", 3L)),
    paste0("repeated_kfold:", rep(1:2, each = 3), ":", 1:3)
  )
  expect_error(numbered_splits(three, "repeated_kfold", 2L), "3 splits are no replications of 2")
})

test_that("what has no splits is refused", {
  expect_error(as_splits(1:3), "no splits can be made of integer")
})

test_that("resamples of rsample are splits", {
  skip_if_not_installed("rsample")
  schemes <- function(x) unique(vapply(as_splits(x), `[[`, "", "scheme"))
  expect_identical(schemes(rsample::vfold_cv(iris, v = 3)), "kfold")
  expect_identical(schemes(rsample::group_vfold_cv(iris, group = "Species")), "kfold")
  expect_identical(schemes(rsample::mc_cv(iris, times = 2)), "repeated_holdout")
  expect_identical(schemes(rsample::loo_cv(iris[1:9, ])), "loo")
  expect_identical(schemes(rsample::initial_split(iris)), "holdout")
  drawn <- rsample::vfold_cv(iris, v = 3, repeats = 2)
  splits <- as_splits(drawn)
  expect_identical(names(splits)[c(1, 6)], c("repeated_kfold:1:1", "repeated_kfold:2:3"))
  for (at in seq_along(splits)) {
    expect_equal(iris[splits[[at]]$train, ], rsample::analysis(drawn$splits[[at]]),
      ignore_attr = TRUE
    )
    expect_equal(iris[splits[[at]]$test, ], rsample::assessment(drawn$splits[[at]]),
      ignore_attr = TRUE
    )
  }
  expect_error(as_splits(rsample::bootstraps(iris, times = 2)), "bootstraps is no scheme")
  expect_identical(as_splits(as_rsample(splits, iris)), splits)
  expect_error(as_rsample(splits, iris[1:99, ]), "but there are 99 records")
})

test_that("resamplings of mlr3 are splits", {
  skip_if_not_installed("mlr3")
  task <- mlr3::as_task_classif(iris, target = "Species")
  drawn <- function(...) mlr3::rsmp(...)$instantiate(task)
  schemes <- function(x) unique(vapply(as_splits(x), `[[`, "", "scheme"))
  expect_identical(schemes(drawn("cv", folds = 3)), "kfold")
  expect_identical(schemes(drawn("subsampling", repeats = 2)), "repeated_holdout")
  expect_identical(schemes(drawn("holdout")), "holdout")
  expect_identical(schemes(drawn("loo")), "loo")
  resampling <- drawn("repeated_cv", folds = 3, repeats = 2)
  splits <- as_splits(resampling)
  expect_identical(names(splits)[c(1, 6)], c("repeated_kfold:1:1", "repeated_kfold:2:3"))
  expect_identical(splits[[4]]$test, resampling$test_set(4))
  expect_setequal(splits[[4]]$train, resampling$train_set(4))
  expect_identical(as_splits(as_mlr3(splits, task)), splits)
  expect_error(as_splits(drawn("bootstrap")), "bootstrap is no scheme")
  expect_error(as_splits(mlr3::rsmp("cv")), "no splits yet")
  expect_error(as_splits(mlr3::rsmp("cv")$instantiate(task$clone()$filter(11:150))), "filtered")
})
