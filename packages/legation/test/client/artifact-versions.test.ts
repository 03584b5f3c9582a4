import assert from "node:assert/strict";
import { test } from "node:test";
import type { ArtifactHistoryStore, VersionRecord } from "../../src/client/artifact-history.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import { chunk, clientOf, createPeer, status, task } from "./fake-peer.ts";

/** An agent that draws: each message makes a task of its own with one artifact, under the same name. */
function drawer() {
  let drawn = 0;
  return createPeer({
    log: [task()],
    overrides: () => ({
      sendMessage: async () => {
        drawn++;
        const artifacts = [{ artifactId: `a-${drawn}`, name: "boat.svg", parts: [{ text: `<svg n="${drawn}"/>` }] }];
        return payloadOfValue({
          task: { id: `t-${drawn}`, contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" }, artifacts },
        });
      },
    }),
  });
}

test("refinements of one name in one context are its versions; the caller decides which one counts", async () => {
  const client = await clientOf(drawer());
  const first = await client.send("a boat");
  assert.ok(first.kind === "task");
  await first.refine("make it red", { artifact: "boat.svg" });
  await client.context("c-1").send("bigger");
  const boat = client.context("c-1").artifact("boat.svg");
  assert.deepEqual(
    boat.versions.map(({ number, taskId, artifactId, decision }) => [number, taskId, artifactId, decision]),
    [
      [1, "t-1", "a-1", "undecided"],
      [2, "t-2", "a-2", "undecided"],
      [3, "t-3", "a-3", "undecided"],
    ],
  );
  assert.equal(client.context("c-1").artifact("boat.svg").accepted, undefined);
  assert.equal(boat.accept(2).artifactId, "a-2");
  boat.reject();
  assert.equal(boat.latest?.decision, "rejected");
  assert.equal(boat.accepted?.number, 2);
  assert.equal(await boat.accepted?.artifact.text(), '<svg n="2"/>');
  assert.equal(boat.accept("a-1").number, 1);
  assert.equal(boat.accepted?.number, 2);
  assert.throws(
    () => boat.accept(9),
    (error) => isLocalError(error, "CONFIGURATION"),
  );
  assert.throws(
    () => client.context("c-1").artifact("car.svg").accept(),
    (error) => isLocalError(error, "CONFIGURATION"),
  );
  assert.deepEqual(client.context("c-1").artifactNames, ["boat.svg"]);
  assert.deepEqual(client.context("c-2").artifactNames, []);
  assert.ok(Object.isFrozen(boat.versions) && Object.isFrozen(boat.versions[0]));
});

test("a task that is read again is no new version; one that grew is the same version, grown", async () => {
  const peer = createPeer({ log: [task(), chunk("dra", false, "a-1", "n"), chunk("ft"), status("COMPLETED")] });
  const client = await clientOf(peer);
  peer.head = 2;
  await client.task("t-1");
  const versions = client.context("c-1").artifact("n");
  versions.accept();
  await client.stream("go").result;
  assert.equal(versions.versions.length, 1);
  assert.equal(await versions.latest?.artifact.text(), "draft");
  assert.equal(versions.latest?.decision, "accepted");
});

test("a store keeps the versions beyond the process, in order, and its failure breaks nothing", async () => {
  const saved = new Map<string, readonly VersionRecord[]>();
  const store: ArtifactHistoryStore = {
    load: async (id) => saved.get(id),
    save: async (id, versions) => void saved.set(id, JSON.parse(JSON.stringify(versions))),
  };
  const before = await clientOf(drawer(), { artifactHistory: { store } });
  await before.send("a boat");
  await before.send("again");
  before.context("c-1").artifact("boat.svg").accept(1);
  await before.context("c-1").saved();

  const after = await clientOf(drawer(), { artifactHistory: { store } });
  const context = await after.context("c-1").load();
  assert.equal(context.artifact("boat.svg").versions.length, 2);
  assert.equal(context.artifact("boat.svg").accepted?.artifactId, "a-1");

  const warnings: string[] = [];
  const broken = { load: async () => undefined, save: () => Promise.reject(new Error("disk full")) };
  const client = await clientOf(drawer(), {
    artifactHistory: { store: broken },
    onWarning: (sentence) => warnings.push(sentence),
  });
  await client.send("a boat");
  await client.context("c-1").saved();
  assert.match(warnings.join(), /not saved.*disk full/);
});

test("memory is bounded: old contexts go, and accepted versions last", async () => {
  const client = await clientOf(drawer(), { artifactHistory: { maxVersions: 2 } });
  await client.send("1");
  client.context("c-1").artifact("boat.svg").accept(1);
  for (const text of ["2", "3", "4"]) await client.send(text);
  assert.deepEqual(
    client
      .context("c-1")
      .artifact("boat.svg")
      .versions.map(({ artifactId }) => artifactId),
    ["a-1", "a-4"],
  );

  let n = 0;
  const peer = createPeer({
    log: [task()],
    overrides: () => ({
      sendMessage: async () => {
        n++;
        return payloadOfValue({
          task: {
            id: `t-${n}`,
            contextId: `c-${n}`,
            status: { state: "TASK_STATE_COMPLETED" },
            artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
          },
        });
      },
    }),
  });
  const many = await clientOf(peer, { artifactHistory: { maxContexts: 2 } });
  for (let round = 0; round < 3; round++) await many.send("x");
  assert.deepEqual(
    ["c-1", "c-2", "c-3"].map((id) => many.context(id).artifactNames.length),
    [0, 1, 1],
  );
});
