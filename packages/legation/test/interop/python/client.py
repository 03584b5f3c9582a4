"""The client of a2a-sdk in the scenarios: `client.py <agent url> <binding> <scenarios.json>` prints one JSON report."""

import asyncio
import base64
import json
import sys
import uuid

import grpc
import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
)
from a2a.utils.errors import A2A_ERROR_REASONS, A2AError
from google.protobuf.json_format import MessageToDict, ParseDict

TIMEOUT_SECONDS = 20


class Acts:
    def __init__(self, plain, streaming, scripts):
        self.plain = plain
        self.streaming = streaming
        self.scripts = scripts
        self.sent_id = ""

    def request(self, scenario, message=None, configuration=None):
        parts = [{"text": f"rehearse {scenario}"}, {"data": {"rehearse": self.scripts[scenario]}}]
        body = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": parts, **(message or {})}
        return ParseDict({"message": body, "configuration": configuration or {}}, SendMessageRequest())

    async def ask(self, request):
        async for event in self.plain.send_message(request):
            return MessageToDict(event)
        raise RuntimeError("no answer")

    async def send_for_task(self, scenario, **more):
        answer = await self.ask(self.request(scenario, **more))
        if "task" not in answer:
            raise RuntimeError("answered by a message")
        return answer["task"]

    async def task(self, task_id, **more):
        return MessageToDict(await self.plain.get_task(ParseDict({"id": task_id, **more}, GetTaskRequest())))

    async def send(self):
        task = await self.send_for_task("send")
        self.sent_id = task["id"]
        return {"state": state_of(task), "text": text_of(task["status"].get("message")), "artifacts": texts_of(task)}

    async def parts(self):
        task = await self.send_for_task("parts")
        part = {artifact["name"]: artifact["parts"][0] for artifact in task["artifacts"]}
        return {
            # Read back and written anew: the alphabet in which the SDK prints bytes is not what is compared.
            "bytes": base64.b64encode(base64.b64decode(part["bytes"]["raw"])).decode(),
            "data": part["data"]["data"],
            "link": part["link"]["url"],
        }

    async def stream(self):
        events = [MessageToDict(event) async for event in self.streaming.send_message(self.request("stream"))]
        holders = [event.get("task") or event.get("statusUpdate") for event in events]
        return {
            "first": next(iter(events[0]), None),
            "states": distinct([state_of(holder) for holder in holders if holder]),
            "chunks": [text_of(event["artifactUpdate"]["artifact"]) for event in events if "artifactUpdate" in event],
        }

    async def get(self):
        task = await self.task(self.sent_id)
        bare = await self.task(self.sent_id, historyLength=0)
        asked = [message for message in task.get("history", []) if message["role"] == "ROLE_USER"]
        return {
            "same": task["id"] == self.sent_id,
            "state": state_of(task),
            "artifacts": texts_of(task),
            "asked": text_of(asked[0]) if asked else None,
            "bare": len(bare.get("history", [])),
        }

    async def list(self):
        context_id = f"interop-{uuid.uuid4()}"
        for _ in range(2):
            await self.send_for_task("send", message={"contextId": context_id})

        async def page(**more):
            return await self.plain.list_tasks(ParseDict({"contextId": context_id, **more}, ListTasksRequest()))

        first = await page(pageSize=1)
        second = await page(pageSize=1, pageToken=first.next_page_token)
        failed = await page(status="TASK_STATE_FAILED")
        return {
            "total": first.total_size,
            "pages": [len(first.tasks), len(second.tasks)],
            "distinct": len({task.id for task in [*first.tasks, *second.tasks]}),
            "lastToken": second.next_page_token,
            "failed": len(failed.tasks),
        }

    async def cancel(self):
        task = await self.send_for_task("cancel", configuration={"returnImmediately": True})
        canceled = MessageToDict(await self.plain.cancel_task(CancelTaskRequest(id=task["id"])))
        return {"state": state_of(canceled), "read": state_of(await self.task(task["id"]))}

    async def subscribe(self):
        task = await self.send_for_task("subscribe", configuration={"returnImmediately": True})
        followed = self.streaming.subscribe(SubscribeToTaskRequest(id=task["id"]))
        events = [MessageToDict(event) async for event in followed]
        text = "".join(text_of(event["artifactUpdate"]["artifact"]) for event in events if "artifactUpdate" in event)
        last = events[-1].get("statusUpdate")
        return {"first": next(iter(events[0]), None), "last": state_of(last) if last else None, "text": text}

    async def input(self):
        asked = await self.send_for_task("input")
        answer = {
            "messageId": str(uuid.uuid4()),
            "role": "ROLE_USER",
            "taskId": asked["id"],
            "contextId": asked["contextId"],
            "parts": [{"text": "the red one"}],
        }
        answered = (await self.ask(ParseDict({"message": answer}, SendMessageRequest())))["task"]
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
            "unknown": await reason_of(self.plain.get_task(GetTaskRequest(id="no-such-task"))),
            "terminal": await reason_of(self.plain.cancel_task(CancelTaskRequest(id=self.sent_id))),
        }

    async def refused(self):
        return {
            "lost": await reason_of(
                drain(self.streaming.send_message(self.request("send", message={"taskId": "no-such-task"})))
            ),
            "ended": await reason_of(drain(self.streaming.subscribe(SubscribeToTaskRequest(id=self.sent_id)))),
        }

    async def message(self):
        answer = await self.ask(self.request("message"))
        if "message" not in answer:
            raise RuntimeError("answered by a task")
        return {"text": text_of(answer["message"])}


def state_of(holder):
    return holder["status"]["state"].removeprefix("TASK_STATE_")


def text_of(holder):
    return None if holder is None else "".join(part.get("text", "") for part in holder["parts"])


def texts_of(task):
    return {artifact["name"]: text_of(artifact) for artifact in task.get("artifacts", [])}


def distinct(states):
    kept = []
    for state in states:
        if state != "SUBMITTED" and kept[-1:] != [state]:
            kept.append(state)
    return kept


async def drain(events):
    async for _ in events:
        pass


async def reason_of(refused):
    try:
        await refused
        return "none"
    except A2AError as error:
        return A2A_ERROR_REASONS.get(type(error), type(error).__name__)


async def main(url, binding, scripts_file):
    with open(scripts_file, encoding="utf8") as file:
        scripts = json.load(file)

    async def connect(streaming):
        config = ClientConfig(
            streaming=streaming,
            httpx_client=httpx.AsyncClient(timeout=TIMEOUT_SECONDS),
            grpc_channel_factory=grpc.aio.insecure_channel,
            supported_protocol_bindings=[binding],
            use_client_preference=True,
        )
        return await ClientFactory(config).create_from_url(url)

    acts = Acts(await connect(False), await connect(True), scripts)
    report = {}
    for scenario in [*"send parts stream get list cancel subscribe input errors refused message".split()]:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                report[scenario] = {"saw": await getattr(acts, scenario)()}
        except Exception as error:  # noqa: BLE001: one fault must hide no other
            report[scenario] = {"error": f"{type(error).__name__}: {error}"}
    await acts.plain.close()
    await acts.streaming.close()
    print(json.dumps(report))


asyncio.run(main(*sys.argv[1:4]))
