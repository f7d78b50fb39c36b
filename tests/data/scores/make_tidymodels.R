# Makes tidymodels.csv: Rscript make_tidymodels.R
# Follows the documented form of tune's collect_metrics(summarize = FALSE) for a workflow set; tune
# itself was not at hand. The names of the splits are those of rsample 1.1.1, which made them; rpart
# and the AUC are R's own.
library(rsample)
set.seed(1)
n <- 60
d <- data.frame(y = factor(rep(c("no", "yes"), n / 2)))
d$x <- rnorm(n) + (d$y == "yes")
d$z <- rnorm(n)
auc <- function(s, y) { r <- rank(s); p <- y == "yes"
  (sum(r[p]) - sum(p) * (sum(p) + 1) / 2) / (sum(p) * sum(!p)) }
splits <- vfold_cv(d, v = 3, repeats = 2)
rows <- list()
for (wflow in c("tree", "logistic")) for (at in seq_len(nrow(splits))) {
  train <- analysis(splits$splits[[at]]); test <- assessment(splits$splits[[at]])
  p <- if (wflow == "tree") predict(rpart::rpart(y ~ ., train), test)[, 2] else
    predict(glm(y ~ ., binomial, train), test, type = "response")
  each <- c(accuracy = mean((p > 0.5) == (test$y == "yes")), roc_auc = auc(p, test$y))
  rows[[length(rows) + 1]] <- data.frame(
    wflow_id = wflow, .config = "Preprocessor1_Model1", preproc = "formula", model = "x",
    id = splits$id[at], id2 = splits$id2[at], .metric = names(each), .estimator = "binary",
    .estimate = unname(each))
}
found <- do.call(rbind, rows)
found$model <- ifelse(found$wflow_id == "tree", "decision_tree", "logistic_reg")
write.csv(found, "tidymodels.csv", row.names = FALSE)
