// v0.3 over its three bindings: the same random operations of our client against our server give the same results and
// the same reasons, the statuses of gRPC and the spellings of JSON notwithstanding.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import type { Message, Part } from "../../src/model/gen/types.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, isA2AError } from "../../src/operations/errors.ts";
import type { EventStream, Service } from "../../src/operations/service.ts";
import { createAgent } from "../../src/server/agent.ts";

const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

const WORDS = ["ask", "done", "reject", "fail", "artifact", "reply"] as const;
type Word = (typeof WORDS)[number];

const agent = createAgent({
  name: "Old",
  description: "d",
  version: "1.0.0",
  modes: {
    input: ["text/plain", "application/json", "image/png"],
    output: ["text/plain", "application/json", "image/png"],
  },
  onMessage: (message, turn) => (message.text === "reply" ? "hello" : turn.startTask()),
  async onTask(task, message) {
    let said = message.text;
    while (said === "ask") said = (await task.ask("and then?")).text;
    if (said === "artifact") {
      await task.artifact("result.json", { data: { n: [1.5, null, "日本 😀"] } });
      await task.artifact("list", { data: [1, { a: null }] });
      await task.artifact("a.png", { raw: new Uint8Array([0, 1, 254, 255]), mediaType: "image/png" });
    }
    if (said === "reject") return task.reject("no");
    if (said === "fail") throw new A2AError("UNSUPPORTED_OPERATION", "cannot");
    return "done";
  },
});

type Target = number | "unknown";

interface Send {
  readonly kind: "send" | "stream";
  readonly word: Word;
  readonly target: Target | undefined;
  readonly length: number;
}

type Other =
  | { readonly kind: "wrong"; readonly message: Message }
  | { readonly kind: "get"; readonly target: Target; readonly length: number | undefined }
  | {
      readonly kind: "cancel" | "subscribe" | "setHook" | "getHook" | "listHooks" | "deleteHook";
      readonly target: Target;
    }
  | { readonly kind: "list" };

type Operation = Send | Other;

const target = fc.oneof({ weight: 5, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.constant<Target>("unknown") });

const PARTS: Part[] = [
  { data: { a: [null, -0.5] }, metadata: { n: 0.1, deep: { list: [true, null, "é"] } } },
  { raw: "AAH+/w==", filename: "a.png", mediaType: "image/png" },
  { url: "https://a.example/b.png", mediaType: "image/png" },
];

const good: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("send" as const, "stream" as const),
      word: fc.constantFrom(...WORDS, "ask"),
      target: fc.option(target, { nil: undefined, freq: 2 }),
      length: fc.constantFrom(0, 1, 5, 5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Message>(
        { ...good, parts: [] },
        { ...good, role: "ROLE_AGENT" },
        { ...good, messageId: "" },
        { ...good, parts: [{ raw: "AQID", mediaType: "video/mp4" }] },
        { ...good, parts: [{ text: "a", url: "https://a.example" } as unknown as Part] },
      )
      .map((message) => ({ kind: "wrong" as const, message })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("get" as const),
      target,
      length: fc.constantFrom(undefined, 0, 1, 5, -1),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "cancel" as const,
        "subscribe" as const,
        "setHook" as const,
        "getHook" as const,
        "listHooks" as const,
        "deleteHook" as const,
      ),
      target,
    }),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: "list" }) },
);

function isSend(operation: Operation): operation is Send {
  return operation.kind === "send" || operation.kind === "stream";
}

class Run {
  readonly #service: Service;
  readonly #ids: string[] = [];
  #sent = 0;

  constructor(service: Service) {
    this.#service = service;
  }

  async carryOut(operation: Operation): Promise<unknown> {
    try {
      return { value: await this.#call(operation) };
    } catch (thrown) {
      assert.ok(isA2AError(thrown), String(thrown));
      return { reason: thrown.code, fields: thrown.violations.map(({ field }) => field), message: thrown.message };
    }
  }

  #call(operation: Operation): Promise<unknown> {
    return isSend(operation) ? this.#send(operation) : this.#ask(operation);
  }

  async #ask(operation: Other): Promise<unknown> {
    const service = this.#service;
    if (operation.kind === "list") return (await service.listTasks({}, plainCall())).value;
    if (operation.kind === "wrong")
      return (await service.sendMessage({ message: operation.message }, plainCall())).value;
    const taskId = this.#id(operation.target);
    switch (operation.kind) {
      case "get": {
        const limit = operation.length === undefined ? {} : { historyLength: operation.length };
        return (await service.getTask({ id: taskId, ...limit }, plainCall())).value;
      }
      case "cancel":
        return (await service.cancelTask({ id: taskId }, plainCall())).value;
      case "subscribe":
        return firstOf(await service.subscribeToTask({ id: taskId }, plainCall()));
      case "setHook": {
        const authentication = { scheme: "Bearer", credentials: "s" };
        const config = { taskId, id: "w", url: "http://127.0.0.1:9/w", token: "t", authentication };
        return (await service.createTaskPushNotificationConfig(config, plainCall())).value;
      }
      case "getHook":
        return (await service.getTaskPushNotificationConfig({ taskId, id: "w" }, plainCall())).value;
      case "listHooks":
        return (await service.listTaskPushNotificationConfigs({ taskId }, plainCall())).value.configs ?? [];
      default:
        return (await service.deleteTaskPushNotificationConfig({ taskId, id: "w" }, plainCall())) ?? "deleted";
    }
  }

  async #send({ kind, word, target: to, length }: Send): Promise<unknown> {
    this.#sent++;
    const message: Message = {
      messageId: `m-${this.#sent}`,
      role: "ROLE_USER",
      parts: [{ text: word, metadata: { n: 1 } }, ...structuredClone(PARTS.slice(0, this.#sent % 4))],
      metadata: { n: 0.1 },
      ...(to === undefined ? {} : { taskId: this.#id(to) }),
    };
    const request = { message, configuration: { historyLength: length, acceptedOutputModes: ["text/plain", "*/*"] } };
    if (kind === "send") {
      const { value } = await this.#service.sendMessage(request, plainCall());
      if (to === undefined && value.task !== undefined) this.#ids.push(value.task.id);
      return value;
    }
    const events = [];
    for await (const batch of await this.#service.sendStreamingMessage(request, plainCall()))
      for (const { value } of batch) events.push(value);
    const id = events[0]?.task?.id;
    if (to === undefined && id !== undefined) this.#ids.push(id);
    return events;
  }

  #id(to: Target): string {
    return (to === "unknown" ? undefined : this.#ids[to]) ?? "no-such-task";
  }
}

async function firstOf(events: EventStream): Promise<unknown> {
  const batches = events[Symbol.asyncIterator]();
  const first = await batches.next();
  await batches.return?.();
  return first.value?.[0]?.value;
}

/** Two runs differ in the ids, times and ports that are made, and in nothing else: each becomes its place. */
function placed(outcomes: unknown): string {
  const places = new Map<string, string>();
  return JSON.stringify(sorted(outcomes), undefined, 1).replaceAll(
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    (found) => {
      if (found.includes("T")) return "<time>";
      if (!places.has(found)) places.set(found, `#${places.size}`);
      return places.get(found) ?? found;
    },
  );
}

/** The order of members means nothing, and protobuf has another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/** Carries out the same against one agent over one binding. */
async function outcomesOver(binding: string, operations: readonly Operation[]): Promise<string> {
  const push = { allow: ["127.0.0.0/8"] };
  await using host = await serve(agent, { log: false, compat: v0_3(), push });
  const client = await connect(host.url, { compat: v0_3(), versions: ["0.3"], prefer: [binding] });
  try {
    assert.deepEqual([client.interface.protocolBinding, client.interface.protocolVersion], [binding, "0.3"]);
    const run = new Run(client.service);
    const outcomes: unknown[] = [];
    for (const each of operations) outcomes.push(await run.carryOut(each));
    return placed(outcomes);
  } finally {
    await client.close();
    await host.close({ graceMs: 0 });
  }
}

test("random operations of 0.3 give the same on every binding", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 6, maxLength: 16 }), async (operations) => {
      const [rpc, rest, grpc] = await Promise.all(BINDINGS.map((binding) => outcomesOver(binding, operations)));
      assert.equal(rest, rpc);
      assert.equal(grpc, rpc);
    }),
    { numRuns: 25, seed: 20_260_821 },
  );
});

test("every operation of 0.3 is among them, with a good outcome and with its reasons", async () => {
  const send = (word: Word, to?: Target): Operation => ({ kind: "send", word, target: to, length: 5 });
  const operations: readonly Operation[] = [
    send("artifact"),
    { kind: "stream", word: "artifact", target: undefined, length: 5 },
    send("ask"),
    { kind: "subscribe", target: 2 },
    send("done", 2),
    send("done", 2),
    { kind: "subscribe", target: 2 },
    { kind: "cancel", target: 2 },
    send("ask"),
    { kind: "cancel", target: 3 },
    send("reply"),
    { kind: "stream", word: "reply", target: undefined, length: 5 },
    send("fail"),
    send("reject"),
    { kind: "setHook", target: 0 },
    { kind: "getHook", target: 0 },
    { kind: "listHooks", target: 0 },
    { kind: "deleteHook", target: 0 },
    { kind: "getHook", target: 0 },
    { kind: "get", target: "unknown", length: undefined },
    { kind: "list" },
  ];
  const [rpc = "", rest, grpc] = await Promise.all(BINDINGS.map((binding) => outcomesOver(binding, operations)));
  const shown = (JSON.parse(rpc) as { reason?: string }[]).map(({ reason }) => reason ?? "good");
  assert.deepEqual(shown, [
    "good",
    "good",
    "good",
    "good",
    "good",
    "UNSUPPORTED_OPERATION",
    "good",
    "TASK_NOT_CANCELABLE",
    "good",
    "good",
    "good",
    "good",
    "good",
    "good",
    "good",
    "good",
    "good",
    "good",
    "TASK_NOT_FOUND",
    "TASK_NOT_FOUND",
    "UNSUPPORTED_OPERATION",
  ]);
  assert.equal(rest, rpc);
  assert.equal(grpc, rpc);
});
