"""What this plug-in adds to cvinfer: importing a file adds what it declares."""

import importlib
import pkgutil

for _each in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_each.name}")
