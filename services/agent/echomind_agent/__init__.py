"""The run loop: takes queued runs, builds context, calls models and tools, writes cited answers."""
