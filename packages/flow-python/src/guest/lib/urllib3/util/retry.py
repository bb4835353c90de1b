from urllib3 import Retry

__all__ = ["Retry"]
