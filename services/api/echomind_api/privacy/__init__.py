"""Legal holds, and the registry of where data of people is."""
