// A server made with `@a2a-js/sdk` 0.3 that carries out the scripts of the scenarios. Prints `listening <url>`. It is run
// where its packages are installed.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import { A2AService, grpcService } from "@a2a-js/sdk/server/grpc";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import express from "express";

class ScriptExecutor {
  // What is left to do after a question, by task.
  rest = new Map();
  running = new Map();

  async execute({ taskId, contextId, userMessage, task }, bus) {
    const steps = this.rest.get(taskId) ?? scriptOf(userMessage);
    this.rest.delete(taskId);
    if (steps[0].reply !== undefined) {
      bus.publish(messageOf(steps[0].reply, { contextId }));
      bus.finished();
      return;
    }
    const status = { state: "submitted", timestamp: new Date().toISOString() };
    if (task === undefined) bus.publish({ kind: "task", id: taskId, contextId, status, history: [userMessage] });
    const running = new AbortController();
    this.running.set(taskId, running);
    try {
      await this.carryOut(steps, { taskId, contextId }, bus, running.signal);
    } catch (error) {
      if (!running.signal.aborted) throw error;
    } finally {
      this.running.delete(taskId);
      bus.finished();
    }
  }

  async cancelTask(taskId, bus) {
    this.running.get(taskId)?.abort();
    bus.publish(statusEvent({ taskId }, "CANCELED"));
  }

  async carryOut(steps, ids, bus, signal) {
    for (const [index, step] of steps.entries()) {
      if (step.artifact !== undefined) bus.publish(artifactEvent(ids, step.artifact));
      else if (step.wait !== undefined) await pause(step.wait, undefined, { signal });
      else if (step.ask !== undefined) {
        this.rest.set(ids.taskId, steps.slice(index + 1));
        bus.publish(statusEvent(ids, "INPUT_REQUIRED", step.ask));
        return;
      } else bus.publish(statusEvent(ids, step.state ?? step.end, step.text));
    }
  }
}

function scriptOf({ parts }) {
  return parts.find((part) => part.data?.rehearse !== undefined).data.rehearse;
}

function messageOf(text, ids) {
  return { kind: "message", messageId: randomUUID(), role: "agent", parts: [{ kind: "text", text }], ...ids };
}

function statusEvent(ids, name, text) {
  const state = name.toLowerCase().replaceAll("_", "-");
  const message = text === undefined ? {} : { message: messageOf(text, ids) };
  const isFinal = ["COMPLETED", "FAILED", "CANCELED", "REJECTED", "INPUT_REQUIRED"].includes(name);
  const status = { state, timestamp: new Date().toISOString(), ...message };
  return { kind: "status-update", ...ids, status, final: isFinal };
}

function artifactEvent(ids, { name, text, data, url, rawBase64, append = false, lastChunk = false }) {
  let part = { kind: "text", text };
  if (data !== undefined) part = { kind: "data", data };
  if (url !== undefined) part = { kind: "file", file: { uri: url } };
  if (rawBase64 !== undefined) part = { kind: "file", file: { bytes: rawBase64 } };
  return { kind: "artifact-update", ...ids, artifact: { artifactId: name, name, parts: [part] }, append, lastChunk };
}

const app = express();
const web = createServer(app).listen(0, "127.0.0.1");
await once(web, "listening");
const url = `http://127.0.0.1:${web.address().port}`;
const calls = new Server();
const port = await promisify(calls.bindAsync.bind(calls))("127.0.0.1:0", ServerCredentials.createInsecure());
const card = {
  name: "Scripted by a2a-js 0.3",
  description: "Carries out the scripts of the scenarios.",
  protocolVersion: "0.3.0",
  version: "1.0.0",
  url: `${url}/jsonrpc`,
  preferredTransport: "JSONRPC",
  additionalInterfaces: [
    { url: `${url}/jsonrpc`, transport: "JSONRPC" },
    { url: `${url}/rest`, transport: "HTTP+JSON" },
    { url: `127.0.0.1:${port}`, transport: "GRPC" },
  ],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/plain", "application/json"],
  skills: [{ id: "rehearse", name: "Rehearse", description: "Carries out a script.", tags: ["test"] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new ScriptExecutor());
const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/jsonrpc", jsonRpcHandler(options));
app.use("/rest", restHandler(options));
calls.addService(A2AService, grpcService(options));
console.log(`listening ${url}`);
