"""Quotas: what people, groups and the organization may use in a day or a month."""
