"""The file of finished fits as a user names it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cvinfer.errors import UserError

if TYPE_CHECKING:
    from cvinfer.execute.store import Store


def open_store(path: Path) -> Store:
    """The store in a file that is there and is one."""
    import sqlite3

    from cvinfer.execute.store import Store

    if not path.exists():
        raise UserError(f"there is no store {path}; name it with --store FILE")
    try:
        # Read-only: looking at a file must not turn it into a store.
        with sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True) as looked_at:
            known = looked_at.execute("select 1 from sqlite_master where name = 'fits'").fetchone()
        looked_at.close()
    except sqlite3.OperationalError as error:
        raise UserError(f"the store {path} cannot be opened: {error}") from None
    except sqlite3.Error as error:
        raise UserError(f"{path} is no store of cvinfer: {error}") from None
    if known is None:
        raise UserError(f"{path} is no store of cvinfer: it is another program's database")
    return Store(path)
