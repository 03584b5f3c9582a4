// Runs a test over the raw wires of one rehearsal agent: both HTTP bindings, and gRPC by somebody else's protobuf.
import assert from "node:assert/strict";
import test from "node:test";
import { globalFetch } from "../../src/bindings/http/transport.ts";
import { Inapplicable } from "../../src/conformance/expect.ts";
import type { RawReply } from "../../src/conformance/raw-reply.ts";
import { openWire, type RawRequest, type Wire } from "../../src/conformance/wire.ts";
import { withAgent } from "./conformance-agents.ts";
import { openOracleWire } from "./oracle-wire.ts";

/** One test: its title, and what it does on a wire. */
export type WireTest = readonly [title: string, body: (wire: Wire) => Promise<void>];

/** How the tests go over gRPC. */
export interface OverGrpc {
  /** Titles of tests whose requests protobuf cannot carry, or that are about HTTP: that is what is tested of them. */
  readonly uncarried: readonly string[];
  /** Titles of tests that end otherwise over gRPC, and what is done in their place. */
  readonly instead?: Readonly<Record<string, WireTest[1]>>;
}

/** Defines the tests, each over the three bindings; the title gets ` [rest × memory]`. */
export function onEveryWire(name: string, tests: readonly WireTest[], { uncarried, instead = {} }: OverGrpc): void {
  const titles = tests.map(([title]) => title);
  for (const title of [...uncarried, ...Object.keys(instead)]) assert.ok(titles.includes(title), `no test: ${title}`);
  test(name, { timeout: 60_000 }, async (t) => {
    await withAgent({}, async ({ url }) => {
      for (const [title, body] of tests) {
        const wire = openOracleWire(url);
        await t.test(`${title} [grpc × memory]`, async () => {
          if (!uncarried.includes(title)) return (instead[title] ?? body)(wire);
          await assert.rejects(body(wire), Inapplicable, "protobuf carries it: let it be tested");
        });
      }
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
