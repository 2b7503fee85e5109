"""What all services share: contract, storage, messaging, access, retrieval, chat models. It imports no service."""
