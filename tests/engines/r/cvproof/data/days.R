days <- data.frame(day = as.Date("2020-01-01") + 0:3, class = c("a", "b", "a", "b"))
