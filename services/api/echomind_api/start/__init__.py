"""The start of the gateway: the owner's account, the first rows of an installation, the guide."""
