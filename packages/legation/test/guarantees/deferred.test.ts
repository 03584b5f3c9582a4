/**
 * A deferred task survives its agent and its worker: `kill -9` of the agent around every commit that a deferral brings,
 * of the worker in the middle of its work. What the worker has reported is there once, and one worker owns the task.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { Store } from "../../src/engine/store.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import type { Task } from "../../src/model/gen/types.ts";
import { createAgent } from "../../src/server/agent.ts";
import { deferredTask } from "../../src/server/deferred-task.ts";
import { NODE_FLAGS, type ServerProcess, startServer, temporaryFolder } from "../cli/rehearsal-process.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { assertWhole, bytesOf, readLog } from "./fault-checks.ts";
import { rawCall, rawSend } from "./raw-send.ts";
import { endingWith } from "./replica.ts";

const SERVER = path.join(import.meta.dirname, "deferred-server.ts");
const WORKER = path.join(import.meta.dirname, "deferred-worker.ts");
const WHOLE_TEXT = "chunk 0;chunk 1;chunk 2;chunk 3;chunk 4;chunk 5;";
const POINTS = [
  "token issued",
  "turn handed over",
  "chunk reported",
  "question reported",
  "answer taken",
  "end reported",
];

const whole = endingWith(after);
const postgres = await startPostgres();
whole.after(async () => postgres?.stop());

/** Resolves with what `look` gives once it gives something. */
async function found<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const value = await look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("nothing came within 20 s");
}

/** The tokens of a task that its server has written down, the newest last. */
function tokensOf({ folder }: Site, id: string): readonly string[] {
  const file = path.join(folder, "tokens");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((token) => token.endsWith(id))
    : [];
}

/** Runs a worker to its end; resolves with its exit status, or the signal that killed it. */
function startWorker(url: string, token: string) {
  const args = [...NODE_FLAGS, WORKER, url, token];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  const gone = once(child, "exit").then(([code, signal]) => (signal ?? code) as string | number);
  whole.after(() => child.kill("SIGKILL"));
  return { child, gone };
}

/** A server that runs, or the one that was started in its place. */
interface Site {
  server: ServerProcess;
  readonly store: string;
  readonly folder: string;
}

async function startSite(store: string): Promise<Site> {
  const folder = temporaryFolder(whole);
  const url = store === "sqlite" ? `sqlite:${path.join(folder, "deferred.db")}` : store;
  return { server: await startServer(whole, SERVER, [url, "0", folder], folder), store: url, folder };
}

async function replace(site: Site): Promise<void> {
  const { port } = site.server;
  rmSync(path.join(site.folder, "fault"), { force: true });
  site.server = await startServer(whole, SERVER, [site.store, String(port), site.folder], site.folder);
}

async function begin(site: Site): Promise<string> {
  // The process may die before it can answer; the same message again is the same task.
  const messageId = randomUUID();
  return found(async () => {
    const message = { messageId, parts: [{ text: "go" }] };
    const answer = await rawSend(site.server.url, message).catch(() => undefined);
    if (answer === undefined && site.server.child.signalCode !== null) await replace(site);
    return answer?.task?.id;
  });
}

async function taskOf(site: Site, id: string): Promise<Task | undefined> {
  const answer = await rawCall(site.server.url, "GetTask", { id }).catch(() => undefined);
  if (answer === undefined && site.server.child.signalCode !== null) await replace(site);
  return answer?.task as Task | undefined;
}

/** What a worker does: under ids of its own choice, so that another one of the same token goes on where it was. */
async function work(url: string, token: string): Promise<void> {
  const task = deferredTask(url, token);
  await task.artifact("out.txt", { text: "chunk 0;" }, { id: "chunk 0" });
  for (let n = 1; n < 6; n++) {
    await task.artifact("out.txt", { text: `chunk ${n};`, append: true }, { id: `chunk ${n}` });
  }
  const answer = await task.ask("which car?", { id: "car" });
  await task.complete(`the ${answer.parts[0]?.text} one`, { id: "end" });
}

/** Lets workers work until the task has ended: the newest token has one, and its question is answered. */
async function finish(site: Site, id: string): Promise<void> {
  let token = "";
  let answered: string | undefined;
  await found(async () => {
    const task = await taskOf(site, id);
    const newest = tokensOf(site, id).at(-1) ?? "";
    if (newest !== token) {
      token = newest;
      // One whose token was issued again is refused, which is the end of it.
      void work(site.server.url, token).catch(() => {});
    }
    const { state, timestamp } = task?.status ?? {};
    if (state === "TASK_STATE_INPUT_REQUIRED" && timestamp !== answered) {
      const answer = { messageId: `${id} ${timestamp}`, taskId: id, parts: [{ text: "red" }] };
      const taken = await rawSend(site.server.url, answer).catch(() => undefined);
      if (taken?.task !== undefined) answered = timestamp;
    }
    return task?.status.state === "TASK_STATE_COMPLETED" ? true : undefined;
  });
}

async function assertDone(store: Store, id: string): Promise<void> {
  const log = await readLog(store, id);
  assertWhole(log);
  assert.equal(log.row.state, "TASK_STATE_COMPLETED");
  const artifacts = log.entries.filter(({ kind }) => kind === "artifact");
  assert.equal(
    bytesOf(
      artifacts.map(({ payload }) => ({ json: payload })),
      "out.txt",
    ),
    WHOLE_TEXT,
  );
  const steps = log.entries.filter(({ kind, payload }) => kind === "decision" && payload.includes('"prepare"'));
  assert.equal(steps.length, 1);
  const last = log.entries.findLast(({ kind }) => kind === "status");
  assert.match(last?.payload ?? "", /the red one/);
}

function describeStore(name: string, url: string): void {
  describe(`deferred: the agent is killed around every commit of a deferral [${name}]`, async () => {
    const site = await startSite(url);
    for (const point of POINTS) {
      for (const when of ["before", "after"]) {
        it(`${when}: ${point}`, async () => {
          const { server } = site;
          writeFileSync(path.join(site.folder, "fault"), `${when}: ${point}`);
          const id = await begin(site);
          await finish(site, id);
          if (site.server === server) await replace(site);
          assert.equal(server.child.signalCode, "SIGKILL");
          const store = await openStore(site.store);
          await store.open();
          await assertDone(store, id);
          await store.close();
        });
      }
    }
  });
}

describeStore("sqlite", "sqlite");
if (postgres !== undefined) describeStore("postgres", `${postgres.dsn}?schema=deferred_${randomUUID().slice(0, 8)}`);

it("deferred: a worker that is killed goes on under its token, or is replaced in time and refused", async () => {
  const site = await startSite("sqlite");
  const id = await begin(site);
  const first = await found(() => tokensOf(site, id)[0]);
  const killed = startWorker(site.server.url, first);
  await once(killed.child.stdout, "data");
  killed.child.kill("SIGKILL");
  assert.equal(await killed.gone, "SIGKILL");
  const back = deferredTask(site.server.url, first);
  await back.artifact("out.txt", { text: "chunk 0;" }, { id: "chunk 0" });
  await found(() => tokensOf(site, id)[1]);
  await assert.rejects(back.heartbeat(), { code: "PERMISSION_DENIED" });
  assert.equal(back.signal.aborted, true);
  await finish(site, id);
  const log = await openStore(site.store);
  await log.open();
  const { entries } = await readLog(log, id);
  await log.close();
  // The chunk that was reported twice under one token is there once, and once more under the next.
  assert.equal(entries.filter(({ payload }) => payload.includes("chunk 0;")).length, 2);
});

it("deferred: an agent that is deployed anew while its worker waits for an answer is not noticed by it [sqlite]", async (t) => {
  const tokens: string[] = [];
  const agent = createAgent({
    name: "deployed",
    description: "For a guarantee test.",
    version: "1",
    async onTask(task) {
      const deferred = await task.defer({ heartbeatMs: 60_000 });
      tokens.push(deferred.token);
      return deferred;
    },
  });
  const store = `sqlite:${path.join(temporaryFolder(t), "deployed.db")}`;
  const first = await serve(agent, { store, log: false });
  const id = (await rawSend(first.url, { parts: [{ text: "go" }] })).task?.id ?? "";
  const token = await found(() => tokens[0]);
  const worker = deferredTask(first.url, token);
  const answer = worker.ask("which car?");
  await found(async () =>
    (await rawCall(first.url, "GetTask", { id })).task?.status.state === "TASK_STATE_INPUT_REQUIRED" ? true : undefined,
  );
  await first.close();
  await using second = await serve(agent, { store, log: false, port: first.port });
  // The platform's fetch may take a connection to the first one, which is closed, and says so.
  const red = { taskId: id, messageId: "red", parts: [{ text: "red" }] };
  await found(() => rawSend(second.url, red).catch(() => undefined));
  assert.equal((await answer).parts[0]?.text, "red");
  assert.equal((await second.deferred(token).complete("done")).state, "TASK_STATE_COMPLETED");
  assert.equal(tokens.length, 1);
});

it("deferred: what comes without a good token, or is no report, is told what to do", async () => {
  const site = await startSite("sqlite");
  const id = await begin(site);
  const token = await found(() => tokensOf(site, id)[0]);
  const post = async (body: string, headers: Record<string, string> = {}, method = "POST") => {
    const json = { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers };
    const init = method === "POST" ? { method, headers: json, body } : { method, headers: json };
    const response = await fetch(`${site.server.url}/legation/deferred`, init);
    const { error } = (await response.json()) as { error?: { message: string } };
    return {
      status: response.status,
      message: error?.message ?? "",
      header: (name: string) => response.headers.get(name),
    };
  };
  assert.equal((await post('{"report":"heartbeat"}')).status, 200);
  const anonymous = await post('{"report":"heartbeat"}', { authorization: "" });
  assert.deepEqual([anonymous.status, anonymous.header("www-authenticate")], [401, "Bearer"]);
  const wrong = await post('{"report":"heartbeat"}', { authorization: `Bearer ${token.replace(/\.\d+\./, ".77.")}` });
  assert.deepEqual(
    [wrong.status, wrong.message],
    [401, "no deferred task has this token; send the one that task.defer() gave"],
  );
  assert.match((await post("", {}, "GET")).message, /use POST/);
  assert.match((await post("{")).message, /not valid JSON/);
  assert.match(
    (await post('{"report":"done","id":"1"}')).message,
    /"done" is no report; send one of heartbeat, artifact/,
  );
  assert.match((await post('{"report":"complete"}')).message, /a report needs an id/);
  assert.match((await post('{"report":"working","id":"1"}')).message, /parts/);
  assert.equal((await post('{"report":"heartbeat"}', { "content-type": "text/plain" })).status, 400);
});
