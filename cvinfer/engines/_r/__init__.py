"""R inside a worker process, and questions to R from a process that never loads it.

`embedded` starts R (and the JVM) in this process, and is imported by workers and by the helper
process of `server` only. The main process asks it through `client`.
"""
