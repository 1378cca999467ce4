"""What LocalStack finds by this package's entry points."""

from localstack.runtime import hooks
from localstack.services.cloudformation.resource_provider import CloudFormationResourceProviderPlugin
from localstack.services.lambda_.invocation.plugins import RuntimeExecutorPlugin


@hooks.on_infra_start(priority=100)
def apply_repairs():
    from strand_localstack import dynamodb, event_sources, fifo_queues, function_logs, loopback, s3_folder, schedules

    for repair in (dynamodb, event_sources, fifo_queues, function_logs, loopback, s3_folder, schedules):
        repair.apply()


class ProcessExecutorPlugin(RuntimeExecutorPlugin):
    """Chosen by LAMBDA_RUNTIME_EXECUTOR=process."""

    name = "process"

    def load(self, *args, **kwargs):
        from strand_localstack.executor import ProcessExecutor

        return ProcessExecutor


class CustomResourcePlugin(CloudFormationResourceProviderPlugin):
    name = "AWS::CloudFormation::CustomResource"

    def __init__(self):
        self.factory = None

    def load(self):
        from strand_localstack.custom_resource import CustomResourceProvider

        self.factory = CustomResourceProvider


class DashboardPlugin(CloudFormationResourceProviderPlugin):
    name = "AWS::CloudWatch::Dashboard"

    def __init__(self):
        self.factory = None

    def load(self):
        from strand_localstack.dashboard import DashboardProvider

        self.factory = DashboardProvider
