# What an R user writes: every learner on the exported splits, without any code of cvinfer.
#
# The working directory holds sets.csv (where the data are), a file of splits for each data set and
# seeds.csv (which learners run on which splits). A file with the script's name and .csv is written
# there: a row per test record, or one with the fault where a fit gave no class for every record.

run_plain <- function(script, learners) {
  text <- function(file) read.csv(file, colClasses = "character", na.strings = character())
  sets <- text("sets.csv")
  seeds <- text("seeds.csv")
  seeds <- seeds[seeds$learner %in% names(learners), ]
  found <- list()
  for (at in seq_len(nrow(sets))) {
    set <- sets[at, ]
    df <- the_data(set)
    formula <- as.formula(paste(attr(df, "target"), "~ ."))
    splits <- text(set$splits)
    splits$name <- paste(splits$scheme, splits$replication, splits$fold)
    for (split in unique(splits$name)) {
      rows <- splits[splits$name == split, ]
      index <- as.integer(rows$record) + 1L
      train <- df[index[rows$role == "train"], ]
      test <- df[index[rows$role == "test"], ]
      if (set$missing == "impute") {
        usual <- lapply(train, typical)
        train <- fill_in(train, usual)
        test <- fill_in(test, usual)
      }
      fits <- seeds[seeds$data == set$name &
        paste(seeds$scheme, seeds$replication, seeds$fold) == split, ]
      for (i in seq_len(nrow(fits))) {
        fit <- fits[i, ]
        seed <- as.integer(fit$seed)
        set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion",
          sample.kind = "Rejection")
        outcome <- tryCatch(
          {
            learner <- learners[[fit$learner]]
            classes(suppressWarnings(learner(formula, train, test, seed)), nrow(test))
          },
          error = function(e) list(fault = conditionMessage(e))
        )
        record <- if (is.null(outcome$fault)) rows$record[rows$role == "test"] else ""
        found[[length(found) + 1L]] <- data.frame(
          fit[c("data", "learner", "scheme", "replication", "fold")],
          record = record, label = c(outcome$label, "")[seq_along(record)],
          fault = gsub("[[:space:]]+", " ", c(outcome$fault, "")[[1L]]), row.names = NULL
        )
      }
    }
  }
  write.csv(do.call(rbind, found), paste0(script, ".csv"), row.names = FALSE)
}

the_data <- function(set) {
  if (nzchar(set$path)) return(from_file(set$path, set$target))
  place <- new.env()
  data(list = set$dataset, package = set$package, envir = place)
  df <- place[[set$dataset]]
  df <- df[setdiff(names(df), strsplit(set$drop, " ")[[1L]])]
  if (!is.factor(df[[set$target]])) df[[set$target]] <- factor(df[[set$target]])
  if (set$missing == "drop") df <- na.omit(df)
  if (nzchar(set$rows)) df <- df[read.csv(set$rows)$row, ]
  structure(df, target = set$target)
}

# Columns are renamed: their names in the file may be anything. An empty feature is missing, an
# empty class is a class, and texts are sorted as bytes.
from_file <- function(path, target) {
  text <- read.csv(path, colClasses = "character", na.strings = character(), check.names = FALSE)
  at <- match(target, names(text))
  names(text) <- paste0("x", seq_along(text))
  as_class <- function(column) {
    column <- enc2utf8(column)
    factor(column, levels = sort(unique(column), method = "radix"))
  }
  as_feature <- function(column) {
    column <- type.convert(column, na.strings = "", as.is = TRUE)
    if (is.character(column)) as_class(column) else column
  }
  df <- data.frame(lapply(text, as_feature))
  df[[at]] <- as_class(text[[at]])
  structure(df, target = names(text)[[at]])
}

# The median of numbers, the most frequent value of anything else.
typical <- function(column) {
  if (is.numeric(column)) return(median(column, na.rm = TRUE))
  names(which.max(table(column)))
}

fill_in <- function(df, values) {
  for (name in names(df)) df[[name]][is.na(df[[name]])] <- values[[name]]
  df
}

classes <- function(prediction, n) {
  if (length(prediction) != n) stop(length(prediction), " predictions for ", n, " records")
  label <- as.character(prediction)
  if (anyNA(label)) stop("no class for ", sum(is.na(label)), " of ", n, " records")
  list(label = label)
}

features <- function(formula, data) data[names(data) != as.character(formula[[2L]])]

response <- function(formula, data) data[[as.character(formula[[2L]])]]
