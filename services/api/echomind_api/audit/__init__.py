"""The audit log: where its entries come from, their seals, and how both are read and verified."""
