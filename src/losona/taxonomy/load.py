"""From folders of YAML to packs, and from packs to one taxonomy that is asked by id.

Knows where the files of a pack stand. What must hold between them is `losona.taxonomy.validate`.

    PACK/pack.yaml  events.yaml  lexicons.yaml  venues.yaml  norms/*.yaml  probes/*.yaml
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import TypeVar, cast

from losona.errors import ContentError, UserFault
from losona.schema._base import Record
from losona.schema.taxonomy import Event, Norm, Pack, PackInfo, Probe, Venue
from losona.taxonomy.validate import validate_packs, validate_probes
from losona.textfiles import Document, hash_files, read_yaml, validate

Item = TypeVar("Item", bound=Record)
PROBES = "probes"
SHIPPED = Path(str(files("losona"))) / "content" / "packs"


def shipped_pack_names() -> tuple[str, ...]:
    """Ids of the packs that the package ships."""
    return tuple(sorted(path.parent.name for path in SHIPPED.glob("*/pack.yaml")))


def load_pack(folder: Path) -> Pack:
    """Read one pack. Raises `ContentError` naming file, line, what is wrong and what is allowed."""
    if not (folder / "pack.yaml").is_file():
        raise ContentError(f"{folder}: no pack.yaml here; a pack is a folder with pack.yaml, events.yaml and norms/.")
    info_document = read_yaml(folder / "pack.yaml")
    info = validate(PackInfo, info_document)
    if info.id != folder.name:
        line = info_document.line(("id",))
        raise ContentError(f"{folder / 'pack.yaml'}:{line}: id {info.id!r} must be the folder's name {folder.name!r}.")
    norm_files = sorted((folder / "norms").glob("*.yaml"))
    return Pack(
        info=info,
        events=_by_id(Event, [folder / "events.yaml"]),
        norms=_by_id(Norm, norm_files),
        venues=_by_id(Venue, [folder / "venues.yaml"]) if (folder / "venues.yaml").exists() else {},
        lexicons=_lexicons(folder / "lexicons.yaml"),
        hash=hash_files((p for p in folder.rglob("*.yaml") if p.parent.name != PROBES), folder),
    )


def _items(model: type[Item], paths: Iterable[Path]) -> list[Item]:
    return [item for path in paths for item in _read_list(model, read_yaml(path))]


def _read_list(model: type[Item], document: Document) -> list[Item]:
    data: object = document.data
    if not isinstance(data, list):
        raise ContentError(f"{document.path}:1: a list of records was expected.")
    return [validate(model, document, (i,)) for i in range(len(cast(list[object], data)))]


def _by_id(model: type[Item], paths: Iterable[Path]) -> dict[str, Item]:
    result: dict[str, Item] = {}
    for path in paths:
        document = read_yaml(path)
        for i, item in enumerate(_read_list(model, document)):
            name = str(getattr(item, "id"))  # noqa: B009
            if name in result:
                raise ContentError(f"{path}:{document.line((i, 'id'))}: the id {name!r} stands twice; rename one.")
            result[name] = item
    return result


def _lexicons(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    document = read_yaml(path)
    found: object = document.data
    data = cast(dict[str, object], found) if isinstance(found, dict) else {}
    if not data or not all(isinstance(value, str) for value in data.values()):
        raise ContentError(f"{path}:1: a mapping from lexicon name to regular expression was expected.")
    return cast(dict[str, str], data)


@dataclass(frozen=True)
class Taxonomy:
    """All loaded packs, asked by id. Norm and venue ids are unique over the packs, event ids in a pack."""

    packs: dict[str, Pack]
    """By pack id."""
    folders: dict[str, Path]
    """Pack id -> where it was read."""

    @cached_property
    def probes(self) -> dict[str, tuple[Probe, ...]]:
        """Pack id -> replies of known label, read when first asked for. Raises `ContentError`."""
        found = {
            name: tuple(_items(Probe, sorted((folder / PROBES).glob("*.yaml"))))
            for name, folder in self.folders.items()
        }
        validate_probes(found, self.packs, self.folders)
        return found

    @cached_property
    def norms(self) -> dict[str, Norm]:
        """All norms by id."""
        return {norm.id: norm for pack in self.packs.values() for norm in pack.norms.values()}

    @cached_property
    def venues(self) -> dict[str, Venue]:
        """All venues by id."""
        return {venue.id: venue for pack in self.packs.values() for venue in pack.venues.values()}

    @cached_property
    def _pack_of(self) -> dict[str, str]:
        return {norm: name for name, pack in self.packs.items() for norm in pack.norms}

    def norm(self, norm_id: str) -> Norm:
        """The norm, or a `UserFault` that lists near ids."""
        if norm_id not in self.norms:
            raise UserFault(unknown("norm", norm_id, self.norms, "losona list norms"))
        return self.norms[norm_id]

    def pack_of(self, norm_id: str) -> Pack:
        """The pack that a norm belongs to."""
        return self.packs[self._pack_of[self.norm(norm_id).id]]

    def event(self, pack: str, event_id: str) -> Event:
        """The event of a pack, or a `UserFault` that lists near ids."""
        if pack not in self.packs:
            raise UserFault(unknown("pack", pack, self.packs, "losona list packs"))
        if event_id not in self.packs[pack].events:
            raise UserFault(unknown(f"event of pack {pack}", event_id, self.packs[pack].events, "losona list events"))
        return self.packs[pack].events[event_id]

    def venue(self, venue_id: str) -> Venue:
        """The venue, or a `UserFault` that lists near ids."""
        if venue_id not in self.venues:
            raise UserFault(unknown("venue", venue_id, self.venues, "losona list venues"))
        return self.venues[venue_id]

    def near_events(self, pack: str, event: Event) -> frozenset[str]:
        """The event of a pack and the events of other packs that are near it, in either direction."""
        others = (other for name, other in self.packs.items() if name != pack)
        back = {e.id for other in others for e in other.events.values() if event.id in e.near}
        return frozenset({*event.near, *back})

    def lexicons(self, pack: str) -> dict[str, str]:
        """Lexicons that a pack's checks may name: its own and those of the packs it lists."""
        info = self.packs[pack].info
        return {
            name: pattern
            for source in (*info.lexicons_from, pack)
            for name, pattern in self.packs[source].lexicons.items()
        }


def unknown(kind: str, value: str, known: Iterable[str], command: str) -> str:
    """The sentence for an id that does not exist: the value, near ids, and the command that lists all."""
    near = get_close_matches(value, list(known), 3, 0.5)
    hint = f"did you mean {', '.join(near)}? " if near else ""
    return f"unknown {kind} {value!r}; {hint}`{command}` shows all."


@cache
def _load(extra: tuple[Path, ...]) -> Taxonomy:
    packs: dict[str, Pack] = {}
    sources: dict[str, Path] = {}
    for folder in (*(SHIPPED / name for name in shipped_pack_names()), *extra):
        pack = load_pack(folder)
        if pack.info.id in packs:
            raise ContentError(f"{folder}: a pack {pack.info.id!r} is loaded already; rename folder and id.")
        packs[pack.info.id], sources[pack.info.id] = pack, folder
    validate_packs(packs, sources)
    return Taxonomy(packs, sources)


def load_taxonomy(extra: Sequence[Path] = ()) -> Taxonomy:
    """The shipped packs and those in `extra` folders, validated.

    Raises `ContentError` naming file, id and remedy.
    """
    return _load(tuple(Path(folder).resolve() for folder in extra))
