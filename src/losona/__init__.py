"""LoSoNA: the benchmark of local social norm adaptation in group conversations."""

__version__ = "0.1.0"
