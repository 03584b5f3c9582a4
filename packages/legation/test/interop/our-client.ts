/** Our client in the scenarios. */
import { randomUUID } from "node:crypto";
import { type Client, type ConnectOptions, isA2AError, type TaskHandle } from "../../src/client/index.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { EventStream } from "../../src/operations/service.ts";
import { type Binding, distinctStates, partsFor, type Report, report, type Scenario } from "./scenario.ts";

/** Longest that one operation may take: a peer that never answers is a fault, not a hung run. */
const OPERATION_MS = 20_000;

/**
 * Carries out the scenarios against a server.
 *
 * @param url base URL of the agent
 * @param binding the one to speak; the card must offer it
 * @param old speaks v0.3, and only that
 */
export async function driveWithOurs(url: string, binding: Binding, old = false): Promise<Report> {
  const options: ConnectOptions = old ? { compat: v0_3(), versions: ["0.3"] } : {};
  const client = await connect(url, { ...options, prefer: [binding] });
  try {
    if (client.interface.protocolBinding !== binding) throw new Error(`the card at ${url} offers no ${binding}`);
    return await report(actsOf(client));
  } finally {
    await client.close();
  }
}

function actsOf(client: Client): Record<Scenario, () => Promise<JsonValue>> {
  let sent: TaskHandle | undefined;
  const options = { timeoutMs: OPERATION_MS };
  return {
    send: async () => {
      sent = asTask(await client.send(partsFor("send"), options));
      return { state: sent.state, text: sent.text, artifacts: await textsOf(sent) };
    },
    parts: async () => {
      const task = asTask(await client.send(partsFor("parts"), options));
      const bytes = await task.artifact("bytes")?.bytes();
      return {
        bytes: bytes === undefined ? null : Buffer.from(bytes).toString("base64"),
        data: (await task.artifact("data")?.data()) ?? null,
        link: task.artifact("link")?.parts[0]?.url ?? null,
      };
    },
    stream: () => watchStream(client),
    get: async () => {
      if (sent === undefined) throw new Error("nothing was sent");
      const task = await client.task(sent.id, options);
      const bare = await client.task(sent.id, { ...options, historyLength: 0 });
      const asked = task.history.find(({ raw }) => raw.role === "ROLE_USER")?.text ?? null;
      const artifacts = await textsOf(task);
      return { same: task.id === sent.id, state: task.state, artifacts, asked, bare: bare.history.length };
    },
    list: () => listPages(client),
    cancel: async () => {
      const task = asTask(await client.send(partsFor("cancel"), { ...options, returnImmediately: true }));
      const canceled = await task.cancel(options);
      return { state: canceled.state, read: (await client.task(task.id, options)).state };
    },
    subscribe: () => watchSubscription(client),
    input: async () => {
      const asked = asTask(await client.send(partsFor("input"), options));
      const answered = asTask(await asked.reply("the red one", options));
      const after = await client.task(answered.id, options);
      return {
        state: asked.state,
        question: asked.question ?? null,
        after: answered.state,
        artifacts: await textsOf(answered),
        answered: after.history.some(({ text }) => text === "the red one"),
      };
    },
    errors: async () => ({
      unknown: await reasonOf(client.task("no-such-task", options)),
      terminal: await reasonOf(client.cancel(sent?.id ?? "", options)),
    }),
    refused: async () => ({
      lost: await reasonOf(client.stream("hello", { ...options, taskId: "no-such-task" }).result),
      // Asked as the operation is: the client's own verb answers with the task as it ended.
      ended: await reasonOf(drain(client.service.subscribeToTask({ id: sent?.id ?? "" }, plainCall()))),
    }),
    message: async () => {
      const reply = await client.send(partsFor("message"), options);
      if (reply.kind !== "message") throw new Error(`answered by task ${reply.id}`);
      return { text: reply.text };
    },
  };
}

async function watchStream(client: Client): Promise<JsonValue> {
  const states: string[] = [];
  const chunks: string[] = [];
  let first: string | undefined;
  for await (const event of client.stream(partsFor("stream"), { timeoutMs: OPERATION_MS })) {
    first ??= event.kind;
    if (event.kind === "task") states.push(event.task.state);
    if (event.kind === "status") states.push(event.state);
    if (event.kind === "artifact") chunks.push(event.text);
  }
  return { first: first ?? null, states: distinctStates(states), chunks };
}

async function watchSubscription(client: Client): Promise<JsonValue> {
  const options = { timeoutMs: OPERATION_MS };
  const task = asTask(await client.send(partsFor("subscribe"), { ...options, returnImmediately: true }));
  let first: string | undefined;
  let text = "";
  const run = client.subscribe(task.id, options);
  for await (const event of run) {
    first ??= event.kind;
    if (event.kind === "artifact") text = event.append ? text + event.text : event.text;
  }
  return { first: first ?? null, last: asTask(await run.result).state, text };
}

async function listPages(client: Client): Promise<JsonValue> {
  const contextId = `interop-${randomUUID()}`;
  const options = { timeoutMs: OPERATION_MS };
  await client.send(partsFor("send"), { ...options, contextId });
  await client.send(partsFor("send"), { ...options, contextId });
  const first = await client.tasks({ ...options, contextId, pageSize: 1 }).page();
  const second = await client.tasks({ ...options, contextId, pageSize: 1, pageToken: first.nextPageToken }).page();
  const failed = await client.tasks({ ...options, contextId, state: "FAILED" }).page();
  const ids = new Set([...first.tasks, ...second.tasks].map(({ id }) => id));
  return {
    total: first.totalSize,
    pages: [first.tasks.length, second.tasks.length],
    distinct: ids.size,
    lastToken: second.nextPageToken,
    failed: failed.tasks.length,
  };
}

function asTask(reply: Awaited<ReturnType<Client["send"]>>): TaskHandle {
  if (reply.kind !== "task") throw new Error(`answered by a message: ${reply.text}`);
  return reply;
}

async function textsOf(task: TaskHandle): Promise<JsonObject> {
  const texts: JsonObject = {};
  for (const artifact of task.artifacts) texts[artifact.name] = await artifact.text();
  return texts;
}

async function drain(opened: Promise<EventStream>): Promise<void> {
  for await (const _ of await opened);
}

async function reasonOf(refused: Promise<unknown>): Promise<string> {
  try {
    await refused;
    return "none";
  } catch (thrown) {
    if (isA2AError(thrown)) return thrown.code;
    throw thrown;
  }
}
