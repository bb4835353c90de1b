from urllib3 import Retry, Timeout

__all__ = ["Retry", "Timeout"]
