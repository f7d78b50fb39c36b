pile <- list(a = 1, b = "x")
