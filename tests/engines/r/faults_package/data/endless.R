# Set-up of the package reads this too.
if (nzchar(Sys.getenv("CVFAULTS"))) {
  file.create(file.path(Sys.getenv("CVFAULTS"), "looping"))
  repeat {}
}
endless <- data.frame(x = c(1, 2, 3, 4), class = c("a", "b", "a", "b"))
