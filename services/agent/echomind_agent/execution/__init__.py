"""The run loop: claims runs, calls the model, and finishes or suspends them."""
