"""A server made with a2a-sdk 0.3 that carries out the scripts of the scenarios. Prints `listening <url>`."""

import asyncio
import socket

import grpc
import uvicorn
from a2a.grpc.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCard, Part, TaskState
from a2a.utils import new_agent_text_message, new_task


class ScriptExecutor(AgentExecutor):
    def __init__(self):
        # What is left to do after a question, by task.
        self.rest = {}

    async def execute(self, context, event_queue):
        steps = self.rest.pop(context.task_id, None) or script_of(context.message)
        if "reply" in steps[0]:
            await event_queue.enqueue_event(new_agent_text_message(steps[0]["reply"], context.context_id))
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        for index, step in enumerate(steps):
            if "artifact" in step:
                await add_artifact(updater, step["artifact"])
            elif "wait" in step:
                await asyncio.sleep(step["wait"] / 1000)
            elif "ask" in step:
                self.rest[context.task_id] = steps[index + 1 :]
                await updater.requires_input(updater.new_agent_message([text_part(step["ask"])]), final=True)
                return
            else:
                state = TaskState((step.get("state") or step["end"]).lower().replace("_", "-"))
                text = step.get("text")
                message = updater.new_agent_message([text_part(text)]) if text else None
                await updater.update_status(state, message, final="end" in step)

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def text_part(text):
    return Part.model_validate({"kind": "text", "text": text})


async def add_artifact(updater, step):
    if "data" in step:
        part = {"kind": "data", "data": step["data"]}
    elif "url" in step:
        part = {"kind": "file", "file": {"uri": step["url"]}}
    elif "rawBase64" in step:
        part = {"kind": "file", "file": {"bytes": step["rawBase64"]}}
    else:
        part = {"kind": "text", "text": step["text"]}
    await updater.add_artifact(
        [Part.model_validate(part)],
        artifact_id=step["name"],
        name=step["name"],
        append=step.get("append"),
        last_chunk=step.get("lastChunk"),
    )


def script_of(message):
    for part in message.parts:
        if part.root.kind == "data":
            return part.root.data["rehearse"]
    raise ValueError("the message holds no script")


def card_at(url, grpc_port):
    return AgentCard.model_validate(
        {
            "name": "Scripted by a2a-python 0.3",
            "description": "Carries out the scripts of the scenarios.",
            "version": "1.0.0",
            "protocolVersion": "0.3.0",
            "url": f"{url}/jsonrpc",
            "preferredTransport": "JSONRPC",
            "additionalInterfaces": [
                {"url": f"{url}/jsonrpc", "transport": "JSONRPC"},
                {"url": f"{url}/rest", "transport": "HTTP+JSON"},
                {"url": f"127.0.0.1:{grpc_port}", "transport": "GRPC"},
            ],
            "capabilities": {"streaming": True},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["text/plain", "application/json"],
            "skills": [
                {"id": "rehearse", "name": "Rehearse", "description": "Carries out a script.", "tags": ["test"]}
            ],
        }
    )


async def main():
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    grpc_server = grpc.aio.server()
    card = card_at(url, grpc_server.add_insecure_port("127.0.0.1:0"))
    handler = DefaultRequestHandler(ScriptExecutor(), InMemoryTaskStore())
    add_A2AServiceServicer_to_server(GrpcHandler(card, handler), grpc_server)
    await grpc_server.start()
    app = A2AStarletteApplication(card, handler).build(rpc_url="/jsonrpc")
    app.mount("/rest", A2ARESTFastAPIApplication(card, handler).build())
    print(f"listening {url}", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


asyncio.run(main())
