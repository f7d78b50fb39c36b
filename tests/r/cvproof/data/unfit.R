# Under this name there are objects of other names only.
dated <- data.frame(day = as.Date("2020-01-01") + 0:3, class = c("a", "b", "a", "b"))
listing <- list(a = 1, b = "x")
