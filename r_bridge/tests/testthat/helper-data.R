# Data sets, splits, and the way from a data frame to bridge_frame() that a caller takes.

type_of <- function(column) {
  if (is.ordered(column)) {
    "ordered"
  } else if (is.factor(column)) {
    "factor"
  } else if (is.logical(column)) {
    "logical"
  } else {
    "numeric"
  }
}

values_of <- function(column) {
  switch(type_of(column),
    numeric = as.double(column),
    logical = as.integer(column) + 1L,
    as.integer(column)
  )
}

as_frame <- function(data, class) {
  features <- data[setdiff(names(data), class)]
  bridge_frame(
    unname(lapply(features, values_of)), names(features),
    unname(vapply(features, type_of, "")), unname(lapply(features, levels)),
    as.integer(data[[class]]), class, levels(data[[class]])
  )
}

of_mlbench <- function(name, rows = NULL) {
  testthat::skip_if_not_installed("mlbench")
  place <- new.env()
  utils::data(list = name, package = "mlbench", envir = place)
  data <- place[[name]]
  if (is.null(rows)) data else data[seq_len(rows), ]
}

halves <- function(n, times = 2L) {
  set.seed(20240)
  lapply(seq_len(times), function(i) {
    train <- sort(sample(n, n %/% 2L))
    list(train = train, test = setdiff(seq_len(n), train))
  })
}

seeded <- function(seed) {
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
}

expect_fault <- function(result, pattern, kind = "r") {
  testthat::expect_named(result, c("error", "kind"))
  testthat::expect_match(result$error, pattern)
  testthat::expect_identical(result$kind, kind)
  testthat::expect_false(grepl("\n", result$error))
}

expect_mostly <- function(codes, truth, least, name) {
  right <- mean(codes == truth)
  testthat::expect(
    isTRUE(right > least), paste0(name, ": ", right, " are right, but more than ", least, " should")
  )
}

small <- function() {
  set.seed(7)
  data.frame(
    y = factor(rep(c("a", "b", "c"), each = 20L)),
    u = rnorm(60) + rep(c(0, 2, 4), each = 20L),
    v = rnorm(60),
    f = factor(sample(c("p", "q", "r"), 60, TRUE))
  )
}
