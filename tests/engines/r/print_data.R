# What R itself says about data sets, for test_r_data.py: <package> <data set> ... as arguments.

words <- commandArgs(TRUE)[-1L]
tell <- function(...) cat(..., sep = "\t", fill = FALSE)
for (at in seq(1L, length(words), 2L)) {
  place <- new.env()
  df <- tryCatch(
    getExportedValue(words[[at]], words[[at + 1L]]),
    error = function(e) {
      data(list = words[[at + 1L]], package = words[[at]], envir = place)
      place[[words[[at + 1L]]]]
    }
  )
  if (is.matrix(df)) df <- as.data.frame(df)
  for (name in names(df)) {
    column <- df[[name]]
    kind <- if (is.ordered(column)) "ordered" else class(column)[[1L]]
    tell(words[[at + 1L]], name, kind, "levels", enc2utf8(as.character(levels(column))))
    cat("\n")
    exact <- is.double(column)
    texts <- if (exact) format(column, digits = 17, trim = TRUE) else enc2utf8(as.character(column))
    tell(words[[at + 1L]], name, kind, "values", ifelse(is.na(column), "-", texts))
    cat("\n")
  }
}
