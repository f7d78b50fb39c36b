# Versions for the record of a run.

bridge_versions <- function(packages = character()) {
  guarded({
    version <- function(package) {
      found <- suppressWarnings(utils::packageDescription(package, fields = "Version"))
      as.character(found)
    }
    c(R = as.character(getRversion()), vapply(packages, version, "", USE.NAMES = TRUE))
  })
}
