"""A server made with a2a-sdk that carries out the scripts of the scenarios. Prints `listening <url>`."""

import asyncio
import base64
import socket

import grpc
import uvicorn
from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler
from a2a.server.routes.agent_card_routes import create_agent_card_routes
from a2a.server.routes.jsonrpc_routes import create_jsonrpc_routes
from a2a.server.routes.rest_routes import create_rest_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types.a2a_pb2 import AgentCard, Message, Part, TaskState
from a2a.types.a2a_pb2_grpc import add_A2AServiceServicer_to_server
from google.protobuf.json_format import MessageToDict, ParseDict
from starlette.applications import Starlette


class ScriptExecutor(AgentExecutor):
    def __init__(self):
        # What is left to do after a question, by task.
        self.rest = {}

    async def execute(self, context, event_queue):
        steps = self.rest.pop(context.task_id, None) or script_of(context.message)
        if "reply" in steps[0]:
            reply = Message(message_id="reply", role="ROLE_AGENT", parts=[Part(text=steps[0]["reply"])])
            await event_queue.enqueue_event(reply)
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        for index, step in enumerate(steps):
            if "artifact" in step:
                await add_artifact(updater, step["artifact"])
            elif "wait" in step:
                await asyncio.sleep(step["wait"] / 1000)
            elif "ask" in step:
                self.rest[context.task_id] = steps[index + 1 :]
                await updater.requires_input(updater.new_agent_message([Part(text=step["ask"])]))
                return
            else:
                state = TaskState.Value(f"TASK_STATE_{step.get('state') or step['end']}")
                text = step.get("text")
                message = updater.new_agent_message([Part(text=text)]) if text else None
                await updater.update_status(state, message)

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def add_artifact(updater, step):
    content = {key: step[key] for key in ("text", "data", "url") if key in step}
    part = Part(raw=base64.b64decode(step["rawBase64"])) if "rawBase64" in step else ParseDict(content, Part())
    await updater.add_artifact(
        [part],
        artifact_id=step["name"],
        name=step["name"],
        append=step.get("append"),
        last_chunk=step.get("lastChunk"),
    )


def script_of(message):
    for part in message.parts:
        if part.HasField("data"):
            # Numbers of protobuf values are doubles.
            return MessageToDict(part.data)["rehearse"]
    raise ValueError("the message holds no script")


def card_at(url, grpc_port):
    return ParseDict(
        {
            "name": "Scripted by a2a-python",
            "description": "Carries out the scripts of the scenarios.",
            "version": "1.0.0",
            "supportedInterfaces": [
                {"url": f"{url}/jsonrpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
                {"url": f"{url}/rest", "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0"},
                {"url": f"127.0.0.1:{grpc_port}", "protocolBinding": "GRPC", "protocolVersion": "1.0"},
            ],
            "capabilities": {"streaming": True},
            "defaultInputModes": ["text/plain", "application/json"],
            "defaultOutputModes": ["text/plain", "application/json"],
            "skills": [
                {"id": "rehearse", "name": "Rehearse", "description": "Carries out a script.", "tags": ["test"]}
            ],
        },
        AgentCard(),
    )


async def main():
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    grpc_server = grpc.aio.server()
    card = card_at(url, grpc_server.add_insecure_port("127.0.0.1:0"))
    handler = DefaultRequestHandler(ScriptExecutor(), InMemoryTaskStore(), card)
    add_A2AServiceServicer_to_server(GrpcHandler(handler), grpc_server)
    await grpc_server.start()
    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, "/jsonrpc"),
            *create_rest_routes(handler, path_prefix="/rest"),
        ]
    )
    print(f"listening {url}", flush=True)
    await uvicorn.Server(uvicorn.Config(app, log_level="warning")).serve(sockets=[listener])


asyncio.run(main())
