# The JVM starts once in a process, with the parameters of that moment.

weka <- function() {
  # Packages on top of rJava start the JVM when they are loaded: only look whether they are there.
  for (package in c("rJava", "RWekajars")) {
    if (!nzchar(system.file(package = package))) testthat::skip(paste("there is no", package))
  }
  if (!nzchar(system.file("java", "cvinfer.jar", package = "cvinfer"))) {
    testthat::skip("cvinfer was installed without its Java part")
  }
  testthat::expect_true(bridge_weka_start(c("-Xmx512m", "-XX:+UseSerialGC")))
}

# R code in a process of its own, for what would end or spoil this one: its status and output.
elsewhere <- function(code, ...) {
  script <- tempfile(fileext = ".R")
  # What is called from Python is not exported.
  all <- "invisible(list2env(as.list(asNamespace('cvinfer')), globalenv()))"
  writeLines(c(sprintf(".libPaths(%s)", deparse1(.libPaths())), all, code), script)
  out <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(c(script, ...))),
    stdout = TRUE, stderr = TRUE
  ))
  status <- attr(out, "status")
  list(status = if (is.null(status)) 0L else status, out = out)
}
