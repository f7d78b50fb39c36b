unlabelled <- data.frame(x = 1:4, class = factor(c("a", NA, "b", "a")))
