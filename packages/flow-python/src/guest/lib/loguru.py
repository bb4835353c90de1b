from _flow.logger import logger

__all__ = ["logger"]
