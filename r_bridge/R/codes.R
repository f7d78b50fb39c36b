# What predict() gives is not one thing; these turn all forms that name classes into class codes.

# Codes into `labels` of the `n` test records, NA where there is no prediction.
codes_of <- function(prediction, labels, n, who) {
  if (is.data.frame(prediction)) prediction <- as_scores(prediction)
  if (is.list(prediction)) {
    inside <- intersect(c("class", "predictions"), names(prediction))
    if (!length(inside)) {
      refuse(
        who, ": predict() gave a list without class or predictions (it has ",
        listed(names(prediction)), ")"
      )
    }
    return(codes_of(prediction[[inside[[1L]]]], labels, n, who))
  }
  shape <- dim(prediction)
  if (length(shape) == 3L && shape[[3L]] == 1L) {
    prediction <- matrix(prediction, shape[[1L]], shape[[2L]],
      dimnames = dimnames(prediction)[1:2]
    )
    shape <- dim(prediction)
  }
  if (is.character(prediction) && (is.null(shape) || (length(shape) == 2L && shape[[2L]] == 1L))) {
    return(label_codes(as.vector(prediction), labels, n, who))
  }
  if (is.factor(prediction)) return(factor_codes(prediction, labels, n, who))
  if (is.numeric(prediction) && length(shape) == 2L) {
    return(score_codes(prediction, labels, n, who))
  }
  refuse(
    who, ": predict() gave ", described(prediction), "; class labels are needed, or a matrix of ",
    "scores with a column for each class"
  )
}

as_scores <- function(frame) {
  if (all(vapply(frame, is.numeric, NA))) return(as.matrix(frame))
  if (length(frame) == 1L) frame[[1L]] else as.list(frame)
}

described <- function(x) {
  if (is.null(x)) return("nothing")
  shape <- if (length(dim(x))) paste(dim(x), collapse = " x ") else length(x)
  paste0("an object of class ", paste(class(x), collapse = "/"), " (", shape, ")")
}

count_matters <- function(found, n, who) {
  if (found != n) {
    refuse(
      who, " gave ", found, " predictions for ", n, " test records",
      if (found < n) "; some functions drop records with missing values"
    )
  }
}

label_codes <- function(found, labels, n, who) {
  count_matters(length(found), n, who)
  codes <- match(enc2utf8(found), labels)
  strange <- is.na(codes) & !is.na(found)
  if (any(strange)) {
    refuse(who, " predicts ", listed(dQuote(found[strange], FALSE)), ", which is no class")
  }
  codes
}

factor_codes <- function(found, labels, n, who) {
  count_matters(length(found), n, who)
  # Levels are few and records many: match the levels only.
  codes <- match(enc2utf8(levels(found)), labels)[as.integer(found)]
  strange <- is.na(codes) & !is.na(found)
  if (any(strange)) {
    refuse(who, " predicts ", listed(dQuote(found[strange], FALSE)), ", which is no class")
  }
  codes
}

# Probabilities as one row of numbers: a column for each of the `labels`, one after the other. A
# class that the learner does not know has probability 0.
probability_table <- function(given, labels, n, who) {
  shape <- dim(given)
  if (length(shape) == 3L && shape[[3L]] == 1L) {
    given <- matrix(given, shape[[1L]], shape[[2L]], dimnames = dimnames(given)[1:2])
  }
  # Some functions drop the dimensions of a single record.
  if (is.null(dim(given)) && n == 1L) {
    given <- matrix(given, 1L, dimnames = list(NULL, names(given)))
  }
  count_matters(NROW(given), n, who)
  called <- as.character(colnames(given))
  column <- match(enc2utf8(called), labels)
  whole <- is.numeric(given) && length(column) == NCOL(given)
  if (!whole || anyNA(column) || anyDuplicated(column)) {
    refuse(
      who, " gave probabilities as ", described(given), " whose columns (", listed(called),
      ") are not the classes"
    )
  }
  table <- matrix(0, n, length(labels))
  table[, column] <- given
  as.double(table)
}

# The two columns of a learner that tells how probable the second class is.
both_of_two <- function(second, labels) {
  second <- as.vector(second)
  matrix(c(1 - second, second), length(second), dimnames = list(NULL, labels))
}

score_codes <- function(scores, labels, n, who) {
  count_matters(nrow(scores), n, who)
  column <- match(enc2utf8(as.character(colnames(scores))), labels)
  if (length(column) != ncol(scores) || anyNA(column) || anyDuplicated(column)) {
    refuse(
      who, ": predict() gave a matrix whose columns (", listed(as.character(colnames(scores))),
      ") are not the classes"
    )
  }
  best <- rep(NA_integer_, n)
  known <- which(!is.na(rowSums(scores)))
  best[known] <- max.col(scores[known, , drop = FALSE], ties.method = "first")
  column[best]
}
