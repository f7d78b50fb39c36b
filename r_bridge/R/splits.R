# For R users: the splits that cvinfer drew, and predictions in the form that it reads.

read_splits <- function(file) {
  table <- utils::read.csv(file,
    colClasses = "character", na.strings = character(), check.names = FALSE, encoding = "UTF-8"
  )
  columns <- c("scheme", "replication", "fold", "role", "record")
  lacking <- setdiff(columns, names(table))
  if (length(lacking)) {
    stop(
      "'", file, "' has no column ", listed(lacking), "; a splits file has ", listed(columns),
      call. = FALSE
    )
  }
  if (!nrow(table)) stop("'", file, "' has a header but no splits", call. = FALSE)
  wrong <- setdiff(table$role, c("train", "test"))
  if (length(wrong)) {
    stop("'", file, "': role ", listed(wrong), " is neither train nor test", call. = FALSE)
  }
  record <- suppressWarnings(as.integer(table$record))
  bad <- which(is.na(record) | record < 0L | !grepl("^[0-9]+$", table$record))
  if (length(bad)) {
    stop("'", file, "': record ", table$record[[bad[[1L]]]], " in row ", bad[[1L]],
      " is no whole number from 0 on",
      call. = FALSE
    )
  }
  name <- paste(table$scheme, table$replication, table$fold, sep = ":")
  split <- factor(name, levels = unique(name))
  first <- match(levels(split), name)
  # Records count from 0 in the file and from 1 in R.
  train <- table$role == "train"
  trained <- split(record[train] + 1L, split[train])
  tested <- split(record[!train] + 1L, split[!train])
  splits <- lapply(seq_along(first), function(at) {
    row <- first[[at]]
    list(
      scheme = table$scheme[[row]], replication = table$replication[[row]],
      fold = table$fold[[row]], train = trained[[at]], test = tested[[at]]
    )
  })
  names(splits) <- levels(split)
  splits
}

write_predictions <- function(file, splits, truth, ...) {
  learners <- list(...)
  called <- enc2utf8(as.character(names(learners)))
  if (!length(learners)) stop("there are no predictions to write", call. = FALSE)
  if (length(called) != length(learners) || any(!nzchar(called)) || anyDuplicated(called)) {
    stop("every learner's predictions need a name of their own", call. = FALSE)
  }
  truth <- enc2utf8(as.character(truth))
  if (anyNA(truth)) {
    stop("record ", which(is.na(truth))[[1L]], " has no class; leave such records out of the data",
      call. = FALSE
    )
  }
  checked_records(splits, length(truth))
  mark <- no_prediction(truth)
  predicted <- Map(
    function(given, name) checked_predictions(given, name, splits, unique(truth), mark),
    learners, called
  )
  extra <- extra_rows(splits, length(truth))
  roles <- any(lengths(extra)) || "role" %in% called
  header <- c(
    "scheme", "replication", "fold", if (roles) "role", "record", "truth", cell(called)
  )
  truth <- cell(truth)
  blank <- rep(list(""), length(learners))
  rows <- lapply(seq_along(splits), function(at) {
    split <- splits[[at]]
    head <- lapply(split[c("scheme", "replication", "fold")], function(at) cell(as.character(at)))
    lines <- function(role, records, cells) {
      if (!length(records)) return(character())
      do.call(paste, c(
        unname(head), if (roles) role, list(records - 1L, truth[records]), unname(cells), sep = ","
      ))
    }
    c(
      lines("test", split$test, lapply(predicted, function(each) cell(each[[at]]))),
      unlist(lapply(names(extra[[at]]), function(role) lines(role, extra[[at]][[role]], blank)))
    )
  })
  write_lines(file, c(paste(header, collapse = ","), unlist(rows, use.names = FALSE)))
  invisible(file)
}

checked_records <- function(splits, n) {
  for (name in seq_along(splits)) {
    split <- splits[[name]]
    lacking <- setdiff(c("scheme", "replication", "fold", "train", "test"), names(split))
    if (length(lacking)) {
      stop("split ", name, " has no ", listed(lacking), "; see read_splits()", call. = FALSE)
    }
    most <- max(split$train, split$test)
    if (most > n) {
      stop("split ", name, " has record ", most, ", but there are ", n, " records", call. = FALSE)
    }
  }
}

# The cells of a learner, split by split, in the order of the test records.
checked_predictions <- function(given, name, splits, classes, mark) {
  if (!is.list(given) || length(given) != length(splits)) {
    stop(name, ": a list with the predictions of each of the ", length(splits), " splits is needed",
      call. = FALSE
    )
  }
  # Lists that lost their order but not their names are put in order.
  if (!is.null(names(given)) && !is.null(names(splits)) && setequal(names(given), names(splits))) {
    given <- given[names(splits)]
  }
  lapply(seq_along(splits), function(at) {
    n <- length(splits[[at]]$test)
    found <- given[[at]]
    if (is.null(found)) return(rep(mark, n))
    found <- enc2utf8(as.character(found))
    if (length(found) != n) {
      stop(name, ": ", length(found), " predictions for the ", n, " test records of split ", at,
        call. = FALSE
      )
    }
    if (anyNA(found)) {
      stop(name, ": no prediction for ", sum(is.na(found)), " of the ", n,
        " test records of split ", at, "; a split has all, or NULL",
        call. = FALSE
      )
    }
    strange <- setdiff(found, classes)
    if (length(strange)) {
      stop(name, " predicts ", listed(dQuote(strange, FALSE)), " in split ", at,
        ", which is no class of the truth",
        call. = FALSE
      )
    }
    found
  })
}

# The cell of a prediction that is not there: empty, unless that is a class.
no_prediction <- function(classes) {
  mark <- ""
  while (mark %in% classes) mark <- paste0(mark, "?")
  mark
}

# Where a scheme does not train on all records that it does not test, rows say on which; a record
# that no row names is made known.
extra_rows <- function(splits, n) {
  scheme <- vapply(splits, function(split) as.character(split$scheme), "")
  used <- vapply(splits, function(split) length(split$train) + length(split$test), 1)
  partial <- scheme %in% scheme[used != n]
  extra <- lapply(seq_along(splits), function(at) {
    if (partial[[at]]) list(train = splits[[at]]$train)
  })
  known <- logical(n)
  for (at in seq_along(splits)) {
    known[splits[[at]]$test] <- TRUE
    if (partial[[at]]) known[splits[[at]]$train] <- TRUE
  }
  if (!all(known)) extra[[1L]] <- c(extra[[1L]], list(other = which(!known)))
  extra
}

# A field of a csv file, in quotes where it needs them.
cell <- function(texts) {
  quoted <- grepl("[,\"\r\n]", texts)
  texts[quoted] <- paste0("\"", gsub("\"", "\"\"", texts[quoted], fixed = TRUE), "\"")
  texts
}

# UTF-8 and \n on every system, packed if the name ends in .gz; it appears whole or not at all.
write_lines <- function(file, lines) {
  beside <- paste0(file, ".part")
  on.exit(unlink(beside))
  out <- if (endsWith(file, ".gz")) gzfile(beside, "wb") else file(beside, "wb")
  tryCatch(writeLines(enc2utf8(lines), out, sep = "\n", useBytes = TRUE), finally = close(out))
  if (!file.rename(beside, file)) stop("'", file, "' cannot be written", call. = FALSE)
}
