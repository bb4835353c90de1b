from _flow import web as _web


class AuthBase:
    def __call__(self, request):
        return request


class HTTPBasicAuth(AuthBase):
    def __init__(self, username, password):
        self.username, self.password = username, password

    def __call__(self, request):
        request.headers["Authorization"] = _web.basic((self.username, self.password))
        return request
