"""Packs: reading, validation, selection. Calls no model and grades no reply."""

from losona.taxonomy.load import Taxonomy, load_pack, load_taxonomy, shipped_pack_names

__all__ = ["Taxonomy", "load_pack", "load_taxonomy", "shipped_pack_names"]
