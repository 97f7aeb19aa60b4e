"""Foreign text as it may be shown, for reports. Knows nothing but where that is done."""

from losona.foreign import shown

__all__ = ["shown"]
