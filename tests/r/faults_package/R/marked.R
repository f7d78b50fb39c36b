# A learner that predicts the most frequent class, but for what `mode` says on the splits that test
# the record whose mark is 0. `place` is a directory through which a test and a fit speak.
marked <- function(formula, data, mode, place = "") {
  classes <- stats::model.response(stats::model.frame(formula, data))
  guilty <- !any(data$mark == 0)
  if (guilty && !is.null(FIT[[mode]])) FIT[[mode]](place)
  structure(
    list(class = classes[which.max(tabulate(classes))], mode = if (guilty) mode),
    class = "marked"
  )
}

predict.marked <- function(object, newdata, ...) {
  found <- rep(object$class, nrow(newdata))
  if (is.null(object$mode)) return(found)
  switch(object$mode,
    few = found[-1L],
    unknown = ifelse(seq_along(found) == 2L, "no such class \u00e4", as.character(found)),
    missing = found[c(NA, NA, seq_along(found)[-(1:2)])],
    found
  )
}

FIT <- list(
  stop = function(place) stop("no luck at all"),
  odd = function(place) {
    stop(structure(
      class = c("odd", "error", "condition"),
      list(message = "a \u00e4\u20ac\U1F600 b\n\t'c' \"d\" \\e %s {f}\u0007 g", call = NULL)
    ))
  },
  latin1 = function(place) {
    text <- "caf\xe9"
    Encoding(text) <- "latin1"
    stop(text)
  },
  bytes = function(place) stop("bytes \xff\xfe here"),
  wordless = function(place) stop(),
  endless_message = function(place) stop(strrep("long ", 1e5)),
  strange = function(place) {
    stop(structure(class = c("strange", "error", "condition"), list(message = 1:3, call = NULL)))
  },
  interrupt = function(place) {
    stop(structure(class = c("interrupt", "condition"), list(message = "interrupted", call = NULL)))
  },
  restart = function(place) invokeRestart("abort"),
  recurse = function(place) {
    deeper <- function(n) 1 + deeper(n + 1)
    deeper(0)
  },
  recurse_in_c = function(place) {
    deeper <- function(n) vapply(n, function(each) deeper(each + 1), 0)
    deeper(0)
  },
  quit = function(place) quit(save = "no", status = 3),
  q = function(place) q("no"),
  base_quit = function(place) do.call(get("quit", envir = baseenv()), list(save = "yes")),
  null = function(place) .Call(faults_null),
  abort = function(place) .Call(faults_abort),
  signal = function(place) {
    tools::pskill(Sys.getpid(), 11L)
    Sys.sleep(60)
  },
  terminate = function(place) {
    tools::pskill(Sys.getpid(), tools::SIGTERM)
    Sys.sleep(60)
  },
  once = function(place) {
    first <- file.path(place, "once in R")
    if (file.create(paste0(first, "-", Sys.getpid())) && !file.exists(first)) {
      file.create(first)
      quit(save = "no", status = 4)
    }
  },
  endless = function(place) {
    file.create(file.path(place, paste0("R-", Sys.getpid())))
    if (!file.exists(file.path(place, "go"))) repeat {}
  },
  wait = function(place) {
    file.create(file.path(place, paste0("R-", Sys.getpid())))
    while (!file.exists(file.path(place, "go"))) Sys.sleep(0.02)
  },
  hoard = function(place) {
    hoard <- list()
    for (each in 1:16) hoard[[each]] <- rep(as.double(each), 2^23)
    Sys.sleep(60)
    hoard
  },
  vector = function(place) numeric(2^46),
  loud = function(place) {
    print("LOUD print")
    cat("LOUD cat \u00e4\n")
    cat("LOUD stderr\n", file = stderr())
    message("LOUD message")
    warning("LOUD warning")
    .Call(faults_print)
    system("echo LOUD system; echo LOUD system stderr >&2")
    writeLines("LOUD con", "/dev/stdout")
    utils::flush.console()
  },
  ask = function(place) cat("LOUD answer:", readline("LOUD question? "), "\n"),
  sink = function(place) {
    sink(file.path(tempdir(), "sunk"))
    cat("LOUD sunk\n")
  },
  offspring = function(place) system("sleep 61 & echo $! > \"$PLACE\"/offspring; sleep 62"),
  litter = function(place) {
    writeLines("left", tempfile("left"))
    dir.create(file.path(Sys.getenv("HOME"), ".cvfaults-should-not"), showWarnings = FALSE)
  }
)
