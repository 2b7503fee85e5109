"""Evaluation: the questions of datasets are asked in the background, and their answers measured."""
