"""Numbers that R made: each line of R code with what it printed (R 4.2.2, digits = 17).

The tests compare the package with the numbers written here; where R is present they are made again
and compared with what is written. R's `mcnemar.test` corrects for continuity unless the two counts
are equal, and never clips: on whole counts that is the clipped correction, on the fractional
counts of an effective table with |n01 - n10| < 1 it is the printed one.
"""

from __future__ import annotations

from typing import NamedTuple

#: The data of every line below, in R.
DATA = """
d2 <- c(0.07, 0.03)
d10 <- c(0.02, -0.01, 0.03, 0.04, 0, 0.05, 0.01, 0.02, -0.02, 0.06)
d15 <- c(d10, 0.03, 0.01, -0.03, 0.02, 0.04)
d20 <- c(d15, 0.05, 0.07, -0.01, 0.02, 0.08)
f <- matrix(c(5, 7, 4, 9, 6, 3, 8, 5, 2, 6) / 100, 5, 2, byrow = TRUE)
g <- matrix(c(4, 6, 5, 9, 8, 3) / 100, 3, 2, byrow = TRUE)
h <- matrix(c(3, 1, -2, 1, 4, 4, 0, 2) / 100, 4, 2, byrow = TRUE)
ea <- c(12, 9, 14, 11, 10)
eb <- c(9, 10, 9, 7, 8)
nt <- c(40, 40, 40, 41, 41)
pa <- c(12, 9, 14, 11, 10) / 40
pb <- c(7, 6, 8, 5, 9, 6, 4, 8) / 25
n01 <- c(9, 6, 0, 4)
n10 <- c(2, 5, 0, 10)
la <- c(1, 0, 1, 1, 0, 1, 0.5, 1, 0, 1, 1, 0.25)
lb <- c(0, 0, 1, 0, 0, 0, 0.25, 1, 0.5, 0, 1, 0)
fold <- rep(1:3, each = 4)
s10 <- c(81, 78, 84, 90, 79, 85, 88, 82, 80, 86) / 100
q <- matrix(c(81, 78, 84, 90, 79, 85, 88, 82, 80, 86) / 100, 5, 2, byrow = TRUE)
w <- matrix(c(81, 78, 84, 90, 79, 85) / 100, 3, 2, byrow = TRUE)
root <- function(f, low, high) uniroot(f, c(low, high), tol = 1e-17, maxiter = 10000)$root
# The likeliest P(only B wrong) where P(only A wrong) is larger by d: the zero of the slope of the
# multinomial log likelihood, not Tango's solution of the quadratic.
nuisance <- function(b, c, n, d) {
  slope <- function(p) b / (p + d) + c / p - 2 * (n - b - c) / (1 - 2 * p - d)
  gap <- 1e-14
  root(slope, max(0, -d) + gap, (1 - d) / 2 - gap)
}
# The differences d at which the corrected score b - c - n d is z of its standard errors from 0.
score_ends <- function(b, c, n, k, level) {
  z <- qnorm((1 + level) / 2)
  error <- function(d) sqrt(n * (2 * nuisance(b, c, n, d) + d - d^2))
  lower <- root(function(d) b - c - n * d - k - z * error(d), -0.999, (b - c - k) / n)
  upper <- root(function(d) n * d - b + c - k - z * error(d), (b - c + k) / n, 0.999)
  c(lower, upper)
}
"""


class Line(NamedTuple):
    """R code, one statement a string, and the numbers that its last statement gave."""

    code: tuple[str, ...]
    numbers: tuple[float, ...]


LINES = {
    "kfold_t": Line(
        (
            "r <- t.test(d10)",
            "c(r$statistic, r$p.value, r$conf.int)",
        ),
        (
            2.449489742783178,
            0.03678749787978617,
            0.0015295641105410023,
            0.038470435889459,
        ),
    ),
    "kfold_t mu0": Line(
        (
            "r <- t.test(d10, mu = 0.005, conf.level = 0.9)",
            "c(r$statistic, r$p.value, r$conf.int)",
        ),
        (
            1.8371173070873832,
            0.0993658192446816,
            0.0050326955803178565,
            0.03496730441968214,
        ),
    ),
    "repeated_holdout_t": Line(
        (
            "r <- t.test(d15)",
            "c(r$statistic, r$p.value, r$conf.int)",
        ),
        (
            2.743455607908823,
            0.015847284715998528,
            0.003927907755741778,
            0.03207209224425822,
        ),
    ),
    "corrected_kfold_t": Line(
        (
            "v <- var(d10) / (10 * (1 - 0.7))",
            "t <- mean(d10) / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 9), mean(d10) + c(-1, 1) * qt(0.975, 9) * sqrt(v))",
        ),
        (
            1.341640786499874,
            0.21257989232273583,
            -0.013722247945365623,
            0.05372224794536562,
        ),
    ),
    "corrected_2fold_t": Line(
        (
            "v <- 1.5 * var(d2)",
            "t <- mean(d2) / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 1), mean(d2) + c(-1, 1) * qt(0.975, 1) * sqrt(v))",
        ),
        (
            1.443375672974064,
            0.38572226615498006,
            -0.39015584348853755,
            0.4901558434885375,
        ),
    ),
    "corrected_repeated_holdout_t": Line(
        (
            "v <- (1 / 15 + 30 / 270) * var(d15)",
            "t <- mean(d15) / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 14), mean(d15) + c(-1, 1) * qt(0.975, 14) * sqrt(v))",
        ),
        (
            1.680016592838413,
            0.11512135685873137,
            -0.004979630407872811,
            0.04097963040787281,
        ),
    ),
    "corrected_repeated_kfold_t": Line(
        (
            "v <- (1 / 20 + 30 / 270) * var(d20)",
            "t <- mean(d20) / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 19), mean(d20) + c(-1, 1) * qt(0.975, 19) * sqrt(v))",
        ),
        (
            2.018028394459172,
            0.05793361412300173,
            -0.0008919080840097196,
            0.04889190808400972,
        ),
    ),
    "dietterich_5x2_t": Line(
        (
            "v <- sum((f[, 1] - f[, 2])^2 / 2) / 5",
            "t <- f[1, 1] / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 5), f[1, 1] + c(-1, 1) * qt(0.975, 5) * sqrt(v))",
        ),
        (
            1.9920476822239896,
            0.10298022347956394,
            -0.014521092004344718,
            0.11452109200434472,
        ),
    ),
    "dietterich_5x2_t pick": Line(
        (
            "v <- sum((f[, 1] - f[, 2])^2 / 2) / 5",
            "t <- f[4, 2] / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 5), f[4, 2] + c(-1, 1) * qt(0.975, 5) * sqrt(v))",
        ),
        (
            1.9920476822239896,
            0.10298022347956394,
            -0.014521092004344718,
            0.11452109200434472,
        ),
    ),
    "combined_5x2_t": Line(
        (
            "v <- sum((f[, 1] - f[, 2])^2 / 2) / 5",
            "t <- sum(f) / sqrt(10 * v)",
            "c(t, 2 * pt(-abs(t), 5), mean(f) + c(-1, 1) * qt(0.975, 5) * sqrt(v / 10))",
        ),
        (
            6.929348671835833,
            0.0009605232348809717,
            0.03459663921449921,
            0.07540336078550079,
        ),
    ),
    "combined_5x2_f": Line(
        (
            "x <- mean(f^2) / (sum((f[, 1] - f[, 2])^2 / 2) / 5)",
            "c(x, pf(x, 10, 5, lower.tail = FALSE))",
        ),
        (
            5.476190476190477,
            0.0372053943124427,
        ),
    ),
    "calibrated_5x2_bcv_f": Line(
        (
            "x <- mean(f^2) / (sum((f[, 1] - f[, 2])^2 / 2) / 5)",
            "c(x, pf(x, 7, 5, lower.tail = FALSE))",
        ),
        (
            5.476190476190477,
            0.03968229233599864,
        ),
    ),
    "blocked_3x2_t": Line(
        (
            "v <- sum((g - mean(g))^2) / 6",
            "t <- mean(g) / sqrt(v)",
            "c(t, 2 * pt(-abs(t), 5), mean(g) + c(-1, 1) * qt(0.975, 5) * sqrt(v))",
        ),
        (
            2.7583864218368523,
            0.03991098335571168,
            0.0039716217574292875,
            0.11269504490923737,
        ),
    ),
    "wong_matched_t": Line(
        (
            "r <- t.test(ea / nt, eb / nt, paired = TRUE)",
            "c(r$statistic, r$p.value, r$conf.int)",
        ),
        (
            2.5091966680188076,
            0.06611401611509297,
            -0.006845059615528353,
            0.135381644981382,
        ),
    ),
    "wong_welch_t": Line(
        (
            "r <- t.test(pa, pb, var.equal = FALSE)",
            "c(r$statistic, r$parameter, r$p.value, r$conf.int)",
        ),
        (
            0.46730170541326876,
            10.665148850826547,
            0.6496860975404979,
            -0.05592138757852703,
            0.08592138757852705,
        ),
    ),
    "loo_matched_t": Line(
        (
            "r <- t.test(rep(c(-1, 0, 1), c(26, 44, 30)))",
            "c(r$statistic, r$p.value, r$conf.int)",
        ),
        (
            0.5326045641716791,
            0.5955007779812238,
            -0.10901989844359103,
            0.18901989844359104,
        ),
    ),
    "holdout_mcnemar 8 4": Line(
        (
            "r <- mcnemar.test(matrix(c(50, 4, 8, 38), 2))",
            "c(r$statistic, r$p.value, binom.test(8, 12)$p.value)",
        ),
        (
            0.75,
            0.38647623077123266,
            0.3876953124999998,
        ),
    ),
    "holdout_mcnemar 25 9": Line(
        (
            "r <- mcnemar.test(matrix(c(30, 9, 25, 136), 2))",
            "c(r$statistic, r$p.value, binom.test(25, 34)$p.value)",
        ),
        (
            6.617647058823529,
            0.010097314647507186,
            0.009041185490787045,
        ),
    ),
    "holdout_mcnemar 25 9 none": Line(
        (
            "r <- mcnemar.test(matrix(c(30, 9, 25, 136), 2), correct = FALSE)",
            "c(r$statistic, r$p.value)",
        ),
        (
            7.529411764705882,
            0.006069972362023289,
        ),
    ),
    "holdout_mcnemar 7 6": Line(
        (
            "r <- mcnemar.test(matrix(c(30, 6, 7, 57), 2))",
            "c(r$statistic, r$p.value, binom.test(7, 13)$p.value)",
        ),
        (
            0.0,
            1.0,
            1.0,
        ),
    ),
    "holdout_mcnemar 7 7": Line(
        (
            "r <- mcnemar.test(matrix(c(30, 7, 7, 56), 2))",
            "c(r$statistic, r$p.value, binom.test(7, 14)$p.value)",
        ),
        (
            0.0,
            1.0,
            1.0,
        ),
    ),
    "holdout_mcnemar 0 3": Line(
        (
            "r <- mcnemar.test(matrix(c(30, 3, 0, 67), 2))",
            "c(r$statistic, r$p.value, binom.test(0, 3)$p.value)",
        ),
        (
            1.3333333333333333,
            0.24821307898992362,
            0.25000000000000006,
        ),
    ),
    "holdout_mcnemar interval": Line(
        ("score_ends(25, 9, 200, 1, 0.95)",), (0.018919203655180482, 0.14518452603168797)
    ),
    "holdout_mcnemar interval 8 4": Line(
        ("score_ends(8, 4, 100, 1, 0.9)",), (-0.02993314966751316, 0.11438371292503309)
    ),
    "holdout_mcnemar interval none": Line(
        ("score_ends(25, 9, 200, 0, 0.99)",), (0.005346546641066462, 0.1605719798145851)
    ),
    "holdout_mcnemar interval large": Line(
        ("score_ends(2103456, 2098765, 10000000, 1, 0.95)",),
        (6.722074068476959e-05, 0.0008709791475064494),
    ),
    "bcv_5x2_mcnemar interval": Line(
        ("t <- 20 / 11", "score_ends(t * 14.9, t * 6.2, t * 150, 1, 0.95)"),
        (0.010329652411245196, 0.10882780363558846),
    ),
    "bcv_5x2_mcnemar interval none": Line(
        ("t <- 20 / 11", "score_ends(t * 9.8, t * 10, t * 150, 0, 0.9)"),
        (-0.038513356653090074, 0.03579277923541194),
    ),
    "table_posteriors": Line(
        (
            "t <- 20 / 11",
            "a <- t * 14.9 + 1",
            "b <- t * 6.2 + 1",
            "c(a, b, a / (a + b), pbeta(0.5, a, b, lower.tail = FALSE))",
        ),
        (28.09090909090909, 12.272727272727273, 0.6959459459459459, 0.9946368887407782),
    ),
    "table_posteriors small tail": Line(
        ("pbeta(0.5, 40 + 0.5, 160 + 0.5, lower.tail = FALSE)",), (8.42423177911659e-19,)
    ),
    "naive_kfold_mcnemar": Line(
        (
            "x <- sum(pmax(abs(n01 - n10) - 1, 0)^2 / ifelse(n01 + n10 > 0, n01 + n10, 1))",
            "c(x, pchisq(x, 4, lower.tail = FALSE), pchisq(x, 3, lower.tail = FALSE))",
        ),
        (
            5.058441558441559,
            0.2813534206824518,
            0.1675674450858757,
        ),
    ),
    "bcv_5x2_mcnemar": Line(
        (
            "t <- 20 / 11",
            "r <- mcnemar.test(t * matrix(c(20, 6.2, 14.9, 108.9), 2))",
            "c(r$statistic, r$p.value)",
        ),
        (
            5.723610512710039,
            0.016738276548642496,
        ),
    ),
    "bcv_5x2_mcnemar overshoot": Line(
        (
            "t <- 20 / 11",
            "r <- mcnemar.test(t * matrix(c(20, 9.8, 10, 110.2), 2))",
            "c(r$statistic, r$p.value)",
        ),
        (
            0.011248852157943204,
            0.9155342666075507,
        ),
    ),
    "proportion_z": Line(
        (
            "r <- prop.test(c(55, 39), c(200, 200), correct = FALSE)",
            "c(sqrt(r$statistic), r$p.value)",
        ),
        (
            1.8867977004726,
            0.05918754054512758,
        ),
    ),
    "wong_independent_z": Line(
        (
            "r <- prop.test(c(75, 48), c(300, 300), correct = FALSE)",
            "c(sqrt(r$statistic), r$p.value)",
        ),
        (
            2.7304086058839503,
            0.0063255869614486215,
        ),
    ),
    "loo_independent_z": Line(
        (
            "r <- prop.test(c(20, 16), c(100, 100), correct = FALSE)",
            "c(sqrt(r$statistic), r$p.value)",
        ),
        (
            0.7362101738323102,
            0.4616028016834762,
        ),
    ),
    "conservative_z": Line(
        (
            "v <- sum((h[, 1] - h[, 2])^2) / (2 * 4)",
            "z <- mean(d15) / sqrt(v)",
            "c(z, 2 * pnorm(-abs(z)), mean(d15) + c(-1, 1) * qnorm(0.975) * sqrt(v))",
        ),
        (
            1.2347898130260635,
            0.2169087396326597,
            -0.010571139273705926,
            0.046571139273705923,
        ),
    ),
    "cvci_z out": Line(
        (
            "d <- la - lb",
            "v <- mean((d - mean(d))^2) / 12",
            "z <- mean(d) / sqrt(v)",
            "c(z, 2 * pnorm(-abs(z)), mean(d) + c(-1, 1) * qnorm(0.975) * sqrt(v))",
        ),
        (
            2.2935287163239835,
            0.02181758404814606,
            0.048479115668622064,
            0.6181875509980446,
        ),
    ),
    "cvci_z in": Line(
        (
            "d <- la - lb",
            "v <- mean(tapply(d, fold, var)) / 12",
            "z <- mean(d) / sqrt(v)",
            "c(z, 2 * pnorm(-abs(z)), mean(d) + c(-1, 1) * qnorm(0.975) * sqrt(v))",
        ),
        (
            2.054210364052382,
            0.0399553357404606,
            0.015293204818355999,
            0.6513734618483107,
        ),
    ),
    "f1_beta_prime": Line(
        (
            "a <- 12 + 9.5 + 2",
            "b <- 60 + 1",
            "1 / (1 + a / b * qf(c(0.975, 0.025), 2 * a, 2 * b) / 2)",
        ),
        (
            0.7671695146090871,
            0.8959780309310036,
        ),
    ),
    "f1_beta_prime prior": Line(
        (
            "a <- 12 + 9.5 + 1",
            "b <- 60 + 0.5",
            "1 / (1 + a / b * qf(c(0.95, 0.05), 2 * a, 2 * b) / 2)",
        ),
        (
            0.7849631820759574,
            0.892263165156374,
        ),
    ),
    "precision_beta": Line(
        ("qbeta(c(0.025, 0.975), 60 + 1, 12 + 1)",),
        (
            0.730456428024364,
            0.9016268222669914,
        ),
    ),
    "recall_beta": Line(
        ("qbeta(c(0.025, 0.975), 60 + 1, 9.5 + 1)",),
        (
            0.7629774290277422,
            0.924671770493641,
        ),
    ),
    "kfold_t_interval": Line(
        ("t.test(s10)$conf.int",),
        (
            0.8045751253369476,
            0.8614248746630523,
        ),
    ),
    "five_by_two_t_interval": Line(
        (
            "v <- sum((q[, 1] - q[, 2])^2 / 2) / 5",
            "mean(q) + c(-1, 1) * qt(0.975, 5) * sqrt(v)",
        ),
        (
            0.732451140286097,
            0.9335488597139029,
        ),
    ),
    "blocked_3x2_t_interval": Line(
        (
            "v <- sum((w - mean(w))^2) / 6",
            "mean(w) + c(-1, 1) * qt(0.975, 5) * sqrt(v)",
        ),
        (
            0.7240037361237888,
            0.932662930542878,
        ),
    ),
    "error_kfold_t": Line(
        ("t.test(c(8, 12, 10, 10, 8) / 40)$conf.int",),
        (
            0.18805746831582165,
            0.29194253168417833,
        ),
    ),
    "error_dataset_z": Line(
        ("0.24 + c(-1, 1) * qnorm(0.975) * sqrt(0.24 * 0.76 / 200)",),
        (
            0.18081038567051613,
            0.2991896143294839,
        ),
    ),
    "error_loo_z": Line(
        ("0.2 + c(-1, 1) * qnorm(0.975) * sqrt(0.2 * 0.8 / 100)",),
        (
            0.12160144061839787,
            0.2783985593816022,
        ),
    ),
    "F1Distribution": Line(
        (
            "a <- 23.5",
            "b <- 61",
            "u <- 2 * (1 - c(0.8, 0.85, 0.9)) / c(0.8, 0.85, 0.9)",
            "pf(u * b / a, 2 * a, 2 * b, lower.tail = FALSE)",
        ),
        (
            0.13006797902749462,
            0.6259711887583301,
            0.9832036198161794,
        ),
    ),
    "skewness": Line(
        (
            "x <- c(0.61, 0.70, 0.72, 0.75, 0.81, 0.93)",
            "m <- x - mean(x)",
            "c(6 / (5 * 4) * sum(m^3) / sd(x)^3, (mean(x) - 0.72) / sd(x))",
        ),
        (
            0.6007436800780015,
            0.3070317192431715,
        ),
    ),
    "qt": Line(
        ("qt(1 - 0.05 / 2, c(1, 2, 3, 4, 5, 9, 14, 19, 99, 7.3))",),
        (
            12.706204736174694,
            4.302652729749462,
            3.1824463052837078,
            2.7764451051977934,
            2.5705818356363137,
            2.262157162798205,
            2.144786687917804,
            2.093024054408309,
            1.9842169515864172,
            2.3450667365477025,
        ),
    ),
    "qt levels": Line(
        ("qt(1 - c(0.2, 0.1, 0.01, 0.001) / 2, 5)",),
        (
            1.4758840488244804,
            2.0150483733330224,
            4.032142983555229,
            6.868826625881273,
        ),
    ),
    "qnorm": Line(
        ("qnorm(1 - c(0.2, 0.1, 0.05, 0.01) / 2)",),
        (
            1.2815515655446008,
            1.6448536269514715,
            1.9599639845400536,
            2.5758293035489,
        ),
    ),
    "qf": Line(
        ("c(qf(0.95, 10, 5), qf(0.95, 7, 5), qf(0.99, 10, 5))",),
        (
            4.735063069693422,
            4.875871695833996,
            10.051017219571268,
        ),
    ),
    "qchisq": Line(
        ("qchisq(0.95, c(1, 4, 10))",),
        (
            3.841458820694124,
            9.487729036781154,
            18.307038053275146,
        ),
    ),
    "pt": Line(
        ("2 * pt(-2, c(1, 2, 5, 9, 99, 7.3))",),
        (
            0.2951672353008664,
            0.1835034190722739,
            0.10193947882985828,
            0.07655282377070094,
            0.048239693372632966,
            0.0839410393341031,
        ),
    ),
    "pf": Line(
        ("pf(4, c(10, 7), 5, lower.tail = FALSE)",),
        (
            0.06963519939184216,
            0.07309311194280556,
        ),
    ),
    "pchisq": Line(
        ("pchisq(3.841, c(1, 5, 10), lower.tail = FALSE)",),
        (
            0.05001368376395687,
            0.5725277644357698,
            0.9542347863728642,
        ),
    ),
    "pnorm": Line(
        ("2 * pnorm(-c(0.5, 1.96, 4))",),
        (
            0.6170750774519739,
            0.049995790296440856,
            6.334248366623985e-05,
        ),
    ),
    "pbeta": Line(
        ("pbeta(c(0.7, 0.8, 0.9), 61, 13)",),
        (
            0.006019317676781722,
            0.27577927328347424,
            0.9718612789133915,
        ),
    ),
}


def script() -> str:
    """One R script that prints the numbers of every line, a line of output each."""
    calls = ["; ".join(line.code) for line in LINES.values()]
    return "\n".join([DATA, *(f"cat(sprintf('%.17g', local({{{c}}})), '\\n')" for c in calls), ""])
