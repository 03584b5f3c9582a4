/** The client of `@a2a-js/sdk` in the scenarios. */
import { randomUUID } from "node:crypto";
import {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  type SendMessageResult,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { A2AError } from "@a2a-js/sdk/errors";
import type * as wire from "../../../src/model/gen/types.ts";
import type { JsonObject, JsonValue } from "../../../src/model/json.ts";
import { type Binding, distinctStates, partsFor, type Report, report, type Scenario } from "../scenario.ts";

/** What a send takes beside the script. */
interface Extra {
  readonly message?: JsonObject;
  readonly configuration?: JsonObject;
}

/**
 * Carries out the scenarios with the client of the SDK.
 *
 * @param url base URL of the agent, below which its card is
 */
export async function driveWithJs(url: string, binding: Binding): Promise<Report> {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
      preferredTransports: [binding],
    }),
  );
  const client = await factory.createFromUrl(url);
  if (client.transport.protocolName !== binding) throw new Error(`the client speaks ${client.transport.protocolName}`);
  return report(actsOf(client));
}

function actsOf(client: Client): Record<Scenario, () => Promise<JsonValue>> {
  let sentId = "";
  return {
    send: async () => {
      const task = taskOf(await send(client, "send"));
      sentId = task.id;
      return { state: shortState(task), text: textOf(task.status.message), artifacts: textsOf(task) };
    },
    parts: async () => {
      const { artifacts = [] } = taskOf(await send(client, "parts"));
      const partOf = (name: string): wire.Part | undefined =>
        artifacts.find((artifact) => artifact.name === name)?.parts[0];
      return {
        bytes: partOf("bytes")?.raw ?? null,
        data: partOf("data")?.data ?? null,
        link: partOf("link")?.url ?? null,
      };
    },
    stream: async () => {
      const events = await collect(client.sendMessageStream(requestOf("stream")));
      const states = events.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state.slice(11));
      return {
        first: Object.keys(events[0] ?? {})[0] ?? null,
        states: distinctStates(states.filter((state) => state !== undefined)),
        chunks: events.flatMap(({ artifactUpdate }) =>
          artifactUpdate === undefined ? [] : [textOf(artifactUpdate.artifact)],
        ),
      };
    },
    get: async () => {
      const task = toTask(await client.getTask(GetTaskRequest.fromJSON({ id: sentId })));
      const bare = toTask(await client.getTask(GetTaskRequest.fromJSON({ id: sentId, historyLength: 0 })));
      return {
        same: task.id === sentId,
        state: shortState(task),
        artifacts: textsOf(task),
        asked: textOf(task.history?.find(({ role }) => role === "ROLE_USER")),
        bare: bare.history?.length ?? 0,
      };
    },
    list: () => listPages(client),
    cancel: async () => {
      const task = taskOf(await send(client, "cancel", { configuration: { returnImmediately: true } }));
      const canceled = toTask(await client.cancelTask(CancelTaskRequest.fromJSON({ id: task.id })));
      const then = toTask(await client.getTask(GetTaskRequest.fromJSON({ id: task.id })));
      return { state: shortState(canceled), read: shortState(then) };
    },
    subscribe: async () => {
      const task = taskOf(await send(client, "subscribe", { configuration: { returnImmediately: true } }));
      const events = await collect(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: task.id })));
      const last = events.at(-1)?.statusUpdate?.status.state ?? "TASK_STATE_none";
      const text = events.map(({ artifactUpdate }) => textOf(artifactUpdate?.artifact) ?? "").join("");
      return { first: Object.keys(events[0] ?? {})[0] ?? null, last: last.slice(11), text };
    },
    input: () => askAndAnswer(client),
    errors: async () => ({
      unknown: await reasonOf(client.getTask(GetTaskRequest.fromJSON({ id: "no-such-task" }))),
      terminal: await reasonOf(client.cancelTask(CancelTaskRequest.fromJSON({ id: sentId }))),
    }),
    refused: async () => ({
      lost: await reasonOf(
        collect(client.sendMessageStream(requestOf("send", { message: { taskId: "no-such-task" } }))),
      ),
      ended: await reasonOf(collect(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id: sentId })))),
    }),
    message: async () => {
      const result = await send(client, "message");
      if (!("messageId" in result)) throw new Error("answered by a task");
      return { text: textOf(Message.toJSON(result) as wire.Message) };
    },
  };
}

async function askAndAnswer(client: Client): Promise<JsonValue> {
  const asked = taskOf(await send(client, "input"));
  const answer = {
    messageId: randomUUID(),
    role: "ROLE_USER",
    taskId: asked.id,
    contextId: asked.contextId ?? "",
    parts: [{ text: "the red one" }],
  };
  const answered = taskOf(await client.sendMessage(SendMessageRequest.fromJSON({ message: answer })));
  const after = toTask(await client.getTask(GetTaskRequest.fromJSON({ id: answered.id })));
  return {
    state: shortState(asked),
    question: textOf(asked.status.message),
    after: shortState(answered),
    artifacts: textsOf(answered),
    answered: (after.history ?? []).some((message) => textOf(message) === "the red one"),
  };
}

async function listPages(client: Client): Promise<JsonValue> {
  const contextId = `interop-${randomUUID()}`;
  await send(client, "send", { message: { contextId } });
  await send(client, "send", { message: { contextId } });
  const list = async (filter: JsonObject): Promise<wire.ListTasksResponse> => {
    const page = await client.listTasks(ListTasksRequest.fromJSON({ contextId, ...filter }));
    return ListTasksResponse.toJSON(page) as wire.ListTasksResponse;
  };
  const first = await list({ pageSize: 1 });
  const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
  const failed = await list({ status: "TASK_STATE_FAILED" });
  const tasks = [first, second].map((page) => page.tasks ?? []);
  return {
    total: first.totalSize,
    pages: tasks.map((page) => page.length),
    distinct: new Set(tasks.flat().map(({ id }) => id)).size,
    // The SDK leaves out of its JSON what is empty.
    lastToken: second.nextPageToken ?? "",
    failed: failed.tasks?.length ?? 0,
  };
}

function requestOf(scenario: string, extra: Extra = {}): SendMessageRequest {
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: partsFor(scenario), ...extra.message };
  return SendMessageRequest.fromJSON({ message, ...(extra.configuration && { configuration: extra.configuration }) });
}

function send(client: Client, scenario: string, extra: Extra = {}): Promise<SendMessageResult> {
  return client.sendMessage(requestOf(scenario, extra));
}

function toTask(task: Task): wire.Task {
  return Task.toJSON(task) as wire.Task;
}

function taskOf(result: SendMessageResult): wire.Task {
  if ("messageId" in result) throw new Error("answered by a message");
  return toTask(result);
}

async function collect(stream: AsyncIterable<StreamResponse>): Promise<wire.StreamResponse[]> {
  const events: wire.StreamResponse[] = [];
  for await (const event of stream) events.push(StreamResponse.toJSON(event) as wire.StreamResponse);
  return events;
}

function shortState(task: wire.Task): string {
  return task.status.state.slice("TASK_STATE_".length);
}

function textOf(holder: { readonly parts: readonly wire.Part[] } | undefined): string | null {
  return holder === undefined ? null : holder.parts.map(({ text }) => text ?? "").join("");
}

function textsOf(task: wire.Task): JsonObject {
  return Object.fromEntries((task.artifacts ?? []).map((artifact) => [artifact.name ?? "", textOf(artifact)]));
}

async function reasonOf(refused: Promise<unknown>): Promise<string> {
  try {
    await refused;
    return "none";
  } catch (thrown) {
    if (thrown instanceof A2AError) return thrown.reason ?? thrown.name;
    throw thrown;
  }
}
