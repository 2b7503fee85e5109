"""The gateway: REST, gRPC, event streams, sign-in and the web UI's files."""
