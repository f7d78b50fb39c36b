# Calls are made of values, never of text. The data stand in an environment under a name, so that
# functions that keep or print their call hold a symbol and not the whole data.

# fun(formula, data = data, ...), where `formula` is <class column> ~ . ; parent.frame() of the
# function is a fresh environment that holds no more than `data`.
call_formula <- function(fun, data, arguments, name = "fun", data_as = "data", more = list()) {
  place <- list2env(c(list(data = data), more), parent = globalenv())
  assign(name, fun, envir = place)
  formula <- stats::reformulate(".", response = as.name(names(data)[[1L]]), env = place)
  fixed <- list(formula, as.name("data"))
  names(fixed) <- c("formula", data_as)
  others <- lapply(names(more), as.name)
  names(others) <- names(more)
  eval(as.call(c(list(as.name(name)), fixed, others, arguments)), place)
}

# A function of a package, exported or not, without attaching the package.
package_function <- function(package, fun) {
  if (!requireNamespace(package, quietly = TRUE)) {
    refuse("R package ", package, " is not installed")
  }
  found <- get0(fun, envir = asNamespace(package), mode = "function", inherits = FALSE)
  if (is.null(found)) {
    refuse(
      "R package ", package, " has no function ", fun,
      did_you_mean(fun, getNamespaceExports(package))
    )
  }
  found
}

# A list of plain values (as a spec writes them) as a vector with names; other things as they are.
as_vector <- function(value) {
  if (is.list(value) && length(value) && all(lengths(value) == 1L)) unlist(value) else value
}

# Numbers per class, given by label or in the order of the classes, as a vector in that order.
by_class <- function(value, classes, what) {
  value <- as_vector(value)
  if (is.null(names(value)) || !is.numeric(value) || is.null(classes$labels)) return(value)
  at <- match(enc2utf8(names(value)), classes$labels)
  if (anyNA(at)) {
    refuse(
      what, " names ", listed(dQuote(names(value)[is.na(at)], FALSE)), ", which is no class; ",
      "the classes are ", listed(dQuote(classes$labels, FALSE))
    )
  }
  names(value) <- classes$levels[at]
  value[order(at)]
}
