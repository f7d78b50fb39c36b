# A column of every type, each with something missing but for the classes.
mixed <- data.frame(
  number = c(1.5, NA, -2, 1e-300, 3, 4, NaN, 6),
  whole = c(1L, 2L, NA, 4L, 5L, -6L, 7L, 8L),
  truth = c(TRUE, FALSE, NA, TRUE, TRUE, FALSE, FALSE, TRUE),
  colour = factor(c("red", "blue", NA, "red", "green", "blue", "red", "red"),
    levels = c("red", "green", "blue", "never")
  ),
  size = factor(c("small", "large", "small", NA, "middle", "large", "small", "middle"),
    levels = c("small", "middle", "large"), ordered = TRUE
  ),
  word = c("b", "a", NA, "Z", "\u00e4", "b", "a", "b"),
  class = factor(c("no", "yes", "no", "yes", "perhaps", "no", "yes", "perhaps"),
    levels = c("yes", "perhaps", "no", "never")
  ),
  logical_class = c(TRUE, FALSE, TRUE, FALSE, TRUE, FALSE, TRUE, FALSE),
  number_class = c(10, 9, 10, 2.5, 9, 10, 2.5, 10),
  whole_class = c(2L, 10L, 2L, 10L, 2L, 10L, 2L, 10L),
  word_class = c("b", "a", "Z", "\u00e4", "b", "a", "Z", "\u00e4"),
  ordered_class = factor(c("low", "high", "low", "high", "low", "high", "low", "high"),
    levels = c("low", "high"), ordered = TRUE
  ),
  stringsAsFactors = FALSE
)
