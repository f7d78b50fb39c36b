"""Kills, damaged stores, hostile files, odd names and places without room: nothing may give way.

`make torture` runs it all and prints counts; `python -m torture --help` has the rest. Every case
draws what it does from the seed, the name of its part and its own number, so that one can be
repeated alone.
"""
