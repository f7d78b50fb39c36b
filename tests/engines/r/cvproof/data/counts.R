counts <- matrix(c(1, 2, 3, 4, 0, 1, 0, 1), 4, dimnames = list(NULL, c("x", "class")))
