"""Commands about accounts, their groups, keys and sign-in."""
