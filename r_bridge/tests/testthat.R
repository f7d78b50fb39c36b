library(testthat)
library(cvinfer)

test_check("cvinfer")
