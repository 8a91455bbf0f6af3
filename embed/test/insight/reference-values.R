# Writes reference-values.csv: Rscript embed/test/insight/reference-values.R > embed/test/insight/reference-values.csv
# a1, b1, a2, b2: votes of two polls. low1 to high2: their Wilson intervals, from prop.test.
# low, high: Newcombe's interval of the difference, from those. evidence1: the logarithm of the evidence against an even split.
counts <- data.frame(
  a1 = c(1, 0, 5, 34, 7, 500, 499, 61, 1203, 40960, 750000, 500000, 123456789, 500000000, 999999999999, 1),
  b1 = c(0, 3, 5, 27, 0, 500, 501, 939, 8797, 41002, 250000, 500001, 123454321, 500100000, 1, 999999999999),
  a2 = c(0, 3, 9, 12, 3, 520, 1, 88, 1301, 40001, 749000, 499000, 123000000, 499900000, 500000000000, 3),
  b2 = c(1, 0, 2, 30, 4, 480, 9, 912, 8699, 39999, 251000, 501000, 123900000, 500000000, 500000000000, 4)
)
wilson <- function(a, b) suppressWarnings(prop.test(a, a + b, correct = FALSE))$conf.int
cat("a1,b1,a2,b2,low1,high1,low2,high2,low,high,evidence1\n")
for (i in seq_len(nrow(counts))) {
  with(counts[i, ], {
    one <- wilson(a1, b1)
    two <- wilson(a2, b2)
    p1 <- a1 / (a1 + b1)
    p2 <- a2 / (a2 + b2)
    low <- p1 - p2 - sqrt((p1 - one[1])^2 + (two[2] - p2)^2)
    high <- p1 - p2 + sqrt((one[2] - p1)^2 + (p2 - two[1])^2)
    evidence <- lbeta(a1 + 0.5, b1 + 0.5) - lbeta(0.5, 0.5) + (a1 + b1) * log(2)
    numbers <- c(a1, b1, a2, b2, one, two, low, high, evidence)
    cat(paste(sprintf("%.15g", numbers), collapse = ","), "\n", sep = "")
  })
}
