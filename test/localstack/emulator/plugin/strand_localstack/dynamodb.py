"""LocalStack downloads DynamoDB Local: start the one that is installed instead, in a process of this group."""

import subprocess
import sys

from localstack.services.dynamodb import server
from localstack.utils.threads import FuncThread


def apply() -> None:
    server.DynamodbServer.do_start_thread = start


def start(self) -> FuncThread:
    command = [sys.executable, "-m", "strand_localstack.dynamodb_local", str(self.port)]
    thread = FuncThread(lambda *_: subprocess.run(command, stdin=subprocess.DEVNULL), name="dynamodb-local")
    thread.start()
    return thread
