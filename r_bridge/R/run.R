# For R users: the program cvinfer run from R, and what it found as a data frame.

cvinfer_run <- function(spec, output = tempfile("cvinfer-"), ...,
                        program = getOption("cvinfer.program", "cvinfer")) {
  said <- call_program(program, c("run", spec, "--output", output, as.character(list(...))))
  if (!said$code %in% c(0L, 3L)) {
    stop("cvinfer run ended with code ", said$code, "\n", paste(said$text, collapse = "\n"),
      call. = FALSE
    )
  }
  read_result(file.path(output, "result.json"), program)
}

compare <- function(splits, truth, ..., tests = "recommended", positive = NULL, margin = NULL,
                    alpha = 0.05, program = getOption("cvinfer.program", "cvinfer")) {
  place <- tempfile("cvinfer-")
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  write_predictions(file.path(place, "predictions.csv"), splits, truth, ...)
  options <- c(
    list(tests = if (identical(tests, "recommended")) tests else as.list(tests), alpha = alpha),
    if (!is.null(positive)) list(positive = as.character(positive)),
    if (!is.null(margin)) list(margin = margin)
  )
  spec <- file.path(place, "spec.yaml")
  lines <- c(
    "cvinfer: 1", "name: comparison", "data: {source: predictions, path: predictions.csv}",
    paste0(names(options), ": ", vapply(options, as_yaml, ""))
  )
  writeLines(enc2utf8(lines), spec, useBytes = TRUE)
  cvinfer_run(spec, file.path(place, "result"), program = program)
}

print.cvinfer_result <- function(x, ...) {
  cat(x$text, sep = "\n")
  invisible(x)
}

as.data.frame.cvinfer_result <- function(x, ...) x$rows

tidy.cvinfer_result <- function(x, ...) {
  rows <- x$rows[x$rows$kind == "comparison", , drop = FALSE]
  data.frame(
    data = rows$data, a = rows$a, b = rows$b, test = rows$name, estimate = rows$estimate,
    conf.low = rows$lower, conf.high = rows$upper, statistic = rows$statistic,
    p.value = rows$p_value, adj.p.value = rows$p_corrected, stringsAsFactors = FALSE
  )
}

glance.cvinfer_result <- function(x, ...) {
  rows <- x$rows[x$rows$kind == "comparison" & nzchar(as.character(x$rows$verdict)), , drop = FALSE]
  rows <- rows[!is.na(rows$verdict), , drop = FALSE]
  data.frame(
    data = rows$data, a = rows$a, b = rows$b, test = rows$name, verdict = rows$verdict,
    stringsAsFactors = FALSE
  )
}

read_result <- function(file, program) {
  csv <- tempfile(fileext = ".csv")
  on.exit(unlink(csv))
  made <- call_program(program, c("table", file, "--format", "csv", "-o", csv))
  if (made$code != 0L) stop(paste(made$text, collapse = "\n"), call. = FALSE)
  rows <- utils::read.csv(csv, encoding = "UTF-8", check.names = FALSE, stringsAsFactors = FALSE)
  text <- call_program(program, c("table", file, "--format", "markdown"))$text
  structure(list(rows = rows, text = text), class = "cvinfer_result")
}

# What a program said, and the code that it ended with.
call_program <- function(program, arguments) {
  if (!nzchar(Sys.which(program))) {
    stop("the program '", program, "' is not there; options(cvinfer.program = \"...\") says where it is",
      call. = FALSE
    )
  }
  text <- suppressWarnings(
    system2(program, shQuote(arguments), stdout = TRUE, stderr = TRUE)
  )
  code <- attr(text, "status")
  list(text = enc2utf8(as.character(text)), code = if (is.null(code)) 0L else as.integer(code))
}

# A value as YAML has it; text in quotes, a list in brackets.
as_yaml <- function(value) {
  if (is.list(value)) return(paste0("[", paste(vapply(value, as_yaml, ""), collapse = ", "), "]"))
  if (!is.character(value)) return(format(value, digits = 15L))
  paste0("\"", gsub("([\"\\\\])", "\\\\\\1", enc2utf8(value)), "\"")
}
