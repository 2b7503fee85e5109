"""Protobuf messages and gRPC stubs, generated from the contract."""
