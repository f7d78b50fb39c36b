# Makes mlr3.csv by mlr3 (1.8.0, CRAN): Rscript make_mlr3.R
suppressMessages(library(mlr3))
lgr::get_logger("mlr3")$set_threshold("error")
set.seed(1)
learners <- lrns(c("classif.rpart", "classif.featureless"), predict_type = "prob")
grid <- benchmark_grid(tsks(c("sonar", "german_credit")), learners, rsmp("repeated_cv", folds = 3, repeats = 2))
scores <- benchmark(grid)$score(msrs(c("classif.auc", "classif.ce")))
plain <- as.data.frame(scores)[, !sapply(scores, is.list)]
plain$uhash <- NULL # not the same twice
write.csv(plain, "mlr3.csv", row.names = FALSE)
