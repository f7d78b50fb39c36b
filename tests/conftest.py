"""What all tests share."""

from __future__ import annotations

import signal

# A shell that starts this in the background lets it ignore Ctrl-C, and every process that the tests
# start and interrupt would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
