"""Terminal tables and the HTML report. Formats what the statistics give; computes no number."""
