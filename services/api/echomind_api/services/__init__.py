"""The services of the contract, one module a noun. Each takes and gives generated models and knows no transport."""
