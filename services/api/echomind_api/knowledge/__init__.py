"""What is known beyond documents: entities, feedback, and the review of what shall be everybody's."""
