class HTTPError(Exception):
    pass


class TimeoutError(HTTPError):
    pass


class MaxRetryError(HTTPError):
    pass


class InsecureRequestWarning(Warning):
    pass
