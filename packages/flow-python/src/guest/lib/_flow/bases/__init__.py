"""Base classes of components that use models, tools and stores of the host."""
