"""The run loop: claims queued runs, builds context, calls models and tools, and writes cited answers."""
