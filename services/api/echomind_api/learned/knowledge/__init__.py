"""Knowledge beyond documents: entities, feedback, and the review of proposals for sharing."""
