"""
Custom resources backed by a function, which LocalStack's community edition ignores without a word. Their functions
answer by a PUT to the URL in the event.
"""

import json
import threading
import uuid

from localstack import config
from localstack.http import Response, route
from localstack.services.cloudformation.resource_provider import OperationStatus, ProgressEvent, ResourceProvider
from localstack.services.edge import ROUTER
from localstack.utils.objects import singleton_factory

ANSWER_PATH = "/_strand/custom-resource"
DEFAULT_TIMEOUT_S = 120
ANSWERED = "StrandAnswered"
"""Property that names the attributes of the function's answer: the next event must not carry them."""


class Answers:
    def __init__(self):
        self.waiting: dict[str, tuple[threading.Event, dict]] = {}

    @route(f"{ANSWER_PATH}/<token>", methods=["PUT"])
    def receive(self, request, token: str):
        if entry := self.waiting.get(token):
            answered, answer = entry
            answer.update(json.loads(request.data))
            answered.set()
        return Response(status=200)


@singleton_factory
def answers() -> Answers:
    created = Answers()
    ROUTER.add(created)
    return created


class CustomResourceProvider(ResourceProvider):
    TYPE = "AWS::CloudFormation::CustomResource"
    SCHEMA = {
        "typeName": TYPE,
        "properties": {"ServiceToken": {"type": "string"}, "PhysicalResourceId": {"type": "string"}},
        "primaryIdentifier": ["/properties/PhysicalResourceId"],
        "readOnlyProperties": ["/properties/PhysicalResourceId"],
    }

    def create(self, request):
        return ask_function(request, "Create")

    def update(self, request):
        return ask_function(request, "Update")

    def delete(self, request):
        return ask_function(request, "Delete")


def ask_function(request, kind: str) -> ProgressEvent:
    wanted, previous = dict(request.desired_state or {}), dict(request.previous_state or {})
    physical_id = wanted.get("PhysicalResourceId") or previous.get("PhysicalResourceId")
    token = uuid.uuid4().hex
    event = {
        "RequestType": kind,
        # The functions of CDK take host name and path of it, and go to port 443: see runtime.ts.
        "ResponseURL": f"https://127.0.0.1:{config.GATEWAY_LISTEN[0].port}{ANSWER_PATH}/{token}",
        "StackId": request.stack_id,
        "RequestId": str(uuid.uuid4()),
        "ResourceType": request.resource_type,
        "LogicalResourceId": request.logical_resource_id,
        "ResourceProperties": properties_of(wanted),
        "ServiceToken": wanted["ServiceToken"],
    }
    if physical_id:
        event["PhysicalResourceId"] = physical_id
    if kind == "Update":
        event["OldResourceProperties"] = properties_of(previous)
    answer = answer_to(request, event, token, int(wanted.get("ServiceTimeout") or DEFAULT_TIMEOUT_S))
    if answer.get("Status") != "SUCCESS":
        reason = answer.get("Reason", "the function gave no reason")
        return ProgressEvent(OperationStatus.FAILED, resource_model=wanted, message=reason)
    data = answer.get("Data") or {}
    model = {
        **wanted,
        **data,
        ANSWERED: list(data),
        "PhysicalResourceId": answer.get("PhysicalResourceId") or physical_id or token,
    }
    return ProgressEvent(OperationStatus.SUCCESS, resource_model=model)


def answer_to(request, event: dict, token: str, timeout_s: int) -> dict:
    answered, answer = threading.Event(), {}
    waiting = answers().waiting
    waiting[token] = (answered, answer)
    try:
        request.aws_client_factory.lambda_.invoke(
            FunctionName=event["ServiceToken"], InvocationType="Event", Payload=json.dumps(event)
        )
        if not answered.wait(timeout_s):
            return {"Status": "FAILED", "Reason": f"The function gave no answer in {timeout_s} s"}
        return answer
    finally:
        del waiting[token]


def properties_of(model: dict) -> dict:
    hidden = {"PhysicalResourceId", ANSWERED, *model.get(ANSWERED, [])}
    return {name: as_text(value) for name, value in model.items() if name not in hidden}


def as_text(value):
    """CloudFormation gives all scalars as strings."""
    match value:
        case dict():
            return {name: as_text(entry) for name, entry in value.items()}
        case list():
            return [as_text(entry) for entry in value]
        case bool():
            return str(value).lower()
        case None:
            return None
        case _:
            return str(value)
