# The same predictions, record by record, as a plain script with RWeka.

sets <- list(
  HouseVotes84 = "Class", Soybean = "Class", Ionosphere = "Class", Vehicle = "Class",
  LetterRecognition = "lettr"
)
classifiers <- c(
  J48 = "trees.J48", JRip = "rules.JRip", SMO = "functions.SMO", Logistic = "functions.Logistic",
  IBk = "lazy.IBk"
)

# RWeka starts the JVM when it is loaded, with its own parameters: ours comes first.
with_rweka <- function() {
  weka()
  skip_if_not_installed("RWeka")
}

plain <- function(name, data, class, split, control = RWeka::Weka_control(), pass = FALSE) {
  fitter <- getExportedValue("RWeka", name)
  formula <- stats::reformulate(".", as.name(class))
  fit <- if (pass) {
    fitter(formula, data[split$train, ], na.action = na.pass, control = control)
  } else {
    fitter(formula, data[split$train, ], control = control)
  }
  match(as.character(predict(fit, data[split$test, ])), levels(data[[class]]))
}

for (each in names(sets)) {
  local({
    set <- each
    test_that(paste("RWeka's predictions on", set), {
      with_rweka()
      data <- of_mlbench(set)
      if (set == "LetterRecognition") data <- data[1:500, ]
      # With 19 classes every fit on all of it takes seconds.
      if (set == "Soybean") data <- data[seq(1, nrow(data), 4), ]
      class <- sets[[set]]
      handle <- bridge_weka_load(as_frame(data, class))
      for (name in names(classifiers)) {
        limited <- name == "Logistic"
        control <- if (limited) RWeka::Weka_control(M = 5) else RWeka::Weka_control()
        options <- if (limited) c("-M", "5") else character()
        splits <- halves(nrow(data))
        for (split in splits) {
          run <- function(na_action) {
            bridge_weka_predict(handle, paste0("weka.classifiers.", classifiers[[name]]), options,
              split$train, split$test, 1L,
              seeding = "none", na_action = na_action
            )
          }
          got <- run("omit")
          expect_identical(got$codes, plain(name, data, class, split, control), info = name)
          expect_identical(got$dropped, sum(!complete.cases(data[split$train, ])))
          if (anyNA(data) && identical(split, splits[[1]])) {
            want <- plain(name, data, class, split, control, pass = TRUE)
            got <- run("pass")
            expect_identical(got$codes, want, info = paste(name, "with missing values"))
            expect_identical(got$dropped, 0L)
          }
        }
      }
    })
  })
}

test_that("RWeka's predictions with seeds, flags, logicals and ordered factors", {
  with_rweka()
  set.seed(5)
  data <- data.frame(
    y = factor(sample(c("a", "b", "c"), 200, TRUE), c("c", "b", "a", "never")),
    n = rnorm(200), l = sample(c(TRUE, FALSE), 200, TRUE),
    o = factor(sample(c("lo", "mid", "hi"), 200, TRUE), c("lo", "mid", "hi"), ordered = TRUE)
  )
  data$n <- data$n + as.integer(data$y) + data$l
  handle <- bridge_weka_load(as_frame(data, "y"))
  split <- halves(200L, 1L)[[1]]
  run <- function(class, options, seed = 1L, seeding = "none") {
    bridge_weka_predict(
      handle, paste0("weka.classifiers.", class), options, split$train, split$test, seed, seeding
    )$codes
  }
  expect_identical(
    run("rules.JRip", character(), 9L, "fit"),
    plain("JRip", data, "y", split, RWeka::Weka_control(S = 9))
  )
  expect_identical(
    run("trees.J48", c("-U", "-M", "5")),
    plain("J48", data, "y", split, RWeka::Weka_control(U = TRUE, M = 5))
  )
  expect_identical(
    run("meta.AdaBoostM1", c("-W", "weka.classifiers.trees.J48", "--", "-C", "0.1"), 4L, "auto"),
    plain("AdaBoostM1", data, "y", split, RWeka::Weka_control(S = 4, W = list("J48", C = 0.1)))
  )
  expect_identical(
    run("meta.Bagging", character(), 4L, "auto"),
    plain("Bagging", data, "y", split, RWeka::Weka_control(S = 4))
  )
})
