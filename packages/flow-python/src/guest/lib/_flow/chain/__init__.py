"""The parts of LangChain that components use, without its code."""
