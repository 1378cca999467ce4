"""LocalStack downloads DynamoDB Local: start the one that is installed instead, in a process of its own."""

import sys

from localstack.services.dynamodb import packages, server


def apply() -> None:
    installer = packages.DynamoDBLocalPackageInstaller
    installer.install = lambda self, *args, **kwargs: None
    installer.get_java_env_vars = lambda self: {}
    server.DynamodbServer._create_shell_command = lambda self: [
        sys.executable,
        "-m",
        "strand_localstack.dynamodb_local",
        str(self.port),
    ]
