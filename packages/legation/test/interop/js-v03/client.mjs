// The client of `@a2a-js/sdk` 0.3 in the scenarios that v0.3 has:
// `client.mjs <agent url> <binding> <scenarios.json>` prints one JSON report. It is run where its packages are installed.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";

const [url, binding, file] = process.argv.slice(2);
const scripts = JSON.parse(readFileSync(file, "utf8"));

// The classes of errors are called a little differently by binding.
const REASONS = [
  [/^TaskNotFound/, "TASK_NOT_FOUND"],
  [/^TaskNotCancelable/, "TASK_NOT_CANCELABLE"],
];

const SCENARIO_MS = 20_000;

const factory = new ClientFactory(
  ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    transports: [new GrpcTransportFactory()],
    preferredTransports: [binding],
  }),
);
const client = await factory.createFromUrl(url);
let sentId = "";

function paramsOf(scenario, { message, ...configuration } = {}) {
  const parts = [
    { kind: "text", text: `rehearse ${scenario}` },
    { kind: "data", data: { rehearse: scripts[scenario] } },
  ];
  return {
    message: { kind: "message", messageId: randomUUID(), role: "user", parts, ...message },
    configuration: { blocking: true, ...configuration },
  };
}

async function sendForTask(params) {
  const result = await client.sendMessage(params);
  if (result.kind !== "task") throw new Error(`answered by a ${result.kind}`);
  return result;
}

async function collect(stream) {
  const events = [];
  for await (const event of stream) events.push(event);
  return events;
}

const stateOf = ({ status }) => status.state.toUpperCase().replaceAll("-", "_");
const textOf = (holder) => (holder?.parts ?? []).map(({ text }) => text ?? "").join("");
const textsOf = ({ artifacts = [] }) => Object.fromEntries(artifacts.map((each) => [each.name, textOf(each)]));
const distinct = (states) => states.filter((state, index) => state !== "SUBMITTED" && state !== states[index - 1]);

async function reasonOf(refused) {
  try {
    await refused;
    return "none";
  } catch (error) {
    return REASONS.find(([name]) => name.test(error.constructor.name))?.[1] ?? error.message;
  }
}

const acts = {
  async send() {
    const task = await sendForTask(paramsOf("send"));
    sentId = task.id;
    return { state: stateOf(task), text: textOf(task.status.message), artifacts: textsOf(task) };
  },
  async parts() {
    const { artifacts } = await sendForTask(paramsOf("parts"));
    const partOf = (name) => artifacts.find((artifact) => artifact.name === name)?.parts[0];
    return { bytes: partOf("bytes")?.file.bytes, data: partOf("data")?.data, link: partOf("link")?.file.uri };
  },
  async stream() {
    const events = await collect(client.sendMessageStream(paramsOf("stream")));
    const chunks = events.filter(({ kind }) => kind === "artifact-update").map(({ artifact }) => textOf(artifact));
    return { first: events[0]?.kind, states: distinct(events.filter(({ status }) => status).map(stateOf)), chunks };
  },
  async get() {
    const task = await client.getTask({ id: sentId, historyLength: 10 });
    const asked = textOf(task.history?.find(({ role }) => role === "user"));
    return { same: task.id === sentId, state: stateOf(task), artifacts: textsOf(task), asked };
  },
  async cancel() {
    const task = await sendForTask(paramsOf("cancel", { blocking: false }));
    const canceled = await client.cancelTask({ id: task.id });
    return { state: stateOf(canceled), read: stateOf(await client.getTask({ id: task.id })) };
  },
  async subscribe() {
    const task = await sendForTask(paramsOf("subscribe", { blocking: false }));
    const events = await collect(client.resubscribeTask({ id: task.id }));
    return {
      first: events[0]?.kind,
      last: stateOf(events.at(-1)),
      text: events.map(({ artifact }) => textOf(artifact)).join(""),
    };
  },
  async input() {
    const asked = await sendForTask(paramsOf("input"));
    const { id: taskId, contextId } = asked;
    const message = { taskId, contextId, parts: [{ kind: "text", text: "the red one" }] };
    const answered = await sendForTask(paramsOf("input", { message }));
    const after = await client.getTask({ id: taskId, historyLength: 10 });
    return {
      state: stateOf(asked),
      question: textOf(asked.status.message),
      after: stateOf(answered),
      artifacts: textsOf(answered),
      answered: (after.history ?? []).some((each) => textOf(each) === "the red one"),
    };
  },
  async errors() {
    return {
      unknown: await reasonOf(client.getTask({ id: "no-such-task" })),
      terminal: await reasonOf(client.cancelTask({ id: sentId })),
    };
  },
  async message() {
    const result = await client.sendMessage(paramsOf("message"));
    if (result.kind !== "message") throw new Error(`answered by a ${result.kind}`);
    return { text: textOf(result) };
  },
};

const report = {};
for (const [scenario, act] of Object.entries(acts)) {
  const late = AbortSignal.timeout(SCENARIO_MS);
  const tooLate = new Promise((_, reject) => {
    late.addEventListener("abort", () => reject(new Error(`no end after ${SCENARIO_MS} ms`)));
  });
  try {
    report[scenario] = { saw: await Promise.race([act(), tooLate]) };
  } catch (error) {
    report[scenario] = { error: `${error.name}: ${error.message}` };
  }
}
console.log(JSON.stringify(report));
// Connections that nobody closes for us keep the process.
process.exit(0);
