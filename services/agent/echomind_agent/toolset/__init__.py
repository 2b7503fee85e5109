"""Which tools a run has: the registry, plugins, selection and listing."""
