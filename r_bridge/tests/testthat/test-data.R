test_that("columns of every type arrive right", {
  parts <- cvinfer:::column_parts
  expect_identical(
    parts(c(b = 2L, NA), "integer"), list(values = c(2, NA), levels = character())
  )
  expect_identical(
    parts(c(TRUE, NA, FALSE), "logical"), list(values = c(2L, NA, 1L), levels = c("FALSE", "TRUE"))
  )
  expect_identical(
    parts(c("b", NA, "B", ""), "character"),
    list(values = c(3L, NA, 2L, 1L), levels = c("", "B", "b"))
  )
  expect_identical(
    parts(factor(c("y", NA), c("x", "y")), "factor"),
    list(values = c(2L, NA), levels = c("x", "y"))
  )
  expect_identical(cvinfer:::column_type(Sys.Date()), NA_character_)
  expect_identical(cvinfer:::column_type(list(1)), NA_character_)
  expect_identical(cvinfer:::column_type(1i), NA_character_)
})

test_that("data frames, matrices and parts of data files are found", {
  iris_ <- bridge_data("datasets", "iris")
  expect_identical(iris_$names, names(iris))
  expect_identical(iris_$types, c(rep("numeric", 4), "factor"))
  expect_identical(iris_$columns[[1]], iris[[1]])
  expect_identical(iris_$columns[[5]], as.integer(iris$Species))
  expect_identical(iris_$levels[[5]], levels(iris$Species))
  expect_identical(bridge_data("datasets", "esoph")$types[1:3], rep("ordered", 3))
  expect_length(bridge_data("datasets", "volcano")$columns, 61L)
  # In a data file of another name.
  expect_identical(bridge_data("datasets", "beaver1")$names, names(beaver1))
})

test_that("missing values and integers of mlbench", {
  data <- of_mlbench("Soybean")
  got <- bridge_data("mlbench", "Soybean")
  expect_identical(got$columns[[2]], as.integer(data[[2]]))
  expect_true(anyNA(got$columns[[2]]))
  expect_true("ordered" %in% got$types)
})

test_that("what is not there is said with what is", {
  expect_fault(bridge_data("nosuchpackage", "x"), "R package nosuchpackage is not installed")
  expect_fault(bridge_data("datasets", "irish"), "no data set irish \\(did you mean iris.*it has ")
  expect_fault(bridge_data("datasets", "AirPassengers"), "class ts \\(144\\), not a data frame")
  expect_fault(bridge_data("stats", "lm"), "has no data set lm")
})

test_that("versions", {
  got <- bridge_versions(c("stats", "nosuchpackage"))
  expect_identical(names(got), c("R", "stats", "nosuchpackage"))
  expect_identical(got[["R"]], as.character(getRversion()))
  expect_true(is.na(got[["nosuchpackage"]]))
  expect_identical(bridge_versions(), got["R"])
})
