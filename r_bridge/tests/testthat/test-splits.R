write_text <- function(...) {
  file <- tempfile(fileext = ".csv")
  writeLines(c(...), file)
  file
}

three_fold <- function() {
  write_text(
    "scheme,replication,fold,role,record",
    "kfold,1,1,train,1", "kfold,1,1,train,2", "kfold,1,1,test,0",
    "kfold,1,2,train,0", "kfold,1,2,train,2", "kfold,1,2,test,1",
    "kfold,1,3,train,0", "kfold,1,3,train,1", "kfold,1,3,test,2"
  )
}

test_that("splits are read with records from 1", {
  splits <- read_splits(three_fold())
  expect_length(splits, 3L)
  expect_identical(names(splits), c("kfold:1:1", "kfold:1:2", "kfold:1:3"))
  expect_identical(
    splits[[2]],
    list(scheme = "kfold", replication = "1", fold = "2", train = c(1L, 3L), test = 2L)
  )
})

test_that("packed files and several schemes are read", {
  file <- tempfile(fileext = ".csv.gz")
  out <- gzfile(file, "w")
  writeLines(c(
    "scheme,replication,fold,role,record",
    "paired_halves,3/1,1,train,0", "paired_halves,3/1,1,test,5", "kfold#2,1,1,test,2"
  ), out)
  close(out)
  splits <- read_splits(file)
  expect_identical(splits[[1]]$replication, "3/1")
  expect_identical(splits[["kfold#2:1:1"]]$train, integer())
})

test_that("files that are no splits are refused", {
  expect_error(read_splits(write_text("scheme,fold,role,record", "kfold,1,test,0")), "replication")
  expect_error(read_splits(write_text("scheme,replication,fold,role,record")), "no splits")
  head <- "scheme,replication,fold,role,record"
  expect_error(read_splits(write_text(head, "kfold,1,1,tset,0")), "role tset is neither")
  expect_error(read_splits(write_text(head, "kfold,1,1,test,-1")), "record -1 in row 1")
  expect_error(read_splits(write_text(head, "kfold,1,1,test,1.5")), "record 1.5 in row 1")
})

test_that("predictions are written as cvinfer reads them", {
  splits <- read_splits(three_fold())
  file <- tempfile(fileext = ".csv")
  truth <- factor(c("a", "b, \"c\"", "a"))
  write_predictions(file, splits, truth,
    one = list("a", "a", "b, \"c\""), `two 2` = list(factor("a"), NULL, "a")
  )
  expect_identical(readLines(file), c(
    "scheme,replication,fold,record,truth,one,two 2",
    "kfold,1,1,0,a,a,a",
    "kfold,1,2,1,\"b, \"\"c\"\"\",a,",
    "kfold,1,3,2,a,\"b, \"\"c\"\"\",a"
  ))
  # By name, in whatever order.
  again <- tempfile(fileext = ".csv")
  one <- list(`kfold:1:3` = "b, \"c\"", `kfold:1:1` = "a", `kfold:1:2` = "a")
  write_predictions(again, splits, truth, one = one, `two 2` = list("a", NULL, "a"))
  expect_identical(readLines(again), readLines(file))
})

test_that("rows say on which records a split trains where it is not on all others", {
  splits <- list(
    list(scheme = "holdout", replication = 1, fold = 1, train = c(1L, 2L), test = 3L)
  )
  file <- tempfile(fileext = ".csv")
  write_predictions(file, splits, c("", "x", "x", "x"), m = list("x"))
  expect_identical(readLines(file), c(
    "scheme,replication,fold,role,record,truth,m",
    "holdout,1,1,test,2,x,x",
    "holdout,1,1,train,0,,",
    "holdout,1,1,train,1,x,",
    "holdout,1,1,other,3,x,"
  ))
  # Where the empty text is a class, another mark says that there is no prediction.
  write_predictions(file, splits, c("", "x", "x"), m = list(NULL))
  expect_identical(readLines(file)[2], "holdout,1,1,test,2,x,?")
})

test_that("files are UTF-8, and packed if so named", {
  file <- tempfile(fileext = ".csv.gz")
  splits <- read_splits(three_fold())
  write_predictions(file, splits, c("\u00e4", "b", "b"), m = list("b", "\u00e4", "b"))
  expect_identical(readBin(file, "raw", 2L), as.raw(c(0x1f, 0x8b)))
  lines <- readLines(file, encoding = "UTF-8")
  expect_identical(lines[2:3], c("kfold,1,1,0,\u00e4,b", "kfold,1,2,1,b,\u00e4"))
})

test_that("predictions that do not fit are refused", {
  splits <- read_splits(three_fold())
  file <- tempfile()
  truth <- c("a", "b", "a")
  write <- function(...) write_predictions(file, splits, truth, ...)
  expect_error(write(), "no predictions to write")
  expect_error(write(list("a", "a", "a")), "a name of their own")
  expect_error(write(m = list("a", "a")), "each of the 3 splits")
  expect_error(write(m = list("a", c("a", "b"), "a")), "2 predictions for the 1 test records of")
  expect_error(write(m = list("a", NA, "a")), "no prediction for 1 of the 1 test records of split")
  expect_error(write(m = list("a", "z", "a")), "predicts \"z\" in split 2, which is no class")
  all_a <- list("a", "a", "a")
  expect_error(write_predictions(file, splits, truth[1:2], m = all_a), "record 3, but there are 2")
  expect_error(write_predictions(file, splits, c(NA, "a", "b"), m = all_a), "record 1 has no class")
  expect_false(file.exists(file))
})
