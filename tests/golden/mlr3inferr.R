# Makes the numbers of golden_mlr3inferr.py: intervals of the R package mlr3inferr and what they are
# made of. Needs mlr3 and mlr3inferr from CRAN (made with mlr3inferr 0.2.1), which the project does
# not need otherwise. Rscript tests/golden/mlr3inferr.R
suppressMessages({library(mlr3); library(mlr3inferr); library(data.table)})
lgr::get_logger("mlr3")$set_threshold("error")
say <- function(name, x) cat(name, sprintf("%.17g", x), "\n")

set.seed(3)
n <- 40
y <- factor(rep(c("no", "yes"), length.out = n))
x <- rnorm(n) + 0.8 * (y == "yes")
task <- as_task_classif(data.frame(x = x, z = rnorm(n), y = y), target = "y", positive = "yes")
learner <- lrn("classif.rpart", predict_type = "prob", minsplit = 4)

# Corrected t on the AUC of each split: no loss of a record.
rr <- resample(task, learner, rsmp("subsampling", repeats = 6, ratio = 0.75))
say("auc", rr$score(msr("classif.auc"))$classif.auc)
say("cor_t", rr$aggregate(msr("ci.cor_t", "classif.auc")))

# Conservative Z on the AUC: 4 hold-outs on all records, 3 halvings, 4 hold-outs in each half.
rr <- resample(task, learner, rsmp("paired_subsampling", repeats_in = 4, repeats_out = 3, ratio = 0.7))
say("paired", rr$score(msr("classif.auc"))$classif.auc)
say("con_z", rr$aggregate(msr("ci.con_z", "classif.auc")))

# Nested cross-validation on the errors: for each repetition the fold of each record, and for each
# outer fold the loss of every record, outer and inner ones together.
for (seed in c(1, 2)) {
  set.seed(seed)
  rr <- resample(task, learner, rsmp("ncv", folds = 4, repeats = 2))
  s <- rr$resampling
  folds <- matrix(NA, 2, n); losses <- array(NA, c(2, 4, n))
  for (i in seq_len(s$iters)) {
    at <- s$unflatten(i)
    p <- rr$predictions()[[i]]
    losses[at$rep, at$outer, p$row_ids] <- as.integer(p$truth != p$response)
    if (is.na(at$inner)) folds[at$rep, p$row_ids] <- at$outer - 1
  }
  for (r in 1:2) cat("folds", paste(folds[r, ], collapse = ""), "\n")
  for (r in 1:2) for (k in 1:4) cat("losses", paste(losses[r, k, ], collapse = ""), "\n")
  say("ncv", rr$aggregate(msr("ci.ncv", "classif.ce")))
}
