test_that("columns of all types arrive", {
  frame <- bridge_frame(
    list(c(1.5, NaN, 3), c(2L, NA, 1L), c(1L, 2L, NA), c(2L, 1L, NA)),
    c("a b", "f", "o", "l"), c("numeric", "factor", "ordered", "logical"),
    list(NULL, c("x", "y"), c("lo", "hi"), NULL), c(1L, 2L, 1L), "class", c("no", "yes", "never")
  )
  expect_s3_class(frame, "data.frame")
  expect_identical(names(frame), c("class", "a.b", "f", "o", "l"))
  expect_identical(attr(frame, "class_name"), "class")
  expect_identical(frame$class, factor(c("no", "yes", "no"), c("no", "yes", "never")))
  expect_identical(frame$a.b, c(1.5, NA, 3))
  expect_identical(frame$f, factor(c("y", NA, "x"), c("x", "y")))
  expect_identical(frame$o, factor(c("lo", "hi", NA), c("lo", "hi"), ordered = TRUE))
  expect_identical(frame$l, c(TRUE, FALSE, NA))
  expect_identical(.row_names_info(frame), -3L)
})

test_that("names become names that a formula can hold, each its own", {
  frame <- bridge_frame(
    list(1, 2, 3, 4), c("if", "a b", "a.b", ""), rep("numeric", 4), vector("list", 4), 1L, "a b",
    c("k", "l")
  )
  expect_identical(names(frame), c("a.b.1", "if.", "a.b.2", "a.b", "X"))
})

test_that("names that mean something in a formula are changed", {
  data <- small()
  names(data)[2:4] <- c(".", "...", "..1")
  frame <- as_frame(data, "y")
  expect_identical(names(frame), c("y", "X.", "X...", "X..1"))
  expect_identical(frame[[2]], data[[2]])
})

test_that("odd class labels are levels of their own", {
  labels <- c("", "1", "NA", "NA.", "TRUE", "\u00e4", "empty.")
  frame <- bridge_frame(list(1:7 + 0), "x", "numeric", list(NULL), 1:7, "y", labels)
  levels <- levels(frame$y)
  expect_length(levels, 7L)
  expect_identical(anyDuplicated(levels), 0L)
  expect_false(any(levels %in% c("", "NA")))
  expect_identical(levels[c(2, 4:7)], labels[c(2, 4:7)])
  expect_identical(as.integer(frame$y), 1:7)
})

test_that("columns that do not fit are refused", {
  expect_fault(
    bridge_frame(list(1:2 + 0), "x", "numeric", list(NULL), 1:3, "y", letters[1:3]),
    "column x has 2 values for 3 records"
  )
  expect_fault(
    bridge_frame(list(1), "x", "date", list(NULL), 1L, "y", "a"), "there is no column type date"
  )
})

test_that("missing values are filled in, in training and test records", {
  data <- data.frame(
    y = factor(c("a", "b", "a")), u = c(1, NA, 3), f = factor(c("p", NA, "q")),
    l = c(NA, TRUE, FALSE)
  )
  got <- cvinfer:::filled(data, c(9, 2, 1))
  expect_identical(got$u, c(1, 9, 3))
  expect_identical(got$f, factor(c("p", "q", "q")))
  expect_identical(got$l, c(FALSE, TRUE, FALSE))
  # Nothing was learned for a column: it stays as it is.
  expect_identical(cvinfer:::filled(data, c(NaN, 2, 1))$u, data$u)
})
