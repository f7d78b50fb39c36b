# The ready-made learners: one call of learner() each. Every one does what the plain script
#   fit <- f(y ~ ., data = df[train, ]); predict(fit, df[test, ])
# does, with the arguments of the real functions.

registry <- new.env(parent = emptyenv())

# name      as a spec writes it, and the function of `package` unless `fun` is given
# package   the only place that names it, but for DESCRIPTION; where there is no R, name and package
#           are read from here: both are texts and stand on the first line of the call
# takes     functions (exported or not) whose arguments it takes
# control   function whose arguments it takes too, as a mapping `control` or beside the others
# refuses   arguments that the splits decide, or that would make predict() impossible
# needs     arguments without which it cannot run
# defaults  arguments that are set unless given
# drop      leave out classes that no training record has, where the function errs or mislabels
# check     list of permitted values by argument
# two_classes, two_classes_if  whether it takes two classes only: always, or with these arguments
# adapt     function(arguments, classes) that gives values of a spec the form that R wants
# fit       function(fun, data, test, arguments, name, classes)
# predict   function(fit, test, classes): whatever codes_of() understands
# probabilities  function(fit, test, classes): a matrix with the levels of its columns; NULL: none
# probable  arguments of a second fit, by itself, that probabilities() is given; classes are always
#           those of the first
# of_two    whether there are probabilities of two classes only
# `classes` holds the levels of the class column, their labels, and which levels occur in the data.
learner <- function(name, package, title, takes, control = NULL, fun = name,
                    refuses = character(), needs = character(), defaults = list(),
                    numeric_only = FALSE, two_classes = FALSE, two_classes_if = list(),
                    drop = FALSE, check = list(), adapt = function(arguments, classes) arguments,
                    fit = fit_formula, predict = predict_plain, probabilities = NULL,
                    probable = list(), of_two = FALSE) {
  registry[[name]] <- list(
    name = name, package = package, title = title, fun = fun, takes = takes, control = control,
    refuses = refuses, needs = needs, defaults = defaults, numeric_only = numeric_only,
    two_classes = two_classes, two_classes_if = two_classes_if, drop = drop, check = check,
    adapt = adapt, fit = fit, predict = predict, probabilities = probabilities,
    probable = probable, of_two = of_two
  )
  invisible(name)
}

# What no learner takes from a spec: data and records come from the split.
never_taken <- c(
  "...", "formula", "data", "x", "y", "subset", "weights", "na.action", "grouping", "train", "test",
  "cl", "xtest", "ytest", "model", "offset", "nobs", "wts"
)

fit_formula <- function(fun, data, test, arguments, name, classes) {
  call_formula(fun, data, arguments, name = name)
}

predict_plain <- function(fit, test, classes) stats::predict(fit, test)

predict_class <- function(fit, test, classes) stats::predict(fit, test, type = "class")

# A function that asks predict() for one type of answer.
of_type <- function(type) function(fit, test, classes) stats::predict(fit, test, type = type)

posterior <- function(fit, test, classes) stats::predict(fit, test)$posterior

# What nnet and multinom give: of two classes the second one's probability alone.
of_network <- function(type) {
  function(fit, test, classes) {
    given <- stats::predict(fit, test, type = type)
    if (length(fit$lev) == 2L) both_of_two(given, fit$lev) else given
  }
}

# The second class where the score is above one half, else the first.
cut_at_half <- function(score, labels) {
  labels[(as.vector(score) > 0.5) + 1L]
}

known_contrasts <- c(
  "contr.treatment", "contr.sum", "contr.helmert", "contr.poly", "contr.SAS", "contr.dummy",
  "contr.ordinal", "contr.metric"
)

# R looks contrasts up by name and calls what it finds: only the known ones are let through.
plain_contrasts <- function(arguments) {
  given <- arguments[["contrasts"]]
  if (is.null(given)) return(arguments)
  strange <- setdiff(unlist(given), known_contrasts)
  if (length(strange)) {
    refuse("contrasts has ", listed(strange), "; known are ", listed(known_contrasts))
  }
  arguments
}

contrasts_list <- function(arguments, classes) {
  arguments <- plain_contrasts(arguments)
  if (!is.null(arguments[["contrasts"]])) {
    arguments[["contrasts"]] <- as.list(arguments[["contrasts"]])
  }
  arguments
}

# Its own cross-validation only fills the column xerror of cptable, which nobody reads here: trees and
# predictions are the same without it, in half the time and less.
learner("rpart", "rpart", "Classification tree (CART); method anova: regression tree on 0/1",
  takes = "rpart", control = "rpart.control", defaults = list(xval = 0L),
  check = list(method = c("class", "anova")), two_classes_if = list(method = "anova"),
  adapt = function(arguments, classes) {
    if (is.null(arguments[["method"]])) arguments[["method"]] <- "class"
    parms <- arguments[["parms"]]
    if (is.list(parms)) {
      if (is.list(parms[["loss"]])) {
        parms[["loss"]] <- do.call(rbind, lapply(parms[["loss"]], unlist))
      }
      if (!is.null(parms[["prior"]])) {
        parms[["prior"]] <- unname(by_class(parms[["prior"]], classes, "parms: prior"))
      }
      arguments[["parms"]] <- parms
    }
    arguments[["cost"]] <- as_vector(arguments[["cost"]])
    arguments
  },
  fit = function(fun, data, test, arguments, name, classes) {
    if (identical(arguments[["method"]], "anova")) {
      second <- the_two(classes, "rpart with method anova")[[2L]]
      data[[1L]] <- as.numeric(data[[1L]] == second)
    }
    call_formula(fun, data, arguments, name = name)
  },
  predict = function(fit, test, classes) {
    if (fit$method == "anova") {
      return(cut_at_half(stats::predict(fit, test), the_two(classes, "rpart with method anova")))
    }
    stats::predict(fit, test, type = "class")
  },
  probabilities = function(fit, test, classes) {
    if (fit$method != "anova") return(stats::predict(fit, test, type = "prob"))
    both_of_two(stats::predict(fit, test), the_two(classes, "rpart with method anova"))
  }
)

learner("tree", "tree", "Classification tree of package tree",
  takes = "tree", control = "tree.control", refuses = "method",
  predict = predict_class, probabilities = of_type("vector")
)

learner("svm", "e1071", "Support vector machine (libsvm)",
  takes = c("svm.default", "svm.formula"),
  adapt = function(arguments, classes) {
    for (each in c("class.weights", "scale")) {
      arguments[[each]] <- as_vector(arguments[[each]])
    }
    if (is.numeric(arguments[["class.weights"]])) {
      weights <- by_class(arguments[["class.weights"]], classes, "class.weights")
      arguments[["class.weights"]] <- weights
    }
    arguments
  },
  probable = list(probability = TRUE),
  probabilities = function(fit, test, classes) {
    attr(stats::predict(fit, test, probability = TRUE), "probabilities")
  }
)

learner("naiveBayes", "e1071", "Naive Bayes with normal densities for numbers",
  takes = c("naiveBayes.default", "naiveBayes.formula"), predict = predict_bayes,
  probabilities = of_type("raw")
)

learner("lda", "MASS", "Linear discriminant analysis",
  takes = "lda.default", refuses = "CV",
  probabilities = posterior,
  adapt = function(arguments, classes) {
    arguments[["prior"]] <- by_class(arguments[["prior"]], classes, "prior")
    arguments
  }
)

learner("qda", "MASS", "Quadratic discriminant analysis",
  takes = "qda.default", refuses = "CV", drop = TRUE,
  probabilities = posterior,
  adapt = function(arguments, classes) {
    arguments[["prior"]] <- by_class(arguments[["prior"]], classes, "prior")
    arguments
  }
)

learner("nnet", "nnet", "Neural network with one hidden layer",
  takes = c("nnet.default", "nnet.formula"),
  refuses = c("linout", "entropy", "softmax", "censored"),
  needs = "size", defaults = list(trace = FALSE), drop = TRUE,
  adapt = contrasts_list, predict = predict_class, probabilities = of_network("raw")
)

learner("multinom", "nnet", "Multinomial logistic regression",
  takes = c("multinom", "nnet.default"),
  refuses = c("summ", "censored", "size", "linout", "entropy", "softmax", "mask", "Wts", "skip"),
  defaults = list(trace = FALSE),
  adapt = contrasts_list, predict = predict_class, probabilities = of_network("probs")
)

learner("glm", "stats", "Logistic regression (generalised linear model, two classes)",
  takes = "glm", control = "glm.control", refuses = c("method", "etastart", "mustart"),
  defaults = list(family = "binomial"), two_classes = TRUE,
  adapt = function(arguments, classes) {
    arguments[["family"]] <- binomial_family(arguments[["family"]])
    contrasts_list(arguments, classes)
  },
  fit = function(fun, data, test, arguments, name, classes) {
    # As numbers, because glm() would take a half that has the second class only for the first.
    data[[1L]] <- as.numeric(data[[1L]] == the_two(classes, "glm")[[2L]])
    call_formula(fun, data, arguments, name = name)
  },
  predict = function(fit, test, classes) {
    cut_at_half(stats::predict(fit, test, type = "response"), the_two(classes, "glm"))
  },
  probabilities = function(fit, test, classes) {
    both_of_two(stats::predict(fit, test, type = "response"), the_two(classes, "glm"))
  }
)

learner("kknn", "kknn", "Weighted k nearest neighbours",
  takes = "kknn",
  adapt = function(arguments, classes) {
    arguments <- plain_contrasts(arguments)
    arguments[["contrasts"]] <- as_vector(arguments[["contrasts"]])
    arguments
  },
  fit = function(fun, data, test, arguments, name, classes) {
    # Its contrasts are looked up by name, which R finds only while the package is attached.
    if (!"package:kknn" %in% search()) {
      attachNamespace("kknn")
      on.exit(detach("package:kknn", character.only = TRUE))
    }
    call_formula(fun, data, arguments, name = name, data_as = "train", more = list(test = test))
  },
  predict = function(fit, test, classes) stats::fitted(fit),
  probabilities = function(fit, test, classes) fit$prob
)

learner("knn", "class", "k nearest neighbours, numeric features only",
  takes = "knn", refuses = "prob", numeric_only = TRUE,
  fit = function(fun, data, test, arguments, name, classes) {
    do.call(fun, c(list(as.matrix(data[-1L]), as.matrix(test[-1L]), data[[1L]]), arguments))
  },
  predict = function(fit, test, classes) fit,
  probable = list(prob = TRUE), of_two = TRUE,
  probabilities = function(fit, test, classes) {
    two <- classes$levels[classes$present]
    if (length(two) != 2L) {
      refuse("knn tells the share of the class it predicts only, and there are ", length(two),
        " classes: no probabilities; kknn gives all of them"
      )
    }
    share <- attr(fit, "prob")
    both_of_two(ifelse(fit == two[[2L]], share, 1 - share), two)
  }
)

learner("randomForest", "randomForest", "Random forest (Breiman's)",
  probabilities = of_type("prob"),
  takes = "randomForest.default", refuses = c("keep.forest", "strata", "corr.bias"), drop = TRUE,
  adapt = function(arguments, classes) {
    for (each in c("classwt", "cutoff", "sampsize")) {
      arguments[[each]] <- by_class(arguments[[each]], classes, each)
    }
    arguments
  }
)

learner("ranger", "ranger", "Random forest (fast)",
  takes = "ranger",
  refuses = c(
    "write.forest", "case.weights", "dependent.variable.name", "status.variable.name", "quantreg",
    "inbag", "holdout", "classification", "seed", "alpha", "minprop"
  ),
  defaults = list(num.threads = 1),
  adapt = function(arguments, classes) {
    weights <- by_class(arguments[["class.weights"]], classes, "class.weights")
    arguments[["class.weights"]] <- unname(weights)
    arguments
  },
  predict = function(fit, test, classes) stats::predict(fit, test, num.threads = 1)$predictions,
  # A forest of other trees: of probabilities, and not of votes.
  probable = list(probability = TRUE),
  probabilities = function(fit, test, classes) {
    stats::predict(fit, test, num.threads = 1)$predictions
  }
)

binomial_family <- function(family) {
  allowed <- c("binomial", "quasibinomial")
  links <- c("logit", "probit", "cauchit", "log", "cloglog")
  name <- if (is.list(family)) family[["family"]] else family
  link <- if (is.list(family) && !is.null(family[["link"]])) family[["link"]] else "logit"
  if (!is.character(name) || !identical(name %in% allowed, TRUE)) {
    refuse("family must be ", paste(allowed, collapse = " or "), ", not ", listed(format(name)))
  }
  if (!is.character(link) || !identical(link %in% links, TRUE)) {
    refuse("link must be one of ", listed(links), ", not ", listed(format(link)))
  }
  switch(name,
    binomial = stats::binomial(link),
    quasibinomial = stats::quasibinomial(link)
  )
}

# The two levels that a two-class learner works with: those that occur in the data.
the_two <- function(classes, who) {
  found <- classes$levels[classes$present]
  if (length(found) != 2L) refuse(who, " needs two classes, but the data have ", length(found))
  found
}

find_learner <- function(name) {
  entry <- registry[[name]]
  if (is.null(entry)) {
    refuse(
      "there is no ready-made learner ", name, did_you_mean(name, names(registry)), "; there are ",
      listed(sort(names(registry)), 50L)
    )
  }
  entry
}

# Every argument that a learner takes, or only those that go to `functions`.
learner_arguments <- function(entry, functions = c(entry$takes, entry$control)) {
  taken <- function(fun) names(formals(package_function(entry$package, fun)))
  found <- unlist(lapply(functions, taken))
  setdiff(unique(found), c(never_taken, entry$refuses))
}

bridge_learners <- function() {
  guarded(lapply(unname(mget(sort(names(registry)), envir = registry)), function(entry) {
    reason <- package_fault(entry$package)
    list(
      name = entry$name, package = entry$package, title = entry$title,
      arguments = if (is.null(reason)) learner_arguments(entry) else character(),
      required = entry$needs, numeric_only = entry$numeric_only, two_classes = entry$two_classes,
      two_classes_if = entry$two_classes_if, values = entry$check,
      probabilities = gives_probabilities(entry),
      available = is.null(reason), reason = reason
    )
  }))
}

# Of how many classes a learner gives probabilities, in a word.
gives_probabilities <- function(entry) {
  if (is.null(entry$probabilities)) return("none")
  if (entry$of_two) "of two" else "all"
}

package_fault <- function(package) {
  tryCatch(
    {
      loadNamespace(package)
      NULL
    },
    packageNotFoundError = function(e) paste("R package", package, "is not installed"),
    error = function(e) {
      one_line(paste0("R package ", package, " does not load: ", conditionMessage(e)))
    }
  )
}

bridge_arguments <- function(package, fun) {
  guarded({
    found <- package_function(package, fun)
    as.character(names(formals(args(found))))
  })
}

# Every fault of the arguments that can be known without data; NULL where there is none.
bridge_check <- function(learner, args, classes = NULL) {
  guarded(who = learner, {
    entry <- find_learner(learner)
    if (!is.null(fault <- package_fault(entry$package))) refuse(fault)
    arguments <- checked_arguments(entry, args)
    labels <- if (!is.null(classes)) enc2utf8(classes)
    entry$adapt(arguments, list(levels = labels, labels = labels))
    NULL
  })
}
