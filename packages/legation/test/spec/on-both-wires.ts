// Runs a test over the raw wire of both HTTP bindings of one rehearsal agent.
import test from "node:test";
import { globalFetch } from "../../src/bindings/http/transport.ts";
import type { RawReply } from "../../src/conformance/raw-reply.ts";
import { openWire, type RawRequest, type Wire } from "../../src/conformance/wire.ts";
import { withAgent } from "./conformance-agents.ts";

/** One test: its title, and what it does on a wire. */
export type WireTest = readonly [title: string, body: (wire: Wire) => Promise<void>];

/** Defines the tests, each over both bindings; the title gets ` [rest × memory]`. */
export function onBothWires(name: string, tests: readonly WireTest[]): void {
  test(name, { timeout: 60_000 }, async (t) => {
    await withAgent({}, async ({ url }) => {
      for (const binding of ["jsonrpc", "rest"] as const) {
        for (const [title, body] of tests) {
          const ending = new AbortController();
          const wire = openWire({
            binding,
            url,
            tenant: "",
            fetch: globalFetch,
            signal: ending.signal,
            extensions: [],
            credentials: async () => ({}),
          });
          await t.test(`${title} [${binding} × memory]`, () => body(wire));
          ending.abort();
        }
      }
    });
  });
}

/** Posts the params of SendMessage as text, so that no writer of JSON changes them. */
export function sendText(wire: Wire, params: string, more: RawRequest = {}): Promise<RawReply> {
  if (wire.binding === "rest") return wire.raw({ path: "/message:send", body: params, ...more });
  return wire.raw({ body: `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`, ...more });
}

let made = 0;

/** A messageId of its own. */
export function newMessageId(): string {
  made += 1;
  return `m-${made}`;
}
