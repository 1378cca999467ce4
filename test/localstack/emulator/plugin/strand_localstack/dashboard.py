"""CloudWatch dashboards in CloudFormation, which LocalStack's community edition ignores without a word."""

from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent, ResourceProvider


class DashboardProvider(ResourceProvider):
    TYPE = "AWS::CloudWatch::Dashboard"
    SCHEMA = {
        "typeName": TYPE,
        "properties": {"DashboardName": {"type": "string"}, "DashboardBody": {"type": "string"}},
        "primaryIdentifier": ["/properties/DashboardName"],
    }

    def create(self, request):
        return put(request, f"{request.stack_name}-{request.logical_resource_id}"[:255])

    def update(self, request):
        return put(request, request.previous_state["DashboardName"])

    def delete(self, request):
        name = request.desired_state["DashboardName"]
        request.aws_client_factory.cloudwatch.delete_dashboards(DashboardNames=[name])
        return ProgressEvent(OperationStatus.SUCCESS, resource_model={})


def put(request, default_name: str) -> ProgressEvent:
    model = {"DashboardName": default_name, **request.desired_state}
    request.aws_client_factory.cloudwatch.put_dashboard(
        DashboardName=model["DashboardName"], DashboardBody=model["DashboardBody"]
    )
    return ProgressEvent(OperationStatus.SUCCESS, resource_model=model)
