program <- Sys.getenv("CVINFER_PROGRAM", "cvinfer")

test_that("values are written as YAML reads them", {
  expect_identical(as_yaml("a \"b\" \\"), "\"a \\\"b\\\" \\\\\"")
  expect_identical(as_yaml(list("kfold_t", "cvci_z")), "[\"kfold_t\", \"cvci_z\"]")
  expect_identical(as_yaml(0.05), "0.05")
})

test_that("a program that is not there is named", {
  expect_error(cvinfer_run("spec.yaml", program = "no-such-program"), "no-such-program.*options")
})

test_that("predictions of R are compared", {
  skip_if(!nzchar(Sys.which(program)), "the program cvinfer is not on the PATH")
  truth <- rep(c("yes", "no"), 30)
  splits <- lapply(1:3, function(fold) {
    test <- which(seq_along(truth) %% 3 == fold - 1)
    list(scheme = "kfold", replication = 1, fold = fold, train = setdiff(1:60, test), test = test)
  })
  good <- lapply(splits, function(split) truth[split$test])
  bad <- lapply(splits, function(split) ifelse(split$test %% (4 + split$fold) == 0, "no", truth[split$test]))
  found <- compare(splits, truth, good = good, bad = bad, tests = "kfold_t", program = program)
  expect_s3_class(found, "cvinfer_result")
  row <- tidy.cvinfer_result(found)
  expect_identical(row$test, "kfold_t")
  expect_true(row$estimate < 0) # A, the good one, loses less
  wrong <- vapply(seq_along(splits), function(at) mean(bad[[at]] != truth[splits[[at]]$test]), 1)
  expect_equal(row$estimate, -mean(wrong))
  expect_identical(nrow(glance.cvinfer_result(found)), 1L)
  expect_output(print(found), "kfold_t|K-fold")
})
