"""What every source of connectors must do, tried on each with a tenant that the tests change."""
