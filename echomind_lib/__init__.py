"""What all EchoMind services share: contract, storage, messaging, access, retrieval, chat models. Imports no service."""
