# Learners of Weka: the JVM of this process, the data converted once, one Java call per fit.

session <- new.env(parent = emptyenv())

# What a JVM must be started with by whoever does so before rJava, which then takes that one.
bridge_weka_jvm <- function(parameters = character()) {
  guarded(who = "Java", {
    if (!requireNamespace("rJava", quietly = TRUE)) refuse(package_fault("rJava"))
    list(
      parameters = jvm_parameters(parameters),
      class_path = system.file("java", "boot", package = "rJava")
    )
  })
}

bridge_weka_start <- function(parameters = character(), jars = character()) {
  guarded(who = "Java", {
    own <- own_jar()
    weka <- weka_jar()
    if (!requireNamespace("rJava", quietly = TRUE)) refuse(package_fault("rJava"))
    # Weka would make ~/wekafiles and look for settings there, which are no part of an experiment.
    if (!nzchar(Sys.getenv("WEKA_HOME"))) Sys.setenv(WEKA_HOME = file.path(tempdir(), "weka"))
    rJava::.jinit(c(weka, own, jars), parameters = jvm_parameters(parameters))
    rJava::.jcall("cvinfer/Classifiers", "V", "start")
    session$jars <- c(weka, jars)
    session$classes <- NULL
    TRUE
  })
}

# The parameters of the JVM: ours first, so that those given have the last word.
jvm_parameters <- function(given) {
  c(
    "-Xmx512m",
    # Signals and the end of the process belong to R or to what embeds it.
    "-Xrs",
    "-Djava.awt.headless=true",
    # Nothing is left behind: neither statistics of the JVM nor reports of its crashes.
    "-XX:-UsePerfData", "-XX:+DisableAttachMechanism",
    paste0("-XX:ErrorFile=", file.path(tempdir(), "java_error_%p.log")),
    paste0("-Djava.io.tmpdir=", tempdir()),
    # XML that names files or addresses is read without them.
    paste0("-Djavax.xml.accessExternal", c("DTD", "Schema", "Stylesheet"), "="),
    # Weka asks no server for packages.
    "-Dweka.packageManager.offline=true",
    # Weka adds the matrix library inside its jar through a door that Java 16 closed; without it
    # some learners fail. Java 8 does not know the door, hence the first of the two.
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    # The same arithmetic on every machine, whatever native libraries there are.
    paste0("-Dcom.github.fommil.netlib.", c("BLAS", "LAPACK", "ARPACK"),
      "=com.github.fommil.netlib.F2j", c("BLAS", "LAPACK", "ARPACK")
    ),
    given
  )
}

own_jar <- function() {
  jar <- system.file("java", "cvinfer.jar", package = "cvinfer")
  if (nzchar(jar)) return(jar)
  note <- system.file("java", "MISSING", package = "cvinfer")
  refuse(
    "R package cvinfer has no Java part: ",
    if (nzchar(note)) readLines(note, warn = FALSE)[[1L]] else "it was not compiled",
    "; install it again when that is there"
  )
}

weka_jar <- function() {
  jar <- system.file("java", "weka.jar", package = "RWekajars")
  if (!nzchar(jar)) refuse("R package RWekajars, which holds Weka, is not installed")
  jar
}

started <- function() {
  if (is.null(session$jars)) refuse("Weka was not started: call bridge_weka_start() first")
}

bridge_weka_load <- function(frame) {
  guarded({
    started()
    levels <- lapply(frame, weka_levels)
    # As they were written: where Weka draws random numbers, the text of a record seeds them.
    levels[[1L]] <- attr(frame, "class_labels", exact = TRUE)
    counts <- vapply(levels, function(each) if (is.null(each)) -1L else length(each), 1L)
    values <- unlist(lapply(frame, weka_values), use.names = FALSE)
    list(data = rJava::.jcall("cvinfer/Data", "Lcvinfer/Data;", "of",
      rJava::.jarray(names(frame)), rJava::.jarray(unname(counts)),
      rJava::.jarray(as.character(unlist(levels, use.names = FALSE))), rJava::.jarray(values),
      nrow(frame)
    ))
  })
}

weka_levels <- function(column) {
  if (is.logical(column)) return(c("FALSE", "TRUE"))
  if (is.factor(column)) levels(column)
}

weka_values <- function(column) {
  if (is.factor(column)) column <- as.integer(column) - 1L
  column <- as.double(column)
  column[is.na(column)] <- NaN
  column
}

bridge_weka_predict <- function(handle, class, options, train, test, seed, seeding = "auto",
                                na_action = "omit", fill = NULL) {
  guarded({
    how <- seeding_code(seeding)
    found <- rJava::.jcall("cvinfer/Bridge", "[D", "predict", handle$data, class,
      rJava::.jarray(as.character(options)), rJava::.jarray(as.integer(train)),
      rJava::.jarray(as.integer(test)), as.integer(seed), how, identical(na_action, "omit"),
      rJava::.jarray(as.double(fill))
    )
    if (found[[1L]] != 0) {
      weka_failure(class, found[[1L]], rJava::.jcall("cvinfer/Bridge", "S", "message"))
    } else {
      list(
        codes = as.integer(found[-(1:4)]), seconds = found[2:3], warnings = character(),
        dropped = as.integer(found[[4L]])
      )
    }
  })
}

# The same for many fits in one call of Java; see in_rows().
rows_of_weka_predict <- function(handle, class, options, seeding, na_action, fill, numbers, train,
                                 test, seeds, beside = FALSE) {
  made <- guarded({
    found <- rJava::.jcall("cvinfer/Bridge", "[D", "predictAll", handle$data, class,
      rJava::.jarray(as.character(options)), rJava::.jarray(numbers), rJava::.jarray(train),
      rJava::.jarray(test), rJava::.jarray(seeds), seeding_code(seeding),
      identical(na_action, "omit"), rJava::.jarray(as.double(fill)), beside
    )
    status <- rJava::.jcall("cvinfer/Bridge", "[I", "statuses")
    faults <- which(status != 0L)
    said <- if (length(faults)) rJava::.jcall("cvinfer/Bridge", "[S", "messages")
    made <- list(found, unname(Map(weka_failure, class, status[faults], said)), faults)
    if (beside) with_distributions(made, status, test) else made
  })
  if (!is_failure(made)) return(made)
  list(double(), rep(list(made), length(seeds)), seq_along(seeds))
}

# Each fit by itself, with the distributions of its test records: a column for each class, one after
# the other.
with_distributions <- function(made, status, test) {
  rows <- made[[1L]]
  tables <- rJava::.jcall("cvinfer/Bridge", "[D", "distributions")
  fine <- which(status == 0L)
  width <- if (length(fine)) length(tables) / sum(test[fine])
  all <- vector("list", length(status))
  all[made[[3L]]] <- made[[2L]]
  row <- table <- 0L
  for (at in fine) {
    n <- test[[at]]
    all[[at]] <- list(
      codes = as.integer(rows[row + 3L + seq_len(n)]), seconds = rows[row + 2:3],
      warnings = character(), dropped = as.integer(rows[[row + 1L]]),
      beside = tables[table + seq_len(n * width)]
    )
    row <- row + 3L + n
    table <- table + n * width
  }
  list(double(), all, seq_along(all))
}

seeding_code <- function(seeding) {
  how <- match(seeding, c("none", "auto", "fit"))
  if (is.na(how)) refuse("seeding must be none, auto or fit, not ", seeding)
  how - 1L
}

weka_failure <- function(class, status, message) {
  failure(paste0(simple_name(class), ": ", message), c("r", "java", "heap")[[status]])
}

bridge_weka_check <- function(class, options) {
  guarded({
    started()
    found <- rJava::.jcall(
      "cvinfer/Classifiers", "[S", "check", class, rJava::.jarray(as.character(options))
    )
    if (length(found)) {
      message <- one_line(found[[1L]])
      # Only what is no classifier at all has no options to list.
      if (length(found) == 1L) message <- paste0(message, near_classifiers(class))
      list(message = message, allowed = found[-1L])
    }
  })
}

# Words of the options that lead to files or to the network; found without setting any option.
bridge_weka_outside <- function(class, options) {
  guarded({
    started()
    rJava::.jcall("cvinfer/Reach", "[S", "outside", rJava::.jarray(session$jars), class,
      rJava::.jarray(as.character(options))
    )
  })
}

bridge_weka_resolve <- function(name) {
  guarded({
    started()
    known <- weka_classes()
    if (grepl(".", name, fixed = TRUE)) usable(name) else usable(known[simple_name(known) == name])
  })
}

weka_classes <- function() {
  if (is.null(session$classes)) {
    session$classes <- rJava::.jcall(
      "cvinfer/Classifiers", "[S", "classes", rJava::.jarray(session$jars)
    )
  }
  session$classes
}

# Those that are classifiers and can be made.
usable <- function(classes) {
  rJava::.jcall("cvinfer/Classifiers", "[S", "usable", rJava::.jarray(as.character(classes)))
}

simple_name <- function(class) sub("^.*\\.", "", class)

near_classifiers <- function(class) {
  known <- weka_classes()
  far <- utils::adist(simple_name(class), simple_name(known), ignore.case = TRUE)[1L, ]
  near <- which(far <= max(1L, nchar(simple_name(class)) %/% 3L))
  near <- usable(known[near[order(far[near])]])
  near <- near[near != class]
  if (length(near)) paste0(" (did you mean ", listed(near, 3L), "?)") else ""
}

bridge_weka_versions <- function() {
  guarded({
    started()
    found <- rJava::.jcall("cvinfer/Classifiers", "[S", "versions")
    c(Weka = found[[1L]], Java = found[[2L]])
  })
}
