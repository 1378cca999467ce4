"""LocalStack listens on all addresses, whatever GATEWAY_LISTEN says: listen on this machine's own only."""

import functools

from localstack.runtime.server import twisted


def apply() -> None:
    endpoints = twisted.endpoints
    endpoints.TCP4ServerEndpoint = functools.partial(endpoints.TCP4ServerEndpoint, interface="127.0.0.1")
