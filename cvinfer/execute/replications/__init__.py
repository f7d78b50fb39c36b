"""Replications of a study, as workers make them: a data set is drawn, split, fitted and reduced.

`recipe` says how a replication is made, `packed` what is kept of it. Both sides use them: the
worker (`cvinfer.execute.works.replications`) and whoever reads what was stored.
"""
