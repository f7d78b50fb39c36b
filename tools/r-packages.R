# R packages for tools/setup.sh, which calls it as: Rscript tools/r-packages.R ACTION ARGUMENT...
#
#   absent NAME...       print those that are not installed
#   broken LIB NAME...   print those that cannot be loaded, and those in LIB made for another R
#   answers              fail if no package repository answers
#   install LIB NAME...  from the repositories that R is configured for
#
# A printed name has "> " before it: a user's own profile may print as well.

tell <- function(names) cat(sprintf("> %s\n", names), sep = "")

# The series of R, such as 4.2, that an installed package was made with.
made_with <- function(name, lib) {
  built <- suppressWarnings(utils::packageDescription(name, lib.loc = lib, fields = "Built"))
  if (is.na(built)) NA_character_ else sub("^R ([0-9]+\\.[0-9]+)\\..*", "\\1", built)
}

broken <- function(lib, names) {
  this <- sub("^([0-9]+\\.[0-9]+)\\..*", "\\1", as.character(getRversion()))
  for (name in names) {
    other <- made_with(name, lib)
    if ((!is.na(other) && other != this) || !requireNamespace(name, quietly = TRUE)) tell(name)
  }
}

# What the user or the system has chosen is taken; where nobody has, the list that comes with R.
choose_repository <- function() {
  if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1, local.only = TRUE)
}

arguments <- commandArgs(trailingOnly = TRUE)
rest <- arguments[-1]
switch(arguments[1],
  absent = tell(rest[!nzchar(sapply(rest, function(name) system.file(package = name)))]),
  broken = broken(rest[1], rest[-1]),
  answers = {
    choose_repository()
    options(timeout = 10)
    print(getOption("repos"))
    quit(status = if (nrow(utils::available.packages()) > 0) 0 else 1)
  },
  install = {
    choose_repository()
    options(timeout = 600, Ncpus = max(1, parallel::detectCores(), na.rm = TRUE))
    utils::install.packages(rest[-1], lib = rest[1])
  }
)
