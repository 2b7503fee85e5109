"""What all learning has in common: its material, what models propose, the checks of it, and what is known already."""
