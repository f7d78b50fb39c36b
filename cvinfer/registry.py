"""Everything that has a name: one registry for each kind of thing, and how plug-ins get in.

A thing adds itself where it is defined, by a decorator or on the last line of its file. Nobody
edits a list: a registry imports the files of its folder, and after them the modules that installed
distributions name in the entry-point group `cvinfer`.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
import threading
from typing import (
    Any,
    Callable,
    Generic,
    Iterator,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    TypeVar,
)

from cvinfer.errors import Path, Refusal, UserError
from cvinfer.names import close_match

GROUP = "cvinfer"

Entry = TypeVar("Entry")

#: Held while modules are imported: a registry may be asked by several threads.
_lock = threading.RLock()


class Plugin(NamedTuple):
    """A module that an installed distribution brings; `reason` where it cannot be imported."""

    distribution: str
    module: str
    reason: Optional[str] = None


class Registry(Mapping[str, Entry], Generic[Entry]):
    """The things of one kind by name, found when they are first asked for.

    kind: what one of them is called in messages. folder: the package whose modules add them;
    those that begin with an underscore are helpers. beyond: modules of this project outside of
    the folder that add some, because they need what lies above it. ordered: by name; otherwise in
    the order in which they were added. broken: makes an entry for a module of the folder that
    cannot be imported, from its name and the reason; without it the error is raised.

    It is a mapping, and calling it gives the mapping too.
    """

    def __init__(
        self,
        kind: str,
        folder: Optional[str] = None,
        *,
        beyond: Sequence[str] = (),
        ordered: bool = False,
        broken: Optional[Callable[[str, str], Entry]] = None,
        refusal: Callable[..., Exception] = UserError,
    ) -> None:
        self.kind = kind
        self._folder, self._beyond = folder, tuple(beyond)
        self._ordered, self._broken, self._refusal = ordered, broken, refusal
        self._entries: dict[str, Entry] = {}
        self._modules: dict[str, str] = {}
        self._origins: dict[str, str] = {}
        self._own_found = False

    # --- adding -----------------------------------------------------------------------------------

    def add(self, name: str, entry: Entry, module: str) -> Entry:
        """Put an entry under its name; `module` is where it is defined.

        A module that is loaded again replaces its own. Two modules cannot share a name.
        """
        # Its own files may be imported by a plug-in first, and are no part of it.
        brought = bool(_loading) and not self._owns(module)
        if brought:
            self.discover_own()  # so that a plug-in cannot take a name before its owner comes
        known = self._modules.get(name)
        if known is not None and known != module:
            raise RuntimeError(f"{self.kind} {name!r} is defined in both {known} and {module}")
        self._entries[name], self._modules[name] = entry, module
        if brought:
            self._origins[name] = _loading[-1].distribution
            _added.append((self, name))
        return entry

    def _owns(self, module: str) -> bool:
        inside = self._folder is not None and module.startswith(f"{self._folder}.")
        return inside or module in self._beyond

    def discover_own(self) -> None:
        """Import the files of the folder, once."""
        if self._own_found:
            return
        with _lock:
            if self._own_found:
                return
            self._own_found = True
            try:
                for module in _modules_of(self._folder):
                    self._import(module)
                for module in self._beyond:
                    self._import(module)
            except BaseException:
                self._own_found = False
                raise

    def _import(self, module: str) -> None:
        try:
            importlib.import_module(module)
        except Exception as error:
            if self._broken is None:
                raise
            name = module.rpartition(".")[2]
            self._entries[name] = self._broken(name, _reason(error))
            self._modules[name] = module

    def discover(self) -> None:
        """Find everything there is: the folder's, and what plug-ins bring."""
        self.discover_own()
        plugins()

    # --- looking up -------------------------------------------------------------------------------

    def find(self, name: Any, path: Path = ()) -> Entry:
        """The entry of that name; otherwise a refusal that knows what was probably meant."""
        self.discover()
        if isinstance(name, str) and name in self._entries:
            return self._entries[name]
        raise self._refusal(
            f"there is no {self.kind} {name!r}",
            path,
            allowed=list(self),
            suggestion=close_match(name, self),
        )

    def origin(self, name: str) -> Optional[str]:
        """The distribution that brings an entry; None for cvinfer's own."""
        self.discover()
        return self._origins.get(name)

    def module(self, name: str) -> str:
        """The module that defines an entry."""
        self.discover()
        return self._modules[name]

    def __getitem__(self, name: str) -> Entry:
        self.discover()
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self.discover()
        return iter(sorted(self._entries) if self._ordered else list(self._entries))

    def __len__(self) -> int:
        self.discover()
        return len(self._entries)

    def __call__(self) -> Mapping[str, Entry]:
        self.discover()
        return self

    def __repr__(self) -> str:
        return f"Registry({self.kind!r}, {len(self._entries)} found so far)"

    def _forget(self, name: str) -> None:
        for each in (self._entries, self._modules, self._origins):
            each.pop(name, None)  # type: ignore[attr-defined]


# --- plug-ins -------------------------------------------------------------------------------------

_loading: list[Plugin] = []
_added: list[tuple["Registry[Any]", str]] = []
_plugins: Optional[tuple[Plugin, ...]] = None


def plugins() -> tuple[Plugin, ...]:
    """The plug-ins that are installed, imported once; one that cannot be has its reason.

    What a plug-in had added before its import failed is taken back.
    """
    global _plugins
    if _plugins is None and not _loading:
        with _lock:
            if _plugins is None and not _loading:
                _plugins = tuple(_loaded(each) for each in _installed())
    return _plugins or ()


def _installed() -> list[Plugin]:
    found = {
        Plugin(_distribution(point), point.value.partition(":")[0].strip())
        for point in importlib.metadata.entry_points(group=GROUP)
    }
    return sorted(found)


def _distribution(point: importlib.metadata.EntryPoint) -> str:
    found = point.dist
    return point.name if found is None else str(found.metadata["Name"])


def _loaded(plugin: Plugin) -> Plugin:
    before = len(_added)
    _loading.append(plugin)
    try:
        importlib.import_module(plugin.module)
    except BaseException as error:
        for registry, name in _added[before:]:
            registry._forget(name)
        if isinstance(error, KeyboardInterrupt):
            raise
        return plugin._replace(reason=_reason(error))
    finally:
        _loading.pop()
    return plugin


def _modules_of(folder: Optional[str]) -> list[str]:
    if folder is None:
        return []
    package = importlib.import_module(folder)
    names = sorted(each.name for each in pkgutil.iter_modules(package.__path__))
    return [f"{folder}.{name}" for name in names if not name.startswith("_")]


def _reason(error: BaseException) -> str:
    said = str(error) if isinstance(error, Refusal) else f"{type(error).__name__}: {error}"
    return " ".join(said.split())
