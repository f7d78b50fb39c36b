"""The commands of `cvinfer`, one file each: its options, and what it says.

A file is found by its name, which is the command's; `command` is what click runs. Files that
begin with an underscore are helpers. At the top of a command's file nothing is imported that takes
time: `cvinfer --help` reads them all.
"""
