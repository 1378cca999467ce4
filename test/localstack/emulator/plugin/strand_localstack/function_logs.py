"""LocalStack logs each function to /aws/lambda/NAME: heed the log group that the function is configured with."""

from localstack.services.lambda_.invocation.execution_environment import ExecutionEnvironment


def apply() -> None:
    by_name = ExecutionEnvironment.get_log_group_name

    def get_log_group_name(self) -> str:
        return self.function_version.config.logging_config.get("LogGroup") or by_name(self)

    ExecutionEnvironment.get_log_group_name = get_log_group_name
