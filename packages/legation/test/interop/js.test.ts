// The JavaScript SDK both ways: its client against our server, our client against a server made with it, also where that
// speaks v0.3.
import { test } from "node:test";
import { JS, JS_OLD } from "./js/peer-js.ts";
import { startOurServer } from "./our-server.ts";
import { testPeer } from "./run-pair.ts";
import { assertSighting, BINDINGS, SCENARIOS } from "./scenario.ts";

testPeer(JS);
testPeer(JS_OLD);

for (const binding of BINDINGS) {
  test(`its client reads one card of both versions, and calls our server in 1.0 [${binding}]`, async () => {
    const server = await startOurServer({ old: true });
    try {
      const seen = await JS.drive(server.url, binding);
      for (const scenario of SCENARIOS) assertSighting(scenario, seen[scenario]);
    } finally {
      await server.close();
    }
  });
}
