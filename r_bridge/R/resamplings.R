# For R users: resamplings of rsample and mlr3 as splits of cvinfer, and the other way round.

as_splits <- function(x, ...) UseMethod("as_splits")

as_splits.default <- function(x, ...) {
  stop("no splits can be made of ", class(x)[[1L]],
    "; as_splits() takes resamplings of rsample and mlr3",
    call. = FALSE
  )
}

as_splits.rset <- function(x, scheme = NULL, folds = NULL, ...) {
  sets <- lapply(x$splits, function(split) {
    list(train = as.integer(split, data = "analysis"), test = as.integer(split, data = "assessment"))
  })
  if (inherits(x, "manual_rset") && is.null(scheme)) {
    return(named_splits(sets, as.character(x$id), "manual_rset()"))
  }
  schemes <- c(
    vfold_cv = if ("id2" %in% names(x)) "repeated_kfold" else "kfold", loo_cv = "loo",
    mc_cv = "repeated_holdout", validation_split = "holdout"
  )
  found <- intersect(class(x), names(schemes))
  if (is.null(scheme) && !length(found)) no_scheme(class(x)[[1L]])
  if (is.null(scheme)) scheme <- schemes[[found[[1L]]]]
  if (is.null(folds) && "id2" %in% names(x)) folds <- length(unique(x$id2))
  numbered_splits(sets, scheme, folds)
}

as_splits.rsplit <- function(x, scheme = "holdout", ...) {
  test <- as.integer(x, data = "assessment")
  numbered_splits(list(list(train = as.integer(x, data = "analysis"), test = test)), scheme, NULL)
}

as_splits.Resampling <- function(x, scheme = NULL, folds = NULL, ...) {
  if (!isTRUE(x$is_instantiated)) {
    stop("the resampling has no splits yet: resampling$instantiate(task) draws them", call. = FALSE)
  }
  sets <- lapply(seq_len(x$iters), function(at) {
    list(train = as.integer(x$train_set(at)), test = as.integer(x$test_set(at)))
  })
  if (max(unlist(sets)) > x$task_nrow) {
    stop("the task has rows ", max(unlist(sets)), " and ", x$task_nrow,
      " in all: rows of a task that was filtered are no numbers of records",
      call. = FALSE
    )
  }
  named <- if (inherits(x, "ResamplingCustom")) names(x$instance$train)
  if (is.null(scheme) && !is.null(named)) return(named_splits(sets, named, "rsmp(\"custom\")"))
  schemes <- c(
    cv = "kfold", custom_cv = "kfold", repeated_cv = "repeated_kfold", loo = "loo",
    subsampling = "repeated_holdout", holdout = "holdout"
  )
  if (is.null(scheme) && !x$id %in% names(schemes)) no_scheme(paste("resampling", x$id))
  if (is.null(scheme)) scheme <- schemes[[x$id]]
  if (is.null(folds) && x$id == "repeated_cv") folds <- x$param_set$values$folds
  numbered_splits(sets, scheme, folds)
}

as_rsample <- function(splits, data) {
  wanted("rsample")
  checked_records(splits, nrow(data))
  made <- lapply(splits, function(split) {
    rsample::make_splits(list(analysis = split$train, assessment = split$test), data = data)
  })
  rsample::manual_rset(unname(made), names_of(splits))
}

as_mlr3 <- function(splits, task) {
  wanted("mlr3")
  checked_records(splits, task$nrow)
  rows <- task$row_ids
  called <- names_of(splits)
  sets <- function(of) stats::setNames(lapply(splits, function(split) rows[split[[of]]]), called)
  resampling <- mlr3::rsmp("custom")
  resampling$instantiate(task, sets("train"), sets("test"))
  resampling
}

# Splits in the order of replications, each of as many folds.
numbered_splits <- function(sets, scheme, folds) {
  if (is.null(folds)) folds <- if (scheme %in% c("repeated_holdout", "holdout")) 1L else length(sets)
  if (length(sets) %% folds) {
    stop(length(sets), " splits are no replications of ", folds, " folds each", call. = FALSE)
  }
  at <- seq_along(sets) - 1L
  splits_of(sets, scheme, at %/% folds + 1L, at %% folds + 1L)
}

# Splits that are called SCHEME:REPLICATION:FOLD, as those of read_splits() are.
named_splits <- function(sets, called, what) {
  parts <- strsplit(called, ":", fixed = TRUE)
  if (!all(lengths(parts) == 3L)) no_scheme(what)
  part <- function(at) vapply(parts, `[[`, "", at)
  splits_of(sets, part(1L), part(2L), part(3L))
}

splits_of <- function(sets, scheme, replication, fold) {
  splits <- Map(
    function(set, scheme, replication, fold) {
      list(
        scheme = scheme, replication = replication, fold = fold, train = sort(set$train),
        test = set$test
      )
    },
    sets, scheme, as.character(replication), as.character(fold),
    USE.NAMES = FALSE
  )
  stats::setNames(splits, names_of(splits))
}

names_of <- function(splits) {
  vapply(splits, function(split) paste(split$scheme, split$replication, split$fold, sep = ":"), "",
    USE.NAMES = FALSE
  )
}

no_scheme <- function(what) {
  stop(what, " is no scheme that cvinfer has a test for; if it is one all the same, `scheme` and ",
    "`folds` say which, such as scheme = \"repeated_kfold\", folds = 10",
    call. = FALSE
  )
}

wanted <- function(package) {
  if (!requireNamespace(package, quietly = TRUE)) {
    stop("the package ", package, " is not installed", call. = FALSE)
  }
}
