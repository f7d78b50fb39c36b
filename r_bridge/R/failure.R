# Faults of learners travel as values: the caller across the language border gets one line of text
# and what kind of fault it was, never a condition.

failure <- function(message, kind = "r") {
  list(error = one_line(message), kind = kind)
}

is_failure <- function(x) is.list(x) && !is.null(x[["error"]])

one_line <- function(text) {
  trimws(gsub("[[:space:]]+", " ", paste(readable(text), collapse = "; ")))
}

# Text as UTF-8; bytes that are none, which R refuses to search, are written as <ff>.
readable <- function(text) {
  text <- as.character(text)
  known <- Encoding(text) != "bytes"
  text[known] <- enc2utf8(text[known])
  iconv(text, "UTF-8", "UTF-8", sub = "byte")
}

# A fault that we found ourselves, in contrast to one that a learner raised.
refuse <- function(...) {
  stop(structure(
    class = c("cvinfer_refusal", "error", "condition"),
    list(message = paste0(...), call = NULL)
  ))
}

# The value of `code`, or a failure; a learner's own message gets the learner's name in front.
guarded <- function(code, who = NULL) {
  # Two handlers and not four: each costs as much as a small part of a fit does.
  tryCatch(code,
    Throwable = function(e) {
      failure(conditionMessage(e), if (inherits(e, "OutOfMemoryError")) "heap" else "java")
    },
    error = function(e) {
      own <- is.null(who) || inherits(e, "cvinfer_refusal")
      failure(paste0(if (!own) paste0(who, ": "), conditionMessage(e)))
    }
  )
}

# The value of `code` with the distinct warnings that it gave beside it.
with_warnings <- function(code) {
  heard <- character()
  value <- withCallingHandlers(code, warning = function(w) {
    heard <<- unique(c(heard, one_line(conditionMessage(w))))
    invokeRestart("muffleWarning")
  })
  list(value = value, warnings = heard)
}

listed <- function(words, most = 12L) {
  words <- unique(words)
  shown <- paste(utils::head(words, most), collapse = ", ")
  if (length(words) > most) paste0(shown, ", ... (", length(words), " in all)") else shown
}

# What one may have meant, in brackets-free words; empty if nothing is near.
did_you_mean <- function(word, known) {
  known <- unique(as.character(known))
  if (!length(known) || !nzchar(word)) return("")
  far <- utils::adist(word, known, ignore.case = TRUE)[1L, ]
  near <- known[far <= max(1L, nchar(word) %/% 3L) & far == min(far)]
  if (length(near)) paste0(" (did you mean ", listed(near, 3L), "?)") else ""
}
