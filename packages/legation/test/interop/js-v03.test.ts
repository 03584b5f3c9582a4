// needs: peer-js-v03
// An SDK that speaks v0.3 alone: with the plug-in both sides understand each other; without it nobody falls back
// silently, and everybody is told why.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isLocalError } from "../../src/client/index.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import { FOREIGN } from "./foreign-peers.ts";
import { startOurServer } from "./our-server.ts";
import { testPeer } from "./run-pair.ts";
import { assertSighting, BINDINGS, type Scenario } from "./scenario.ts";

const V03 = FOREIGN["js-v03"];

testPeer(V03);

/** What v0.3 has, as v1.0 has it. */
const COMMON: readonly Scenario[] = ["send", "stream", "cancel", "subscribe", "input", "errors", "message"];

for (const binding of BINDINGS) {
  test(`its client and its server understand each other, so what we see of them is theirs [${binding}]`, async () => {
    const server = await V03.startServer();
    try {
      const seen = await V03.drive(server.url, binding);
      for (const scenario of COMMON) assertSighting(scenario, seen[scenario]);
    } finally {
      await server.close();
    }
  });
}

test("§3.6.3 our client does not speak to a server of v0.3, and says which version it has", async () => {
  const server = await V03.startServer();
  try {
    await assert.rejects(connect(server.url), (thrown) => {
      assert.ok(isLocalError(thrown, "NO_COMMON_INTERFACE"));
      assert.match(thrown.message, /version 0\.3 is only spoken when it is allowed: pass compat: v0_3\(\)/);
      return true;
    });
  } finally {
    await server.close();
  }
});

test("§3.6.2 a call of v0.3 to our server is refused with what to send", async () => {
  const server = await startOurServer();
  try {
    const message = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hi" }] };
    const answer = await fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
    });
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    assert.equal(error.code, -32009);
    assert.match(error.message, /A2A-Version: 1\.0/);
  } finally {
    await server.close();
  }
});
