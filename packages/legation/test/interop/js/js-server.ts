/** A server made with `@a2a-js/sdk` that carries out the scripts of the scenarios. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { LegacyA2AService, legacyGrpcService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import express from "express";
import type { JsonObject } from "../../../src/model/json.ts";
import type { PeerServer } from "../peer.ts";

type Step = JsonObject & { readonly artifact?: JsonObject };

/**
 * Starts the server on a free port.
 *
 * @param isOld speaks v0.3, by the SDK's own layer for it
 */
export async function startJsServer(isOld = false): Promise<PeerServer> {
  const app = express();
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const calls = new Server();
  const bind = promisify(calls.bindAsync.bind(calls));
  const port = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  const card = cardAt(url, `127.0.0.1:${port}`, isOld ? "0.3" : "1.0");
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new ScriptExecutor());
  const legacyCompat = { enabled: isOld };
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/jsonrpc", jsonRpcHandler(options));
  app.use("/rest", restHandler(options));
  calls.addService(A2AService, grpcService(options));
  if (isOld) calls.addService(LegacyA2AService, legacyGrpcService(options));
  const unhush = hushRefusals();
  return {
    url,
    async close() {
      unhush();
      calls.forceShutdown();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The SDK prints to the console what it refuses, and would do so among the results of the tests. */
function hushRefusals(): () => void {
  const { error } = console;
  console.error = (first, ...rest) => {
    if (!/^(Pre-stream error|Error during SSE streaming)/.test(String(first))) error(first, ...rest);
  };
  return () => {
    console.error = error;
  };
}

function cardAt(url: string, grpc: string, protocolVersion: string): AgentCard {
  return AgentCard.fromJSON({
    name: "Scripted by a2a-js",
    description: "Carries out the scripts of the scenarios.",
    version: "1.0.0",
    supportedInterfaces: [
      { url: `${url}/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion },
      { url: `${url}/rest`, protocolBinding: "HTTP+JSON", protocolVersion },
      { url: grpc, protocolBinding: "GRPC", protocolVersion },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [{ id: "rehearse", name: "Rehearse", description: "Carries out a script.", tags: ["test"] }],
  });
}

class ScriptExecutor implements AgentExecutor {
  /** What is left to do after a question, by task. */
  readonly #rest = new Map<string, Step[]>();
  readonly #running = new Map<string, AbortController>();

  execute = async (context: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const { taskId, contextId, userMessage, task } = context;
    const steps = this.#rest.get(taskId) ?? scriptOf(userMessage);
    this.#rest.delete(taskId);
    const reply = steps[0]?.["reply"];
    if (reply !== undefined) {
      bus.publish(AgentEvent.message(messageOf(String(reply), { contextId })));
      bus.finished();
      return;
    }
    const frame = { id: taskId, contextId, status: { state: "TASK_STATE_SUBMITTED" } };
    bus.publish(AgentEvent.task(task ?? Task.fromJSON({ ...frame, history: [Message.toJSON(userMessage)] })));
    const running = new AbortController();
    this.#running.set(taskId, running);
    try {
      await this.#carryOut(steps, { taskId, contextId }, bus, running.signal);
    } catch (thrown) {
      if (!running.signal.aborted) throw thrown;
    } finally {
      this.#running.delete(taskId);
      bus.finished();
    }
  };

  cancelTask = async (taskId: string, bus: ExecutionEventBus): Promise<void> => {
    this.#running.get(taskId)?.abort();
    bus.publish(statusEvent({ taskId }, "TASK_STATE_CANCELED"));
  };

  async #carryOut(
    steps: readonly Step[],
    ids: { readonly taskId: string; readonly contextId: string },
    bus: ExecutionEventBus,
    signal: AbortSignal,
  ): Promise<void> {
    for (const [index, step] of steps.entries()) {
      if (step.artifact !== undefined) bus.publish(artifactEvent(ids, step.artifact));
      else if (typeof step["wait"] === "number") await pause(step["wait"], undefined, { signal });
      else if (typeof step["ask"] === "string") {
        this.#rest.set(ids.taskId, steps.slice(index + 1));
        bus.publish(statusEvent(ids, "TASK_STATE_INPUT_REQUIRED", step["ask"]));
        return;
      } else bus.publish(statusEvent(ids, `TASK_STATE_${step["state"] ?? step["end"]}`, step["text"]));
    }
  }
}

function scriptOf(message: Message): Step[] {
  const { parts } = Message.toJSON(message) as { parts: { data?: { rehearse?: Step[] } }[] };
  const script = parts.find((part) => part.data?.rehearse !== undefined)?.data?.rehearse;
  if (script === undefined) throw new Error("the message holds no script");
  return script;
}

function messageOf(text: string, ids: JsonObject): Message {
  return Message.fromJSON({ messageId: randomUUID(), role: "ROLE_AGENT", parts: [{ text }], ...ids });
}

function statusEvent(ids: JsonObject, state: string, text?: unknown): ReturnType<(typeof AgentEvent)["statusUpdate"]> {
  const message = typeof text === "string" ? { message: Message.toJSON(messageOf(text, ids)) } : {};
  const status = { state, timestamp: new Date().toISOString(), ...message };
  return AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ ...ids, status }));
}

function artifactEvent(ids: JsonObject, step: JsonObject): ReturnType<(typeof AgentEvent)["artifactUpdate"]> {
  const { name, rawBase64, append, lastChunk, ...content } = step;
  const part = rawBase64 === undefined ? content : { raw: rawBase64 };
  const artifact = { artifactId: name, name, parts: [part] };
  return AgentEvent.artifactUpdate(
    TaskArtifactUpdateEvent.fromJSON({ ...ids, artifact, append: append === true, lastChunk: lastChunk === true }),
  );
}
