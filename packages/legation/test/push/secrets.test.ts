// §4.3.2 and §13.2: token and credentials go to their webhook and nowhere else, and keys that encrypt them can change.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import type { OutboxEntry } from "../../src/engine/push-outbox.ts";
import type { Logger } from "../../src/hosts/node/log.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { runCli } from "../cli/run-cli.ts";
import { type Handler, type PushingHost, pushingHost } from "./pushing-host.ts";
import { WebhookServer } from "./webhook-server.ts";

const SECRETS = { token: "hush-token", authentication: { scheme: "Bearer", credentials: "hush-credentials" } };
const SECRET = /hush/;
const OLD_KEY = "the key of last year";
const NEW_KEY = "the key of this year";

const asks: Handler = async (task) => {
  await task.ask("ready?");
};

/** A logger that keeps all that it is told, errors with their causes. */
function keepingLogger(): { readonly logger: Logger; text(): string } {
  const lines: string[] = [];
  const keep = (...told: unknown[]): void => void lines.push(inspect(told, { depth: 20 }));
  return { logger: { debug: keep, info: keep, warn: keep, error: keep }, text: () => lines.join("\n") };
}

const outboxOf = ({ host }: PushingHost) => host.outbox ?? assert.fail("no webhooks are wired");

async function entryOf(pushing: PushingHost, taskId: string, isThere: (entry: OutboxEntry) => boolean) {
  for (;;) {
    const [entry] = await outboxOf(pushing).show(taskId);
    if (entry !== undefined && isThere(entry)) return entry;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("secrets of webhooks", () => {
  it("are in no log, no error, no outbox and no file, whatever goes wrong", async (t) => {
    const folder = temporaryFolder(t);
    const store = `sqlite:${path.join(folder, "push.db")}`;
    const { logger, text } = keepingLogger();
    await using echo = await WebhookServer.start(({ headers }, response) => {
      response.writeHead(500, { "x-echo": String(headers["authorization"]) }).end(JSON.stringify(headers));
      return "taken";
    });
    const gone = await WebhookServer.start();
    const nobody = gone.url();
    await gone.close();
    const push = { encryptionKeys: [OLD_KEY], settings: { maxAttempts: 2 } };
    {
      await using pushing = await pushingHost(() => "done", push, { store, log: logger });
      for (const url of [echo.url(), nobody, `http://[::1]:${echo.port}/`]) {
        const sent = await pushing.client.send("go", { push: { url, ...SECRETS } }).catch((refused: unknown) => {
          assert.doesNotMatch(inspect(refused, { depth: 20 }), SECRET);
        });
        if (sent?.kind !== "task") continue;
        const entry = await entryOf(pushing, sent.id, ({ status }) => status === "dead");
        assert.doesNotMatch(JSON.stringify([entry, await outboxOf(pushing).list()]), SECRET);
        for (const args of [
          ["outbox", "list"],
          ["outbox", "show", sent.id],
        ]) {
          const shown = await runCli([...args, "--store", store, "-o", "json"]);
          assert.doesNotMatch(shown.stdout + shown.stderr, SECRET);
        }
      }
      for (const wrong of [
        { token: "hush\r\nx: y" },
        { authentication: { scheme: "Bearer", credentials: "hush\nx" } },
        { authentication: { scheme: "hush hush", credentials: "x" } },
        { token: `hush${"x".repeat(10_000)}` },
      ]) {
        await assert.rejects(
          pushing.client.send("go", { push: { url: echo.url(), ...wrong } }),
          (refused) => !SECRET.test(inspect(refused, { depth: 20 })),
        );
      }
      assert.equal(echo.received[0]?.headers["authorization"], "Bearer hush-credentials");
      assert.match(text(), /push\.dead/);
      assert.doesNotMatch(text(), SECRET);
      for (const file of readdirSync(folder)) assert.ok(!readFileSync(path.join(folder, file)).includes("hush"), file);
    }
  });

  it("are opened by the key that sealed them, sealed by the first, and a missing key is told and mended", async (t) => {
    const store = `sqlite:${path.join(temporaryFolder(t), "push.db")}`;
    await using hook = await WebhookServer.start();
    const hostWith = (...keys: string[]): Promise<PushingHost> =>
      pushingHost(asks, keys.length === 0 ? {} : { encryptionKeys: keys }, { store });
    const begin = async (pushing: PushingHost, path: string): Promise<string> => {
      const asked = await pushing.client.send("go", { push: { url: hook.url(path), ...SECRETS } });
      assert.ok(asked.kind === "task");
      await hook.until((webhook) => webhook.at(path).length === 3);
      return asked.id;
    };
    const answer = async (pushing: PushingHost, taskId: string): Promise<void> => {
      await (await pushing.client.task(taskId)).reply("yes");
    };
    const isTold = (path: string) => (webhook: WebhookServer) => webhook.at(path).length === 5;

    let old = "";
    let young = "";
    {
      await using before = await hostWith(OLD_KEY);
      old = await begin(before, "/old");
    }
    {
      await using rotating = await hostWith(NEW_KEY, OLD_KEY);
      young = await begin(rotating, "/young");
    }
    {
      await using keyless = await hostWith();
      await answer(keyless, young);
      const { error } = await entryOf(keyless, young, (entry) => entry.status === "failing");
      assert.equal(error, "the secrets of this webhook are sealed; configure the key that sealed them");
    }
    await using after = await hostWith(NEW_KEY);
    await hook.until(isTold("/young"));
    await answer(after, old);
    const { error } = await entryOf(after, old, (entry) => entry.status === "failing");
    assert.match(error ?? "", /^secret is sealed with key .{8}, which is not configured; add it$/);
    await after.host.close({ graceMs: 0 });
    await using _both = await hostWith(NEW_KEY, OLD_KEY);
    await hook.until(isTold("/old"));
    for (const { headers } of hook.received) {
      assert.equal(headers["authorization"], "Bearer hush-credentials");
      assert.equal(headers["a2a-notification-token"], "hush-token");
    }
  });
});
