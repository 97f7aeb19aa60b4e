"""What `losona run` does: options, plan, execution, record."""
