# Set-up of the package reads this too.
if (nzchar(Sys.getenv("CVFAULTS"))) tools::pskill(Sys.getpid(), 11L)
crashes <- data.frame(x = c(1, 2, 3, 4), class = c("a", "b", "a", "b"))
