# A file of data whose objects have other names.
one_of_others <- data.frame(x = 1:4, class = c("a", "b", "a", "b"))
another <- one_of_others
