"""What is served by plain HTTP beside the contract: sign-in, files, documents' bytes, health, documentation."""
