"""The names of langchain_core that components use without models."""
