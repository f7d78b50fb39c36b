twice <- data.frame(x = 1:4, x = 4:1, class = c("a", "b", "a", "b"), check.names = FALSE)
