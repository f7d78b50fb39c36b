# One fit on the training records of a split and the predictions for its test records.

bridge_predict <- function(frame, learner, args, train, test, seed, na_action, fill = NULL,
                           beside = FALSE) {
  guarded(who = learner, {
    fitted_learner(frame, learner, args, train, test, seed, na_action, fill, beside)
  })
}

fitted_learner <- function(frame, learner, args, train, test, seed, na_action, fill,
                           beside = FALSE) {
  ready <- prepared(learner, args)
  entry <- ready$entry
  one_split(frame, train, test, seed, na_action, fill,
    who = learner, drop = entry$drop,
    arguments = function(classes) adapted(ready, classes),
    fit = function(data, test, arguments, classes) {
      if (entry$numeric_only) only_numbers(data, learner)
      entry$fit(ready$fun, data, test, arguments, entry$fun, classes)
    },
    predict = entry$predict,
    beside = if (beside) probabilities_by(entry)
  )
}

# How a learner's probabilities are had: function(fit, test, classes, again, prediction), where
# again(more) fits once more, from the same seed and with more arguments. The classes are there by
# then, so that this can change none of them.
probabilities_by <- function(entry) {
  if (is.null(entry$probabilities)) refuse(entry$name, " gives no probabilities")
  function(fit, test, classes, again, prediction) {
    if (length(entry$probable)) fit <- again(entry$probable)
    entry$probabilities(fit, test, classes)
  }
}

predicted_table <- function(fit, test, classes, again, prediction) {
  if (is.data.frame(prediction)) prediction <- as_scores(prediction)
  if (is.numeric(prediction) && !is.null(colnames(prediction))) return(prediction)
  refuse(
    "its predict() gives classes, no probabilities; set predict_type to what makes it give a ",
    "matrix with a column for each class"
  )
}

# A learner with its function and its checked arguments. They are the same for thousands of splits,
# and finding them takes as long as a quick fit: the last ones of each learner are kept.
last_prepared <- new.env(parent = emptyenv())

prepared <- function(learner, args) {
  known <- last_prepared[[learner]]
  if (!is.null(known) && identical(known$args, args)) return(known)
  entry <- find_learner(learner)
  made <- new.env(parent = emptyenv())
  made$args <- args
  made$entry <- entry
  made$fun <- package_function(entry$package, entry$fun)
  made$arguments <- checked_arguments(entry, args)
  last_prepared[[learner]] <- made
  made
}

# The arguments in the form that R wants, which may depend on the classes.
adapted <- function(ready, classes) {
  if (is.null(ready$classes) || !identical(ready$classes, classes)) {
    ready$classes <- NULL
    ready$adapted <- ready$entry$adapt(ready$arguments, classes)
    ready$classes <- classes
  }
  ready$adapted
}

# Many fits in one call: `train` and `test` are how many of the `numbers` each has, one fit after the
# other. What comes back is short: a vector with dropped records, seconds of the fit and of the
# prediction and codes of each fit that has no more to say; then what the others gave, and which they
# are. A fault ends the fit that it is of: the guard is set up once for all that go well.
in_rows <- function(numbers, train, test, seeds, who, fit) {
  made <- vector("list", length(seeds))
  from <- cumsum(c(0L, train + test))
  at <- 0L
  while (at < length(seeds)) {
    fault <- guarded(who = who, while (at < length(seeds)) {
      at <- at + 1L
      middle <- from[[at]] + train[[at]]
      found <- fit(numbers[seq.int(from[[at]] + 1L, length.out = train[[at]])],
        numbers[seq.int(middle + 1L, length.out = test[[at]])], seeds[[at]]
      )
      made[[at]] <- if (length(found$warnings) || !is.null(found$beside)) {
        found
      } else {
        c(found$dropped, found$seconds, found$codes)
      }
    })
    if (!is.null(fault)) made[[at]] <- fault
  }
  longer <- vapply(made, is.list, NA)
  list(as.double(unlist(made[!longer], use.names = FALSE)), made[longer], which(longer))
}

rows_of_predict <- function(frame, learner, args, na_action, fill, numbers, train, test, seeds,
                            beside = FALSE) {
  in_rows(numbers, train, test, seeds, learner, function(train, test, seed) {
    fitted_learner(frame, learner, args, train, test, seed, na_action, fill, beside)
  })
}

rows_of_predict_code <- function(frame, package, fun, type, args, na_action, fill, numbers, train,
                                 test, seeds, beside = FALSE) {
  in_rows(numbers, train, test, seeds, paste0(package, "::", fun), function(train, test, seed) {
    fitted_code(frame, package, fun, type, args, train, test, seed, na_action, fill, beside)
  })
}

bridge_predict_code <- function(frame, package, fun, type, args, train, test, seed, na_action,
                                fill = NULL) {
  guarded(who = paste0(package, "::", fun), {
    fitted_code(frame, package, fun, type, args, train, test, seed, na_action, fill)
  })
}

fitted_code <- function(frame, package, fun, type, args, train, test, seed, na_action, fill,
                        beside = FALSE) {
  found <- package_function(package, fun)
  one_split(frame, train, test, seed, na_action, fill,
    # Whether it would mislabel where a class is empty, nobody knows.
    who = paste0(package, "::", fun), drop = TRUE,
    arguments = function(classes) args,
    fit = function(data, test, arguments, classes) {
      call_formula(found, data, arguments, name = fun)
    },
    predict = function(fit, test, classes) {
      if (is.null(type)) stats::predict(fit, test) else stats::predict(fit, test, type = type)
    },
    # Whatever its predict() may be asked for: only what it gave already is known.
    beside = if (beside) predicted_table
  )
}

one_split <- function(frame, train, test, seed, na_action, fill, who, drop, arguments, fit,
                      predict, beside = NULL) {
  classes <- list(
    levels = levels(.subset2(frame, 1L)), labels = attr(frame, "class_labels", exact = TRUE),
    present = attr(frame, "class_present", exact = TRUE)
  )
  learned <- training(frame, train, na_action, fill)
  data <- learned$data
  if (drop) data <- without_empty_classes(data)
  tested <- filled(records(frame, test), fill)
  arguments <- arguments(classes)
  timed <- with_warnings({
    seeded(seed)
    start <- clock()
    model <- with_class_count(fit(data, tested, arguments, classes), data, who)
    middle <- clock()
    prediction <- predict(model, tested, classes)
    list(prediction = prediction, seconds = c(middle - start, clock() - middle), model = model)
  })
  found <- list(
    codes = codes_of(timed$value$prediction, classes$levels, length(test), who),
    seconds = timed$value$seconds,
    warnings = timed$warnings,
    dropped = learned$dropped
  )
  if (is.null(beside)) return(found)
  again <- function(more) {
    seeded(seed)
    fit(data, tested, utils::modifyList(arguments, more), classes)
  }
  more <- with_warnings({
    start <- clock()
    given <- beside(timed$value$model, tested, classes, again, timed$value$prediction)
    table <- probability_table(given, classes$levels, length(test), who)
    list(table = table, seconds = clock() - start)
  })
  found$beside <- more$value$table
  found$beside_warnings <- more$warnings
  found$seconds[[2L]] <- found$seconds[[2L]] + more$value$seconds
  found
}

# R's default generators from a seed. To name them takes longer than the seed does, and is needed
# where a learner chose others: their number is the first of the state.
own_state <- new.env(parent = emptyenv())

seeded <- function(seed) {
  now <- globalenv()[[".Random.seed"]]
  if (!is.null(own_state$generators) && identical(now[1L], own_state$generators)) {
    return(set.seed(seed))
  }
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  own_state$generators <- globalenv()[[".Random.seed"]][1L]
}

# Seconds by the clock. By its number, since a name is looked for three times in every fit.
clock <- function() .subset2(proc.time(), 3L)

# A learner's complaint about training records of one class seldom says so.
with_class_count <- function(code, data, who) {
  tryCatch(code, error = function(e) {
    present <- unique(as.character(data[[1L]]))
    if (inherits(e, "cvinfer_refusal") || length(present) > 1L) stop(e)
    refuse(
      who, ": ", conditionMessage(e), " (all ", nrow(data), " training records are of class ",
      dQuote(present, FALSE), ")"
    )
  })
}

only_numbers <- function(data, who) {
  other <- !vapply(data[-1L], function(column) is.numeric(column) || is.logical(column), NA)
  if (any(other)) {
    refuse(who, " takes numeric features only, and has no use for ", listed(names(other)[other]))
  }
}

only_known <- function(args, known, who) {
  if (length(args) && (is.null(names(args)) || any(!nzchar(names(args))))) {
    refuse(who, " takes arguments by name only")
  }
  strange <- setdiff(names(args), known)
  if (length(strange)) {
    refuse(
      who, " takes no argument ", listed(strange), did_you_mean(strange[[1L]], known),
      "; it takes ", listed(known, 60L)
    )
  }
}

# The arguments of a spec, with the defaults, after a check of names and listed values.
checked_arguments <- function(entry, args) {
  args <- as.list(args)
  only_known(args, learner_arguments(entry), entry$name)
  if (!is.null(entry$control) && !is.null(args[["control"]])) {
    control <- as.list(args[["control"]])
    # Whatever gets here stands beside the other arguments: it must not be one of them in disguise.
    only_known(control, learner_arguments(entry, entry$control), paste(entry$name, "in control"))
    args[["control"]] <- NULL
    twice <- intersect(names(control), names(args))
    if (length(twice)) {
      refuse(entry$name, ": ", listed(twice), " is given both in control and beside it")
    }
    args <- c(args, control)
  }
  lacking <- setdiff(entry$needs, names(args))
  if (length(lacking)) refuse(entry$name, " needs ", listed(lacking))
  for (each in intersect(names(args), names(entry$check))) {
    if (!identical(args[[each]] %in% entry$check[[each]], TRUE)) {
      refuse(
        entry$name, ": ", each, " must be ", paste(entry$check[[each]], collapse = " or "),
        ", not ", listed(format(args[[each]]))
      )
    }
  }
  c(args, entry$defaults[setdiff(names(entry$defaults), names(args))])
}
