"""Prompts: instructions, history, steps, summaries."""
