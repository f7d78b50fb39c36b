# A feature that says nothing, and classes in another order than that of their names.
tied <- data.frame(
  x = rep(c(1, 2), each = 2, times = 10),
  class = factor(rep(c("a", "z"), 20), levels = c("z", "a"))
)
