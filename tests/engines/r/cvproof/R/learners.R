# Learners for the general form: package, function, predict type.

# Always the class of the first training record; `type` says in which of R's ways.
first_class <- function(formula, data, ...) {
  classes <- stats::model.response(stats::model.frame(formula, data, na.action = NULL))
  structure(list(class = classes[[1L]], others = list(...)), class = "first_class")
}

predict.first_class <- function(object, newdata, type = "factor", ...) {
  found <- rep(object$class, nrow(newdata))
  scores <- vapply(levels(found), function(each) as.numeric(found == each), numeric(nrow(newdata)))
  switch(type,
    factor = found,
    character = as.character(found),
    scores = scores,
    cube = array(scores, c(dim(scores), 1L), c(dimnames(scores), list(NULL))),
    frame = as.data.frame(scores),
    class = list(posterior = scores, class = found),
    predictions = list(predictions = found),
    # The same labels in another order of levels, and scores in another order of columns.
    turned = factor(as.character(found), levels = rev(levels(found))),
    "turned scores" = scores[, rev(colnames(scores))],
    # What must be refused.
    numbers = as.integer(found),
    short = found[-1L],
    long = c(found, found[[1L]]),
    strange = rep("no such class", length(found)),
    nameless = unname(scores),
    none = found[rep(NA_integer_, length(found))],
    nothing = NULL,
    list = list(a = 1),
    stop("there is no type ", type)
  )
}

# Calls itself until the stack is full.
recurse <- function(formula, data, ...) {
  1 + recurse(formula, data, ...)
}

# The names of the other arguments that came, and of what kind they are, in an error.
tell <- function(formula, data, ...) {
  others <- list(...)
  kinds <- vapply(others, function(each) paste0(typeof(each), length(each)), "")
  stop("got ", paste(names(others), kinds, sep = "=", collapse = " "))
}

# Prints in every way that R has.
loud <- function(formula, data, ...) {
  print("print says it")
  cat("cat says it\n")
  message("message says it")
  warning("warning says it")
  system("echo shell says it")
  first_class(formula, data)
}
