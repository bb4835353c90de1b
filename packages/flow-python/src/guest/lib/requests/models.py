from requests import PreparedRequest, Response

__all__ = ["PreparedRequest", "Response"]
