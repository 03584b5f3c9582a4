// §5.1: the same random operations give the same results and the same reasons on every binding, and what a model of
// the protocol says.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Part, SendMessageRequest, TaskState } from "../../src/model/gen/types.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError } from "../../src/operations/errors.ts";
import type { EventStream, Service } from "../../src/operations/service.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { TaskContext } from "../../src/server/task-context.ts";
import { type Pair, pair } from "../../src/testing/pair.ts";

const BINDINGS = ["jsonrpc", "rest", "grpc"] as const;

// ── The agent: a word says where its task goes ───────────────────────────────────────────────────────────────────────

const WORDS = ["ask", "done", "reject", "fail", "artifact"] as const;
type Word = (typeof WORDS)[number];

const LEADS_TO: Readonly<Record<Word, TaskState>> = {
  ask: "TASK_STATE_INPUT_REQUIRED",
  done: "TASK_STATE_COMPLETED",
  artifact: "TASK_STATE_COMPLETED",
  reject: "TASK_STATE_REJECTED",
  fail: "TASK_STATE_FAILED",
};

const agent = createAgent({
  name: "Planner",
  description: "Plans.",
  version: "1.0.0",
  async onTask(task: TaskContext, message) {
    let said = message.text;
    while (said === "ask") said = (await task.ask("and then?")).text;
    if (said === "artifact") await task.artifact("result.json", { data: { n: [1.5, null, "日本 😀"] } });
    if (said === "reject") return task.reject("no");
    if (said === "fail") throw new A2AError("UNSUPPORTED_OPERATION", "cannot");
    return "done";
  },
});

// ── Operations ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A task of the run by its place, or one that there is not. */
type Target = number | "unknown";

type Operation =
  | {
      readonly kind: "send" | "stream";
      readonly word: Word;
      readonly target: Target | undefined;
      readonly length: number;
    }
  | { readonly kind: "wrong"; readonly parts: Part[]; readonly role: "ROLE_USER" | "ROLE_AGENT"; readonly id: string }
  | { readonly kind: "get"; readonly target: Target; readonly length: number | undefined }
  | { readonly kind: "list"; readonly status: TaskState | undefined; readonly pageSize: number }
  | { readonly kind: "cancel" | "subscribe" | "push"; readonly target: Target }
  | { readonly kind: "card" };

const target = fc.oneof({ weight: 5, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.constant<Target>("unknown") });
const length = fc.constantFrom(0, 1, 5, -1);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("send" as const, "stream" as const),
      word: fc.constantFrom(...WORDS, "ask"),
      target: fc.option(target, { nil: undefined, freq: 2 }),
      length: fc.constantFrom(0, 1, 5, 5, 5, -1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Operation>(
      { kind: "wrong", parts: [], role: "ROLE_USER", id: "m" },
      { kind: "wrong", parts: [{ text: "x" }], role: "ROLE_AGENT", id: "m" },
      { kind: "wrong", parts: [{ text: "x" }], role: "ROLE_USER", id: "" },
      { kind: "wrong", parts: [{ raw: "AQID", mediaType: "image/png" }], role: "ROLE_USER", id: "m" },
    ),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("get" as const), target, length: fc.option(length, { nil: undefined }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      status: fc.option(fc.constantFrom(...Object.values(LEADS_TO)), { nil: undefined }),
      // Not 0, which is unset over gRPC alone.
      pageSize: fc.constantFrom(1, 2, 100, -1, 101),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "subscribe" as const, "push" as const), target }),
  },
  { weight: 1, arbitrary: fc.constant<Operation>({ kind: "card" }) },
);

/** What an operation gave: its value, or the reason of its refusal. */
type Outcome = { readonly value: unknown } | { readonly reason: string; readonly fields: readonly string[] };

// ── The model ────────────────────────────────────────────────────────────────────────────────────────────────────────

const TERMINAL: readonly TaskState[] = [
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
];

/** What the protocol says: the reason of a refusal, or a fact of the result. */
class Model {
  readonly tasks: { id: string; state: TaskState }[] = [];

  expected(operation: Operation): { readonly reason: string } | { readonly fact: unknown } {
    switch (operation.kind) {
      case "send":
      case "stream":
        return this.#send(operation);
      case "wrong":
        return { reason: operation.parts[0]?.raw === undefined ? "INVALID_PARAMS" : "CONTENT_TYPE_NOT_SUPPORTED" };
      case "get": {
        if (operation.length === -1) return { reason: "INVALID_PARAMS" };
        const found = this.at(operation.target);
        return found === undefined ? { reason: "TASK_NOT_FOUND" } : { fact: found.state };
      }
      case "list": {
        if (operation.pageSize < 1 || operation.pageSize > 100) return { reason: "INVALID_PARAMS" };
        const { status } = operation;
        return { fact: this.tasks.filter(({ state }) => status === undefined || state === status).length };
      }
      case "cancel":
        return this.#cancel(operation.target);
      case "subscribe": {
        const found = this.at(operation.target);
        if (found === undefined) return { reason: "TASK_NOT_FOUND" };
        return TERMINAL.includes(found.state) ? { reason: "UNSUPPORTED_OPERATION" } : { fact: found.state };
      }
      case "push":
        return { reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" };
      case "card":
        return { reason: "UNSUPPORTED_OPERATION" };
    }
  }

  at(target: Target): { id: string; state: TaskState } | undefined {
    return target === "unknown" ? undefined : this.tasks[target];
  }

  #send({ word, target, length }: Operation & { kind: "send" | "stream" }): { reason: string } | { fact: unknown } {
    if (length === -1) return { reason: "INVALID_PARAMS" };
    const state = LEADS_TO[word];
    if (target === undefined) {
      this.tasks.push({ id: "", state });
      return { fact: state };
    }
    const found = this.at(target);
    if (found === undefined) return { reason: "TASK_NOT_FOUND" };
    if (TERMINAL.includes(found.state)) return { reason: "UNSUPPORTED_OPERATION" };
    found.state = state;
    return { fact: state };
  }

  #cancel(target: Target): { reason: string } | { fact: unknown } {
    const found = this.at(target);
    if (found === undefined) return { reason: "TASK_NOT_FOUND" };
    if (found.state !== "TASK_STATE_CANCELED" && TERMINAL.includes(found.state))
      return { reason: "TASK_NOT_CANCELABLE" };
    found.state = "TASK_STATE_CANCELED";
    return { fact: found.state };
  }
}

// ── The real thing ───────────────────────────────────────────────────────────────────────────────────────────────────

class Run {
  readonly #service: Service;
  readonly #ids: string[] = [];
  #sent = 0;

  constructor({ client }: Pair) {
    this.#service = client.service;
  }

  async carryOut(operation: Operation): Promise<Outcome> {
    try {
      return { value: await this.#call(operation) };
    } catch (thrown) {
      assert.ok(thrown instanceof A2AError, String(thrown));
      return { reason: thrown.code, fields: thrown.violations.map(({ field }) => field) };
    }
  }

  async #call(operation: Operation): Promise<unknown> {
    const service = this.#service;
    switch (operation.kind) {
      case "send": {
        const { value } = await service.sendMessage(this.#request(operation), plainCall());
        return this.#note(operation.target, value.task);
      }
      case "stream": {
        const events = await collect(await service.sendStreamingMessage(this.#request(operation), plainCall()));
        this.#note(operation.target, events[0]?.task);
        return events;
      }
      case "wrong": {
        const { parts, role, id } = operation;
        return (
          await service.sendMessage({ message: { messageId: id, role, parts: structuredClone(parts) } }, plainCall())
        ).value;
      }
      case "get": {
        const limit = operation.length === undefined ? {} : { historyLength: operation.length };
        return (await service.getTask({ id: this.#id(operation.target), ...limit }, plainCall())).value;
      }
      case "list": {
        const { status, pageSize } = operation;
        const { value } = await service.listTasks(
          { pageSize, ...(status === undefined ? {} : { status }) },
          plainCall(),
        );
        // The token is sealed with a secret of each server.
        return { ...value, nextPageToken: value.nextPageToken !== "" };
      }
      case "cancel":
        return (await service.cancelTask({ id: this.#id(operation.target) }, plainCall())).value;
      case "subscribe": {
        const batches = (await service.subscribeToTask({ id: this.#id(operation.target) }, plainCall()))[
          Symbol.asyncIterator
        ]();
        const first = await batches.next();
        await batches.return?.();
        return first.value?.[0]?.value;
      }
      case "push": {
        const config = { taskId: this.#id(operation.target), url: "https://hook.example/x" };
        return (await service.createTaskPushNotificationConfig(config, plainCall())).value;
      }
      case "card":
        return (await service.getExtendedAgentCard({}, plainCall())).value;
    }
  }

  #request({ word, target, length }: Operation & { kind: "send" | "stream" }): SendMessageRequest {
    this.#sent++;
    return {
      message: {
        messageId: `m-${this.#sent}`,
        role: "ROLE_USER",
        parts: [{ text: word }],
        metadata: { n: 0.1, deep: { list: [true, null, "é"] } },
        ...(target === undefined ? {} : { taskId: this.#id(target) }),
      },
      configuration: { historyLength: length },
    };
  }

  #note<T extends { readonly id: string } | undefined>(target: Target | undefined, task: T): T {
    assert.ok(task);
    if (target === undefined) this.#ids.push(task.id);
    return task;
  }

  #id(target: Target): string {
    return (target === "unknown" ? undefined : this.#ids[target]) ?? "no-such-task";
  }
}

async function collect(stream: EventStream): Promise<{ readonly task?: { readonly id: string } }[]> {
  const events = [];
  for await (const batch of stream) for (const { value } of batch) events.push(value);
  return events;
}

/** The fact that the model foretells, out of a result. */
function factOf(operation: Operation, value: unknown): unknown {
  const found = value as { status?: { state: string }; totalSize?: number; task?: { status: { state: string } } };
  if (operation.kind === "list") return found.totalSize;
  if (operation.kind === "subscribe") return found.task?.status.state;
  if (operation.kind !== "stream") return found.status?.state;
  const last = (value as { task?: { status: { state: string } }; statusUpdate?: { status: { state: string } } }[]).at(
    -1,
  );
  return last?.statusUpdate?.status.state ?? last?.task?.status.state;
}

/** Two runs differ in the ids that the engine and clocks make, and in nothing else: each id becomes its place. */
function placed(outcomes: readonly Outcome[]): string {
  const places = new Map<string, string>();
  return JSON.stringify(sorted(outcomes)).replaceAll(
    /"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"|correlation id [0-9a-f-]{36}/g,
    (id) => {
      if (!places.has(id)) places.set(id, `"#${places.size}"`);
      return places.get(id) ?? id;
    },
  );
}

/** The order of members means nothing, and protobuf has another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

test("§5.1 Functional Equivalence › random operations give the same on every binding, and what the model says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 4, maxLength: 14 }), async (operations) => {
      const pairs = await Promise.all(BINDINGS.map((binding) => pair(agent, { binding, log: () => undefined })));
      try {
        const model = new Model();
        const expected = operations.map((one) => structuredClone(model.expected(one)));
        const results = await Promise.all(
          pairs.map(async (one) => {
            const run = new Run(one);
            const outcomes: Outcome[] = [];
            for (const each of operations) outcomes.push(await run.carryOut(each));
            return outcomes;
          }),
        );
        for (const [index, outcomes] of results.entries()) {
          const facts = outcomes.map((outcome, at) =>
            "reason" in outcome
              ? { reason: outcome.reason }
              : { fact: factOf(operations[at] as Operation, outcome.value) },
          );
          assert.deepEqual(facts, expected, `${BINDINGS[index]} is not as the model says`);
        }
        const [first, ...others] = results.map(placed);
        for (const [index, other] of others.entries()) assert.equal(other, first, `${BINDINGS[index + 1]} differs`);
      } finally {
        for (const one of pairs) await one.close();
      }
    }),
    { numRuns: 25, seed: 20_260_805 },
  );
});
