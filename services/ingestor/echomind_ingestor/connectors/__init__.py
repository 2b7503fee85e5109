"""The sources that syncs read: the protocol, what several need, and a folder for each."""
