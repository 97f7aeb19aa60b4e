"""Pydantic models: taxonomy, frame, scenario, results. No input or output, no defaults of a run."""
