// What is damaged in a store stops its own webhook alone, and is shown to nobody.
import assert from "node:assert/strict";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import type { HookClaim } from "../../src/engine/push-hook.ts";
import type { Store } from "../../src/engine/store.ts";
import { createPostgresStore } from "../../src/stores/postgres/store.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { commitOne, creation } from "../../src/testing/store-contract/sample.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { pushingHost } from "./pushing-host.ts";
import { WebhookServer } from "./webhook-server.ts";

const server = await startPostgres();
after(async () => server?.stop());

const CLAIM: HookClaim = {
  ...{ holder: "p1", now: Date.now() + 60_000, leaseMs: 60_000, limit: 10, agents: ["agent"] },
  ...{ minAttempts: 0, maxAttempts: Number.MAX_SAFE_INTEGER },
};

/** Two tasks with a webhook that is due; the state of the first is damaged by `damage`. */
async function assertOthersAreClaimed(store: Store, damage: (taskId: string) => Promise<void>): Promise<void> {
  const ids: string[] = [];
  for (const id of ["h-1", "h-2"]) {
    const commit = {
      ...creation({}),
      hooks: [{ id, config: '{"url":"https://example.com/"}', version: "1.0", cursor: 0 }],
    };
    assert.ok((await commitOne(store, commit)).ok);
    ids.push(commit.create?.id ?? "");
  }
  await damage(ids[0] ?? "");
  const claimed = await store.hooks.claim(CLAIM);
  assert.deepEqual(
    claimed.map(({ id, taskId }) => [id, taskId]),
    [["h-2", ids[1]]],
  );
  assert.deepEqual(await store.hooks.claim(CLAIM), []);
  const next = await store.hooks.nextDue(["agent"]);
  assert.ok(next !== undefined && next > Date.now(), "what is damaged is not due again");
}

describe("webhooks that cannot be read", () => {
  it("are dead, and others are claimed [sqlite]", async (t) => {
    const file = path.join(temporaryFolder(t), "push.db");
    await using store = createSqliteStore(file);
    await store.open();
    await assertOthersAreClaimed(store, async (taskId) => {
      const db = new DatabaseSync(file);
      db.prepare("UPDATE tasks SET state = 99 WHERE id = ?").run(taskId);
      db.close();
    });
  });

  if (server !== undefined) {
    it("are dead, and others are claimed [postgres]", async () => {
      const { Client } = (await import("pg")).default;
      const client = new Client({ connectionString: server.dsn });
      await client.connect();
      try {
        await using store = createPostgresStore({ dsn: server.dsn, schema: "push_unreadable" });
        await store.open();
        await assertOthersAreClaimed(store, async (taskId) => {
          await client.query("UPDATE push_unreadable.tasks SET state = 99 WHERE id = $1", [taskId]);
        });
      } finally {
        await client.end();
      }
    });
  }

  it("fail without a word of what is stored, while others are delivered to", async (t) => {
    const file = path.join(temporaryFolder(t), "push.db");
    await using hook = await WebhookServer.start();
    await using pushing = await pushingHost(
      async (task) => {
        await task.ask("ready?");
      },
      { settings: { maxAttempts: 1 } },
      { store: `sqlite:${file}` },
    );
    const { client, host } = pushing;
    const asked = await client.send("go");
    assert.ok(asked.kind === "task");
    for (const id of ["broken", "sound"]) {
      await client.createPushConfig(asked.id, { id, url: hook.url(`/${id}`), token: "very-secret" });
    }
    const db = new DatabaseSync(file);
    db.prepare("UPDATE hooks SET config = replace(config, '}', '') WHERE id = 'broken'").run();
    db.close();
    await asked.reply("yes");
    await hook.until((webhook) => webhook.at("/sound").length === 2);
    const outbox = host.outbox ?? assert.fail("no webhooks are wired");
    const broken = async () => (await outbox.show(asked.id)).find(({ id }) => id === "broken");
    while ((await broken())?.status !== "dead") await new Promise((resolve) => setTimeout(resolve, 10));
    const entry = await broken();
    assert.deepEqual(
      [entry?.url, entry?.error],
      ["", "what is stored of this webhook cannot be read; register it again"],
    );
    await client.createPushConfig(asked.id, { id: "broken", url: hook.url("/mended") });
    await hook.until((webhook) => webhook.at("/mended").length === 2);
  });
});
