/**
 * `kill -9` before and after every commit that matters, in a real process, on both durable stores. The process dies in
 * the very call; another one takes its place; then the state, the bytes of the artifact, the effects by their keys and
 * what a subscriber saw are held against the log. The table of what was checked is printed at the end.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/engine/store.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { runCli } from "../cli/run-cli.ts";
import { shortOf } from "../push/webhook-server.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { assertSawAll, assertWhole, bytesOf, effectsOf, readLog, type WholeLog } from "./fault-checks.ts";
import { FAULT_POINTS, type Fault } from "./fault-store.ts";
import { assertToldAll, KILLED_AT, killingHook } from "./fault-webhook.ts";
import { endingWith, type Replica, type ReplicaSettings, startReplica } from "./replica.ts";
import { TABLE_TEXT } from "./replica-agents.ts";
import { follow, type Seen } from "./sse-reader.ts";

const CHECKED = ["state", "bytes", "effects", "order"] as const;
type Row = Fault & { readonly store: string } & Record<(typeof CHECKED)[number], string>;
const table: Row[] = [];
const whole = endingWith(after);
const server = await startPostgres();
whole.after(async () => server?.stop());

/** A store, the replica that serves it now, and the one that takes its place. */
class World {
  readonly settings: ReplicaSettings;
  readonly store: Store;
  replica: Replica;

  private constructor(settings: ReplicaSettings, store: Store, replica: Replica) {
    this.settings = settings;
    this.store = store;
    this.replica = replica;
  }

  static async start(url: string, folder: string): Promise<World> {
    const settings: ReplicaSettings = {
      agent: "table",
      store: url,
      effects: path.join(folder, "effects.jsonl"),
      // A lease that nobody gives back must not hold up the table; snapshots must come within its few chunks.
      engine: { leaseMs: 1_500, snapshotBytes: 2_000 },
    };
    const replica = await startReplica(whole, settings);
    const store = await openStore(url);
    await store.open();
    whole.after(() => store.close());
    return new World(settings, store, replica);
  }

  /** Resolves when the replica died of its fault. */
  async died(): Promise<void> {
    assert.equal(
      await Promise.race([this.replica.gone, sleep(10_000, "nothing: it came by no such commit")]),
      "SIGKILL",
    );
  }

  async replace(): Promise<void> {
    this.replica = await startReplica(whole, { ...this.settings, port: this.replica.port });
  }
}

function send(world: World, text: string, messageId: string): Promise<Seen> {
  return follow({
    url: () => world.replica.url,
    text,
    messageId,
    giveUpMs: 15_000,
    until: text === "ask" ? ["TASK_STATE_INPUT_REQUIRED"] : [],
  });
}

/** Calls SendMessage over JSON-RPC. */
function post(world: World, params: object): Promise<Response> {
  return fetch(world.replica.url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params }),
  });
}

/** Sends the same message once more: it is the task that it was, or the reply. */
async function assertOneTask(world: World, seen: Seen, text: string, messageId: string): Promise<void> {
  const response = await post(world, {
    message: { messageId, role: "ROLE_USER", parts: [{ text }] },
    configuration: { returnImmediately: true },
  });
  const { result } = (await response.json()) as {
    result: { task?: { id: string }; message?: { parts: { text: string }[] } };
  };
  assert.equal(result.task?.id, seen.taskId);
  assert.equal(result.message?.parts[0]?.text, seen.reply);
}

/** The messages and replies come to a message too, a task to all the rest. */
async function checkReply(world: World, fault: Fault): Promise<void> {
  const messageId = randomUUID();
  await world.replica.arm(fault);
  const following = send(world, "hello", messageId);
  await world.died();
  await world.replace();
  const seen = await following;
  assert.equal(seen.reply, "hello yourself");
  await assertOneTask(world, seen, "hello", messageId);
  table.push({ ...fault, store: world.store.name, state: "reply", bytes: "-", effects: "-", order: "-" });
}

function assertEffects(world: World, fault: Fault, { row }: WholeLog): void {
  const effects = effectsOf(world.settings.effects, row.id);
  assert.deepEqual(Object.keys(effects).sort(), ["mail", "pay", "ship"]);
  for (const [name, { keys, runs }] of Object.entries(effects)) {
    assert.equal(keys, 1, `${name} carried ${keys} keys`);
    // The first step of a turn is where a kill at its record strikes; what is recorded never runs again.
    const most = fault.point === "step recorded" && fault.when === "before" && name === "pay" ? 2 : 1;
    // A kill that comes from a webhook may strike any step.
    const isAnywhere = fault.point === "webhook sent" || fault.point === "cursor moved";
    assert.ok(isAnywhere ? runs <= 2 : runs === most, `${name} ran ${runs} times`);
  }
}

async function checkTask(world: World, fault: Fault): Promise<void> {
  const messageId = randomUUID();
  await world.replica.arm(fault);
  const following = send(world, "go", messageId);
  await world.died();
  await world.replace();
  const seen = await following;
  assert.equal(seen.state, "TASK_STATE_COMPLETED");
  await assertOneTask(world, seen, "go", messageId);
  const log = await readLog(world.store, seen.taskId ?? "");
  assert.equal(log.row.state, "TASK_STATE_COMPLETED");
  assertWhole(log);
  assertSawAll(seen, log);
  assert.equal(
    bytesOf(
      log.entries.map(({ payload }) => ({ json: payload })),
      "out.txt",
    ),
    TABLE_TEXT,
  );
  assert.equal(bytesOf(seen.events, "out.txt"), TABLE_TEXT);
  assertEffects(world, fault, log);
  table.push({
    ...fault,
    store: world.store.name,
    state: "COMPLETED",
    bytes: `${TABLE_TEXT.length} exact`,
    effects: "3 keys, once",
    order: `${seen.events.length} of ${seen.events.length}`,
  });
}

/** A step that must not run twice and may have run: held, and a person ends it. */
async function checkInDoubt(world: World, fault: Fault): Promise<void> {
  await world.replica.arm(fault);
  const following = send(world, "go", randomUUID());
  await world.died();
  await world.replace();
  let log: WholeLog | undefined;
  const seenTask = Promise.withResolvers<string>();
  const watching = setInterval(async () => {
    const page = await world.store.list({
      tenant: "",
      owner: "",
      agent: "table",
      state: "TASK_STATE_WORKING",
      limit: 9,
    });
    const held = page.rows.find((row) => row.held !== null);
    if (held !== undefined) seenTask.resolve(held.id);
  }, 50);
  const taskId = await Promise.race([seenTask.promise, sleep(20_000, "none")]);
  clearInterval(watching);
  log = await readLog(world.store, taskId);
  assert.match(log.row.held ?? "", /^STEP_IN_DOUBT: step "ship"/);
  assert.equal(log.row.state, "TASK_STATE_WORKING");
  assert.equal(effectsOf(world.settings.effects, taskId)["ship"], undefined);
  const done = await runCli(["task", "fail", taskId, "--store", world.settings.store, "--reason", "nobody knows"]);
  assert.equal(done.code, 0, done.stderr);
  const seen = await following;
  assert.equal(seen.state, "TASK_STATE_FAILED");
  log = await readLog(world.store, taskId);
  assertWhole(log);
  assertSawAll(seen, log);
  assert.match(log.entries.at(-1)?.payload ?? "", /nobody knows/);
  table.push({
    ...fault,
    store: world.store.name,
    state: "WORKING, held",
    bytes: "-",
    effects: "not again",
    order: `${seen.events.length} of ${seen.events.length}`,
  });
}

/** The answer to a question: taken once, whichever side of its commit the process dies on. */
async function checkAnswer(world: World, fault: Fault): Promise<void> {
  const asked = await send(world, "ask", randomUUID());
  assert.equal(asked.state, "TASK_STATE_INPUT_REQUIRED");
  const taskId = asked.taskId ?? "";
  await world.replica.arm(fault);
  const message = { messageId: randomUUID(), taskId, role: "ROLE_USER", parts: [{ text: "yes" }] };
  const answer = async (): Promise<number> => (await post(world, { message })).status;
  const first = answer().catch(() => 0);
  await world.died();
  assert.equal(await first, 0);
  await world.replace();
  assert.equal(await answer(), 200);
  const log = await readLog(world.store, taskId);
  assert.equal(log.row.state, "TASK_STATE_COMPLETED");
  assertWhole(log);
  assert.equal(log.entries.filter(({ kind }) => kind === "message").length, 2);
  assert.equal(
    bytesOf(
      log.entries.map(({ payload }) => ({ json: payload })),
      "out.txt",
    ),
    TABLE_TEXT,
  );
  assertEffects(world, fault, log);
  table.push({
    ...fault,
    store: world.store.name,
    state: "COMPLETED",
    bytes: `${TABLE_TEXT.length} exact`,
    effects: "3 keys, once",
    order: "one answer",
  });
}

/** The webhook of a task: every event at least once, in order, what comes again under the same id. */
async function checkWebhook(world: World, fault: Fault): Promise<void> {
  await using hook = await killingHook(fault, () => world.replica.child.kill("SIGKILL"));
  await world.replica.arm(fault);
  const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "push" }] };
  const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: hook.url() } };
  const answer = post(world, { message, configuration }).catch(() => undefined);
  await world.died();
  await world.replace();
  await answer;
  await hook.until(({ received }) => received.some((one) => shortOf(one) === "COMPLETED"), 20_000);
  const log = await readLog(world.store, hook.received[0]?.id.split(":")[0] ?? "");
  assertWhole(log);
  // The next fault must not strike what is left to be written of this one.
  const isResting = async (): Promise<boolean> =>
    (await world.store.hooks.list(log.row.key, "", 1)).every(({ holder, due }) => holder === null && due === null);
  while (!(await isResting())) await sleep(20);
  const again = assertToldAll(hook.received, log);
  // What the process died over before it was written is told again; what was written never is.
  if (fault.point === "webhook sent") assert.equal(again.has(KILLED_AT), fault.when === "after");
  else if (fault.when === "before") assert.ok(again.size > 0, "nothing came again");
  const told = new Map(hook.received.map((one) => [one.id, { json: one.body }]));
  assert.equal(bytesOf([...told.values()], "out.txt"), TABLE_TEXT);
  assertEffects(world, fault, log);
  table.push({
    ...fault,
    store: world.store.name,
    state: log.row.state.replace("TASK_STATE_", ""),
    bytes: `${TABLE_TEXT.length} exact`,
    effects: "3 keys",
    order: `${told.size} of ${told.size}, ${again.size} again`,
  });
}

function checkOf({ point, when }: Fault): (world: World, fault: Fault) => Promise<void> {
  if (point === "reply stored") return checkReply;
  if (point === "answer stored") return checkAnswer;
  if (point === "webhook sent" || point === "cursor moved") return checkWebhook;
  if (point === "step started" && when === "after") return checkInDoubt;
  return checkTask;
}

function describeStore(name: string, start: () => Promise<World>): void {
  describe(`survives-crash: kill -9 at every fault point [${name}]`, async () => {
    const world = await start();
    for (const point of FAULT_POINTS) {
      for (const when of ["before", "after"] as const) {
        const fault = { point, when };
        it(`${when}: ${point}`, async () => {
          // After a failure before.
          if (world.replica.child.signalCode !== null) await world.replace();
          await checkOf(fault)(world, fault);
        });
      }
    }
  });
}

const folder = temporaryFolder(whole);
describeStore("sqlite", () => World.start(`sqlite:${path.join(folder, "table.db")}`, folder));
if (server !== undefined) {
  const other = temporaryFolder(whole);
  describeStore("postgres", () => World.start(`${server.dsn}?schema=fault_table`, other));
}

it("the table", (t) => {
  const expected = FAULT_POINTS.length * 2 * (server === undefined ? 1 : 2);
  t.diagnostic(["fault point", "kill", "store", ...CHECKED].map(cell).join(""));
  for (const row of table) {
    t.diagnostic([row.point, row.when, row.store, ...CHECKED.map((name) => row[name])].map(cell).join(""));
  }
  assert.equal(table.length, expected);
});

function cell(text: string): string {
  return text.padEnd(16);
}
