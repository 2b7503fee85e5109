"""Plain HTTP beside the contract: sign-in, files, downloads, health, documentation."""
