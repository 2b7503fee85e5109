"""What the model is sent: instructions, history, steps, summaries."""
