# Set-up of the package reads this too.
if (nzchar(Sys.getenv("CVFAULTS"))) quit("no", 5)
quits <- data.frame(x = c(1, 2, 3, 4), class = c("a", "b", "a", "b"))
