# The data set as R sees it: one data frame, built once per process, the class column first.

bridge_frame <- function(columns, names, types, levels, target, target_name, classes) {
  guarded({
    if (length(columns) != length(names) || length(columns) != length(types)) {
      refuse(
        length(columns), " columns came with ", length(names), " names and ", length(types),
        " types"
      )
    }
    features <- vector("list", length(columns))
    for (i in seq_along(columns)) {
      features[[i]] <- feature(columns[[i]], types[[i]], levels[[i]])
      if (length(features[[i]]) != length(target)) {
        refuse(
          "column ", names[[i]], " has ", length(features[[i]]), " values for ", length(target),
          " records"
        )
      }
    }
    labels <- enc2utf8(as.character(classes))
    frame <- c(list(factor_of(target, safe_labels(labels))), features)
    called <- safe_names(enc2utf8(c(target_name, as.character(names))))
    structure(frame,
      names = called, row.names = .set_row_names(length(target)), class = "data.frame",
      class_name = called[[1L]], class_labels = labels,
      class_present = which(tabulate(target, length(labels)) > 0L)
    )
  })
}

feature <- function(values, type, levels) {
  switch(type,
    numeric = {
      values <- as.double(values)
      values[is.nan(values)] <- NA_real_
      values
    },
    factor = factor_of(values, enc2utf8(as.character(levels))),
    ordered = factor_of(values, enc2utf8(as.character(levels)), ordered = TRUE),
    logical = as.integer(values) == 2L,
    refuse("there is no column type ", type)
  )
}

factor_of <- function(codes, levels, ordered = FALSE) {
  # Equal levels would make an invalid factor; codes keep them apart.
  levels <- make.unique(levels)
  structure(as.integer(codes), levels = levels, class = c(if (ordered) "ordered", "factor"))
}

# Names that any formula can hold; column names of a data set may be anything.
safe_names <- function(names) {
  names <- make.names(names, unique = TRUE)
  # A dot stands for all other columns in a formula, and ... and ..1 for arguments.
  dots <- grepl("^\\.(\\.\\.|\\.[0-9]+)?$", names)
  names[dots] <- paste0("X", names[dots])
  make.unique(names)
}

# Class labels as levels that no function takes for something missing.
safe_labels <- function(labels) {
  odd <- is.na(labels) | labels %in% c("", "NA")
  if (any(odd)) {
    stand_in <- ifelse(is.na(labels[odd]) | labels[odd] == "NA", "NA.", "empty.")
    labels <- make.unique(c(labels[!odd], stand_in))[order(c(which(!odd), which(odd)))]
  }
  labels
}

# Records of the frame, quicker than `[.data.frame` and with automatic row names.
records <- function(frame, index) {
  found <- lapply(unclass(frame), function(column) {
    if (!is.factor(column)) return(column[index])
    # As `[.factor` has it, which takes longer than all numbers together.
    structure(.subset(column, index), levels = attr(column, "levels"), class = oldClass(column))
  })
  attr(found, "row.names") <- .set_row_names(length(index))
  class(found) <- "data.frame"
  found
}

# Put `fill` (a number per feature, a level's code for factors) where values are missing.
filled <- function(frame, fill) {
  if (is.null(fill)) return(frame)
  if (length(fill) != length(frame) - 1L) {
    refuse(length(fill), " values to fill in came for ", length(frame) - 1L, " features")
  }
  for (i in which(!is.na(fill))) {
    column <- frame[[i + 1L]]
    missing <- is.na(column)
    if (!any(missing)) next
    column[missing] <- if (is.factor(column)) {
      levels(column)[[fill[[i]]]]
    } else if (is.logical(column)) {
      fill[[i]] == 2
    } else {
      fill[[i]]
    }
    frame[[i + 1L]] <- column
  }
  frame
}

# The training records of a split: filled in, and without those that have a missing value if so
# wished. `dropped` counts these.
training <- function(frame, train, na_action, fill) {
  found <- filled(records(frame, train), fill)
  n <- length(train)
  if (n == 0L) refuse("there is no training record")
  kept <- if (na_action == "omit") which(stats::complete.cases(found)) else seq_len(n)
  if (!length(kept)) {
    refuse("no training record is left: all ", n, " have a missing value")
  }
  if (length(kept) < n) found <- records(found, kept)
  list(data = found, dropped = n - length(kept))
}

# Leave out classes that no training record has; codes go back by label, so none is mistaken.
without_empty_classes <- function(data) {
  classes <- data[[1L]]
  present <- which(tabulate(classes, nlevels(classes)) > 0L)
  if (length(present) < nlevels(classes)) {
    data[[1L]] <- factor_of(match(as.integer(classes), present), levels(classes)[present])
  }
  data
}
