"""Internals of the component library; not for use by authors."""
