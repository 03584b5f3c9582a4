// Runs the checks of conformance/ over every binding on PostgreSQL, where there is one.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import test from "node:test";
import pg from "pg";
import { openGrpcWire } from "../../src/cli/grpc-wire.ts";
import { runConformance } from "../../src/conformance/run-conformance.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { withAgent } from "./conformance-agents.ts";

const server = await startPostgres();

if (server !== undefined) {
  test("conformance over postgres", { timeout: 180_000 }, async (t) => {
    const schema = `conformance_${randomBytes(4).toString("hex")}`;
    t.after(async () => {
      const client = new pg.Client({ connectionString: server.dsn });
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await client.end();
      await server.stop();
    });
    const storeUrl = `${server.dsn}?schema=${schema}`;
    const results = await withAgent({ storeUrl }, (host) => runConformance({ url: host.url, openGrpc: openGrpcWire }));
    const bindings = new Set(results.filter(({ outcome }) => outcome === "pass").map(({ binding }) => binding));
    assert.deepEqual([...bindings].sort(), ["card", "grpc", "jsonrpc", "rest"]);
    for (const result of results) {
      if (result.outcome === "skipped") continue;
      await t.test(`${result.title} [${result.binding} × postgres]`, () => {
        assert.equal(result.outcome, "pass", `expected ${result.expected}, got ${result.got}\n${result.exchange}`);
      });
    }
  });
}
