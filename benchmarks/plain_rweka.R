# The plain way of benchmarks/weka.py: RWeka's own functions, one call after the other.
# Arguments: the data (class code and numbers), the splits (two lines each, numbers of the training
# and of the test records from 0), the classifier, where predictions go. Prints the seconds for all
# fits and predictions, without the start and the reading of files.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(RWeka))
data <- utils::read.table(arguments[1L])
names(data)[1L] <- "y"
data$y <- factor(data$y, levels = sort(unique(data$y)))
halves <- lapply(strsplit(readLines(arguments[2L]), " ", fixed = TRUE), as.integer)
classifier <- get(arguments[3L], envir = asNamespace("RWeka"))
made <- list()
start <- proc.time()[["elapsed"]]
for (at in seq(1L, length(halves), by = 2L)) {
  fit <- classifier(y ~ ., data[halves[[at]] + 1L, ])
  made[[length(made) + 1L]] <- predict(fit, data[halves[[at + 1L]] + 1L, ])
}
cat(proc.time()[["elapsed"]] - start, "\n")
writeLines(vapply(made, function(codes) paste(as.integer(codes) - 1L, collapse = " "), ""), arguments[4L])
