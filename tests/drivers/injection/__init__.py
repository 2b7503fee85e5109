"""The injection set: hostile texts in everything that a run reads, and a model that obeys all of them."""
