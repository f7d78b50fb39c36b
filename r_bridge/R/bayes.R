# Naive Bayes of e1071, whose predict() goes through the records one by one, so that predictions take
# far longer than fits. This gives the same classes for all records at once.

# Sums of logarithms are added up in the same order and precision as there, feature by feature, so
# that ties and near ties come out alike. What is rare is left to the package's own way.
predict_bayes <- function(fit, test, classes = NULL) {
  scores <- bayes_scores(fit, test)
  if (is.null(scores) || anyNA(scores)) return(stats::predict(fit, test))
  found <- max.col(scores, ties.method = "first")
  factor(fit$levels[found], levels = fit$levels)
}

# log(prior) + sum of log densities: a row for each record, a column for each class; NULL where the
# model has a form that this does not know. `eps` and `threshold` are the defaults of predict().
bayes_scores <- function(fit, test, threshold = 0.001, eps = 0) {
  class_count <- length(fit$apriori)
  known <- class_count > 1L && length(fit$tables) && is.character(fit$levels) && nrow(test)
  if (!known) return(NULL)
  features <- test[names(fit$tables)]
  numeric <- vapply(features, is.numeric, NA)
  if (!all(numeric | vapply(features, is.factor, NA))) return(NULL)
  logs <- mapply(
    function(table, values, numeric) {
      density <- if (numeric) {
        bayes_density(values, table[, 1L], table[, 2L], threshold, eps)
      } else {
        t(unname(table))[as.integer(values), , drop = FALSE]
      }
      density[density <= eps] <- threshold
      density[is.na(values), ] <- 1
      log(as.vector(density))
    },
    fit$tables, features, numeric,
    SIMPLIFY = FALSE
  )
  sums <- rowSums(matrix(unlist(logs, use.names = FALSE), ncol = length(logs)))
  matrix(sums, ncol = class_count) + rep(log(as.vector(fit$apriori)), each = nrow(test))
}

# Normal densities: a row for each value, a column for each class.
bayes_density <- function(values, mean, deviation, threshold, eps) {
  deviation[deviation <= eps] <- threshold
  count <- length(values)
  each_class <- function(numbers) rep(numbers, each = count)
  found <- stats::dnorm(rep(values, length(mean)), each_class(mean), each_class(deviation))
  matrix(found, nrow = count)
}
