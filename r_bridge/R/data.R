# Data sets of R packages.

bridge_data <- function(package, dataset) {
  guarded({
    found <- package_data(package, dataset)
    where <- paste0(package, "::", dataset)
    if (is.matrix(found)) found <- as.data.frame(found, stringsAsFactors = FALSE)
    if (!is.data.frame(found)) {
      refuse(where, " is ", described(found), ", not a data frame or a matrix")
    }
    found <- as.list(found)
    kinds <- vapply(found, column_type, "")
    strange <- which(is.na(kinds))
    if (length(strange)) {
      what <- vapply(found[strange], function(column) paste(class(column), collapse = "/"), "")
      refuse(
        where, " has columns that are neither numbers nor classes: ",
        listed(paste0(names(found)[strange], " (", what, ")"))
      )
    }
    parts <- Map(column_parts, found, kinds)
    list(
      names = enc2utf8(names(found)), types = unname(kinds),
      columns = unname(lapply(parts, `[[`, "values")),
      levels = unname(lapply(parts, `[[`, "levels"))
    )
  })
}

package_data <- function(package, dataset) {
  if (!nzchar(system.file(package = package))) refuse("R package ", package, " is not installed")
  place <- new.env(parent = globalenv())
  suppressWarnings(utils::data(list = dataset, package = package, envir = place))
  if (!is.null(place[[dataset]])) return(place[[dataset]])
  # Objects of a data file with another name are there only through the package's lazy data.
  found <- tryCatch(getExportedValue(package, dataset), error = function(e) NULL)
  if (!is.null(found) && !is.function(found)) return(found)
  if (length(ls(place))) {
    refuse(package, " has no data set ", dataset, "; under this name it keeps ", listed(ls(place)))
  }
  there <- sub("^([^ ]+).*$", "\\1", utils::data(package = package)$results[, "Item"])
  refuse(
    "R package ", package, " has no data set ", dataset, did_you_mean(dataset, there), "; ",
    if (length(there)) paste0("it has ", listed(there, 60L)) else "it has none"
  )
}

column_type <- function(column) {
  if (!is.null(dim(column))) return(NA_character_)
  if (is.ordered(column)) return("ordered")
  if (is.factor(column)) return("factor")
  if (is.object(column)) return(NA_character_)
  switch(typeof(column),
    double = "numeric",
    integer = "integer",
    logical = "logical",
    character = "character",
    NA_character_
  )
}

# Numbers as doubles; everything else as codes from 1 and the texts that they stand for.
column_parts <- function(column, kind) {
  switch(kind,
    numeric = ,
    integer = list(values = as.double(column), levels = character()),
    logical = list(values = as.integer(column) + 1L, levels = c("FALSE", "TRUE")),
    character = {
      column <- enc2utf8(column)
      levels <- sort(unique(column), method = "radix")
      list(values = match(column, levels), levels = levels)
    },
    list(values = as.integer(column), levels = enc2utf8(levels(column)))
  )
}
