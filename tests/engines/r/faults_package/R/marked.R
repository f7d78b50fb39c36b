# A learner that predicts the most frequent class, but for what `mode` says on the splits that test
# the record whose mark is 0. `place` is a directory through which a test and a fit speak.
marked <- function(formula, data, mode, place = "") {
  classes <- stats::model.response(stats::model.frame(formula, data))
  guilty <- !any(data$mark == 0)
  if (guilty && !is.null(ACTS[[mode]])) ACTS[[mode]](place)
  structure(
    list(class = classes[which.max(tabulate(classes))], mode = if (guilty) mode else "none"),
    class = "marked"
  )
}

predict.marked <- function(object, newdata, ...) {
  found <- rep(object$class, nrow(newdata))
  switch(object$mode,
    few = found[-1L],
    unknown = ifelse(seq_along(found) == 2L, "no such class \u00e4", as.character(found)),
    missing = found[c(NA, NA, seq_along(found)[-(1:2)])],
    found
  )
}

tell <- function(place) file.create(file.path(place, paste0("R-", Sys.getpid())))

may_go <- function(place) file.exists(file.path(place, "go"))

ACTS <- list(
  stop = function(place) stop("no luck at all"),
  odd = function(place) {
    stop(structure(
      class = c("odd", "error", "condition"),
      list(message = "a \u00e4\u20ac\U1F600 b\n\t'c' \"d\" \\e %s {f} g", call = NULL)
    ))
  },
  bytes = function(place) stop("bytes \xff\xfe here"),
  wordless = function(place) stop(),
  recurse = function(place) {
    deeper <- function(n) 1 + deeper(n + 1)
    deeper(0)
  },
  recurse_in_c = function(place) {
    deeper <- function(n) vapply(n, function(each) deeper(each + 1), 0)
    deeper(0)
  },
  vector = function(place) numeric(2^46),
  quit = function(place) quit(save = "no", status = 3),
  q = function(place) q("no"),
  hidden_quit = function(place) do.call(get("quit", envir = baseenv()), list(save = "yes")),
  null = function(place) .Call(faults_null),
  abort = function(place) .Call(faults_abort),
  signal = function(place) {
    tools::pskill(Sys.getpid(), 11L)
    Sys.sleep(60)
  },
  once = function(place) {
    first <- !length(list.files(place))
    tell(place)
    if (first) quit(save = "no", status = 4)
  },
  endless = function(place) {
    tell(place)
    if (!may_go(place)) repeat {}
  },
  wait = function(place) {
    tell(place)
    while (!may_go(place)) Sys.sleep(0.02)
  },
  # A gigabyte.
  hoard = function(place) {
    hoard <- lapply(1:16, function(each) rep(as.double(each), 2^23))
    Sys.sleep(60)
    hoard
  },
  loud = function(place) {
    print("LOUD print")
    cat("LOUD cat \u00e4\n")
    cat("LOUD stderr\n", file = stderr())
    message("LOUD message")
    warning("heard and told")
    .Call(faults_print)
    system("echo LOUD system; echo LOUD system error >&2")
    cat("LOUD connection\n", file = "/dev/stdout", append = TRUE)
    cat("LOUD answer:", readline("LOUD question? "), "\n")
  }
)
