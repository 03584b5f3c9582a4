/** The same agent on the official JavaScript SDK, as its README builds one: DefaultRequestHandler on express. */
import type { AddressInfo } from "node:net";
import { AgentCard, Message, Task, TaskArtifactUpdateEvent, type TaskState, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
  ServerCallContext,
  type TaskStore,
} from "@a2a-js/sdk/server";
import { jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { ANSWER, type Behaviour, chunkText, nextTurn, type ServerSetup, type StreamPlan } from "./behaviour.ts";
import { Gate, serveControls, usedBytes } from "./control.ts";
import { probeControls } from "./loop-probe.ts";
import { openSdkStore } from "./sdk-store.ts";

const gate = new Gate();

// Made once: an event is a copy of one of these with its ids in place.
const agentMessage = Message.fromJSON({ messageId: "x", role: "ROLE_AGENT", parts: [{ text: ANSWER }] });
const submitted = Task.fromJSON({ id: "x", contextId: "x", status: { state: "TASK_STATE_SUBMITTED" } });
const states: Readonly<Record<"WORKING" | "INPUT_REQUIRED" | "COMPLETED", TaskStatusUpdateEvent>> = {
  WORKING: statusUpdate("TASK_STATE_WORKING"),
  INPUT_REQUIRED: statusUpdate("TASK_STATE_INPUT_REQUIRED"),
  COMPLETED: statusUpdate("TASK_STATE_COMPLETED"),
};
const chunk = TaskArtifactUpdateEvent.fromJSON({
  taskId: "x",
  contextId: "x",
  artifact: { artifactId: "answer", name: "answer.txt", parts: [{ text: "" }] },
});

function statusUpdate(state: keyof typeof TaskState): TaskStatusUpdateEvent {
  return TaskStatusUpdateEvent.fromJSON({ taskId: "x", contextId: "x", status: { state } });
}

function publishState(bus: ExecutionEventBus, context: RequestContext, state: keyof typeof states): void {
  const { taskId, contextId } = context;
  const { status } = states[state];
  if (status === undefined) throw new Error(`no status ${state}`);
  const timestamp = new Date().toISOString();
  bus.publish(AgentEvent.statusUpdate({ ...states[state], taskId, contextId, status: { ...status, timestamp } }));
}

function publishTask(bus: ExecutionEventBus, { taskId, contextId, task, userMessage }: RequestContext): void {
  bus.publish(AgentEvent.task(task ?? { ...submitted, id: taskId, contextId, history: [userMessage] }));
}

function publishText(bus: ExecutionEventBus, context: RequestContext, text: string, append: boolean): void {
  const { taskId, contextId } = context;
  const artifact = chunk.artifact;
  const part = artifact?.parts[0];
  if (artifact === undefined || part === undefined) throw new Error("no artifact to copy");
  const parts = [{ ...part, content: { $case: "text" as const, value: text } }];
  bus.publish(AgentEvent.artifactUpdate({ ...chunk, taskId, contextId, append, artifact: { ...artifact, parts } }));
}

const work: AgentExecutor["execute"] = async (context, bus) => {
  publishTask(bus, context);
  publishState(bus, context, "WORKING");
  publishText(bus, context, ANSWER, false);
  publishState(bus, context, "COMPLETED");
  bus.finished();
};

const stream: AgentExecutor["execute"] = async (context, bus) => {
  const plan = JSON.parse(textOf(context)) as StreamPlan;
  publishTask(bus, context);
  publishState(bus, context, "WORKING");
  if (plan.gated) await gate.passed();
  for (let index = 0; index < plan.chunks; index++) {
    if (plan.perTurn > 0 && index % plan.perTurn === 0) await nextTurn();
    publishText(bus, context, chunkText(plan, index), index > 0);
  }
  publishState(bus, context, "COMPLETED");
  bus.finished();
};

function textOf({ userMessage }: RequestContext): string {
  const content = userMessage.parts[0]?.content;
  return content?.$case === "text" ? content.value : "{}";
}

const behaviours: Readonly<Partial<Record<Behaviour, AgentExecutor["execute"]>>> = {
  async echo({ contextId }, bus) {
    bus.publish(AgentEvent.message({ ...agentMessage, messageId: crypto.randomUUID(), contextId }));
    bus.finished();
  },
  task: work,
  stream,
  mixed: (context, bus) => (textOf(context).startsWith("{") ? stream : work)(context, bus),
  async conversation(context, bus) {
    publishTask(bus, context);
    publishState(bus, context, "INPUT_REQUIRED");
    bus.finished();
  },
};

const setup = JSON.parse(process.argv[2] ?? "{}") as ServerSetup;
// It says of every notification that it was sent; that is not what is measured.
if (setup.push === true) console.info = () => {};
const execute = behaviours[setup.behaviour];
if (execute === undefined) throw new Error(`the SDK has no ${setup.behaviour}`);

const store: TaskStore = setup.store.startsWith("sqlite:")
  ? openSdkStore(setup.store.slice("sqlite:".length))
  : new InMemoryTaskStore();

/** Puts finished tasks into the store without the way through HTTP, which would take minutes. */
async function seed(count: number): Promise<void> {
  const context = new ServerCallContext();
  for (let index = 0; index < count; index++) {
    const id = crypto.randomUUID();
    const task = Task.fromJSON({
      id,
      contextId: crypto.randomUUID(),
      status: { state: "TASK_STATE_COMPLETED", timestamp: new Date().toISOString() },
      artifacts: [{ artifactId: "answer", name: "answer.txt", parts: [{ text: ANSWER }] }],
      history: [{ messageId: crypto.randomUUID(), role: "ROLE_USER", taskId: id, parts: [{ text: ANSWER }] }],
    });
    await store.save(task, context);
  }
}

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const card = AgentCard.fromJSON({
    name: "Bench",
    description: "Answers as fast as it can.",
    version: "1.0.0",
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
    capabilities: { streaming: true, pushNotifications: setup.push === true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "answer", name: "Answer", description: "Answers.", tags: [] }],
  });
  const executor: AgentExecutor = { execute, cancelTask: async () => {} };
  const requestHandler = new DefaultRequestHandler(card, store, executor);
  const userBuilder = UserBuilder.noAuthentication;
  app.use("/rest", restHandler({ requestHandler, userBuilder }));
  app.use("/", jsonRpcHandler({ requestHandler, userBuilder }));
  serveControls(port, { ...probeControls, go: () => gate.open(), usedBytes, seed: (count) => seed(Number(count)) });
});
