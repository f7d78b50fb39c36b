endless <- data.frame(x = c(1, Inf, 3, 4), class = c("a", "b", "a", "b"))
