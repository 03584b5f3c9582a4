"""The client of a2a-sdk 0.3 in the scenarios that v0.3 has: `client.py <agent url> <binding> <scenarios.json>`
prints one JSON report."""

import asyncio
import json
import sys
import uuid

import grpc
import httpx
from a2a.client import A2ACardResolver
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.client.transports.grpc import GrpcTransport
from a2a.client.transports.jsonrpc import JsonRpcTransport
from a2a.client.transports.rest import RestTransport
from a2a.types import MessageSendParams, TaskIdParams, TaskQueryParams

TIMEOUT_SECONDS = 20

# What the specification of 0.3 numbers, and what its SDKs send over gRPC.
REASONS = {
    -32001: "TASK_NOT_FOUND",
    -32002: "TASK_NOT_CANCELABLE",
    grpc.StatusCode.NOT_FOUND: "TASK_NOT_FOUND",
    grpc.StatusCode.FAILED_PRECONDITION: "TASK_NOT_CANCELABLE",
}


class Acts:
    def __init__(self, transport, scripts):
        self.transport = transport
        self.scripts = scripts
        self.sent_id = ""

    def params(self, scenario, message=None, configuration=None):
        parts = [
            {"kind": "text", "text": f"rehearse {scenario}"},
            {"kind": "data", "data": {"rehearse": self.scripts[scenario]}},
        ]
        return MessageSendParams.model_validate(
            {
                "message": {"messageId": str(uuid.uuid4()), "role": "user", "parts": parts, **(message or {})},
                "configuration": {"blocking": True, **(configuration or {})},
            }
        )

    async def send_for_task(self, scenario, **more):
        result = plain(await self.transport.send_message(self.params(scenario, **more)))
        if result["kind"] != "task":
            raise RuntimeError("answered by a message")
        return result

    async def task(self, task_id):
        return plain(await self.transport.get_task(TaskQueryParams(id=task_id, history_length=10)))

    async def send(self):
        task = await self.send_for_task("send")
        self.sent_id = task["id"]
        return {"state": state_of(task), "text": text_of(task["status"].get("message")), "artifacts": texts_of(task)}

    async def parts(self):
        task = await self.send_for_task("parts")
        part = {artifact["name"]: artifact["parts"][0] for artifact in task["artifacts"]}
        return {
            "bytes": part["bytes"]["file"]["bytes"],
            "data": part["data"]["data"],
            "link": part["link"]["file"]["uri"],
        }

    async def stream(self):
        events = [plain(event) async for event in self.transport.send_message_streaming(self.params("stream"))]
        return {
            "first": events[0]["kind"],
            "states": distinct([state_of(event) for event in events if "status" in event]),
            "chunks": [text_of(event["artifact"]) for event in events if event["kind"] == "artifact-update"],
        }

    async def get(self):
        task = await self.task(self.sent_id)
        asked = [message for message in task.get("history", []) if message["role"] == "user"]
        return {
            "same": task["id"] == self.sent_id,
            "state": state_of(task),
            "artifacts": texts_of(task),
            "asked": text_of(asked[0]) if asked else None,
        }

    async def cancel(self):
        task = await self.send_for_task("cancel", configuration={"blocking": False})
        canceled = plain(await self.transport.cancel_task(TaskIdParams(id=task["id"])))
        return {"state": state_of(canceled), "read": state_of(await self.task(task["id"]))}

    async def subscribe(self):
        task = await self.send_for_task("subscribe", configuration={"blocking": False})
        events = [plain(event) async for event in self.transport.resubscribe(TaskIdParams(id=task["id"]))]
        return {
            "first": events[0]["kind"],
            "last": state_of(events[-1]),
            "text": "".join(text_of(event["artifact"]) for event in events if event["kind"] == "artifact-update"),
        }

    async def input(self):
        asked = await self.send_for_task("input")
        answer = {
            "taskId": asked["id"],
            "contextId": asked["contextId"],
            "parts": [{"kind": "text", "text": "the red one"}],
        }
        answered = await self.send_for_task("input", message=answer)
        after = await self.task(answered["id"])
        return {
            "state": state_of(asked),
            "question": text_of(asked["status"].get("message")),
            "after": state_of(answered),
            "artifacts": texts_of(answered),
            "answered": any(text_of(message) == "the red one" for message in after.get("history", [])),
        }

    async def errors(self):
        return {
            "unknown": await reason_of(self.transport.get_task(TaskQueryParams(id="no-such-task"))),
            "terminal": await reason_of(self.transport.cancel_task(TaskIdParams(id=self.sent_id))),
        }

    async def message(self):
        result = plain(await self.transport.send_message(self.params("message")))
        if result["kind"] != "message":
            raise RuntimeError("answered by a task")
        return {"text": text_of(result)}


def plain(model):
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def state_of(holder):
    return holder["status"]["state"].upper().replace("-", "_")


def text_of(holder):
    return "".join(part.get("text", "") for part in (holder or {}).get("parts", []))


def texts_of(task):
    return {artifact["name"]: text_of(artifact) for artifact in task.get("artifacts", [])}


def distinct(states):
    return [s for i, s in enumerate(states) if s != "SUBMITTED" and (i == 0 or s != states[i - 1])]


async def reason_of(call):
    try:
        await call
    except A2AClientJSONRPCError as error:
        return REASONS.get(error.error.code, str(error))
    except A2AClientHTTPError as error:
        # The body is only there in the error below.
        body = error.__cause__.response.json()
        return REASONS.get(body.get("code"), str(error))
    except grpc.aio.AioRpcError as error:
        return REASONS.get(error.code(), str(error))
    return "none"


async def main():
    url, binding, scenarios = sys.argv[1:]
    with open(scenarios, encoding="utf-8") as file:
        scripts = json.load(file)
    async with httpx.AsyncClient(timeout=TIMEOUT_SECONDS) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        address = next(entry.url for entry in card.additional_interfaces if entry.transport == binding)
        if binding == "GRPC":
            transport = GrpcTransport(grpc.aio.insecure_channel(address), card)
        elif binding == "HTTP+JSON":
            transport = RestTransport(http, card, address)
        else:
            transport = JsonRpcTransport(http, card, address)
        acts = Acts(transport, scripts)
        report = {}
        for name in ["send", "parts", "stream", "get", "cancel", "subscribe", "input", "errors", "message"]:
            try:
                async with asyncio.timeout(TIMEOUT_SECONDS):
                    report[name] = {"saw": await getattr(acts, name)()}
            except Exception as error:  # noqa: BLE001
                report[name] = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(report))


asyncio.run(main())
