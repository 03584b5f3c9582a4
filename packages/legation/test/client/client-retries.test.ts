import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { A2AError, isA2AError, isLocalError, LocalError } from "../../src/operations/errors.ts";
import { IDEMPOTENT_SEND_EXTENSION } from "../../src/operations/extension-uris.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import type { Service } from "../../src/operations/service.ts";
import { cardOf, chunk, clientOf, createPeer, instantClock, lost, status, task } from "./fake-peer.ts";

const DONE: readonly StreamResponse[] = [
  task(),
  chunk("Albany", false, "a-1", "route.md"),
  status("COMPLETED", "done"),
];

/** A peer whose sendMessage fails some times before it works. */
function failing(
  times: number,
  error: unknown,
): { readonly overrides: () => Partial<Service>; readonly ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    overrides: () => ({
      sendMessage: async (request) => {
        ids.push(request.message.messageId);
        if (ids.length <= times) throw error;
        return payloadOfValue({ message: { messageId: "r", role: "ROLE_AGENT", parts: [{ text: "ok" }] } });
      },
    }),
  };
}

test("a send whose connection is lost is repeated under one id only where that is known to be safe", async () => {
  const loss = new LocalError("UNREACHABLE", "reset", { metadata: { sent: "unknown", cause: "ECONNRESET" } });
  const ours = cardOf({ capabilities: { extensions: [{ uri: IDEMPOTENT_SEND_EXTENSION }] } });
  const cases = [
    { card: cardOf(), options: {}, sends: 1 },
    { card: ours, options: {}, sends: 3 },
    { card: ours, options: { retrySends: false }, sends: 1 },
    { card: cardOf(), options: { retrySends: true }, sends: 3 },
    { card: ours, options: { retry: false as const }, sends: 1 },
  ];
  for (const { card, options, sends } of cases) {
    const { overrides, ids } = failing(2, loss);
    const client = await clientOf(createPeer({ log: DONE, overrides }), { card, ...options });
    if (sends === 1) {
      await assert.rejects(
        client.send("pay"),
        (error) => isLocalError(error, "UNREACHABLE") && error.metadata["messageId"] === "m-1",
      );
    } else assert.equal((await client.send("pay")).kind, "message");
    assert.deepEqual(ids, Array(sends).fill("m-1"));
  }
});

test("an agent that refuses connections is reported at once, without the claim that something arrived", async () => {
  const refused = new LocalError("UNREACHABLE", "nothing listens there", {
    metadata: { sent: "no", cause: "ECONNREFUSED" },
  });
  const { overrides, ids } = failing(9, refused);
  const client = await clientOf(createPeer({ log: DONE, overrides }), { retrySends: true });
  await assert.rejects(client.send("a"), refused);
  assert.equal(ids.length, 1);
});

test("reads are repeated after a loss, and after UNAVAILABLE as it asks for", async () => {
  let reads = 0;
  const errors = [lost(), new A2AError("UNAVAILABLE", "busy", { retryAfterSeconds: 2 })];
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async () => {
        const error = errors[reads++];
        if (error !== undefined) throw error;
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const clock = instantClock();
  const client = await clientOf(peer, { clock });
  assert.equal((await client.task("t-1")).state, "WORKING");
  assert.deepEqual(clock.waits, [50, 2000]);
});

test("the next interface is used only when nothing can have reached the first, and then for good", async () => {
  const card = cardOf({
    supportedInterfaces: [
      { url: "http://a.test/", protocolBinding: "FAKE", protocolVersion: "1.0" },
      { url: "http://b.test/", protocolBinding: "FAKE", protocolVersion: "1.0" },
    ],
  });
  const cases = [
    {
      error: new LocalError("UNREACHABLE", "refused", { metadata: { sent: "no", cause: "ECONNREFUSED" } }),
      next: true,
    },
    { error: new LocalError("UNREACHABLE", "no host", { metadata: { sent: "no", cause: "ENOTFOUND" } }), next: true },
    {
      error: new LocalError("UNREACHABLE", "reset", { metadata: { sent: "unknown", cause: "ECONNRESET" } }),
      next: false,
    },
    {
      error: new LocalError("UNREACHABLE", "cert", { metadata: { sent: "no", cause: "DEPTH_ZERO_SELF_SIGNED_CERT" } }),
      next: false,
    },
    { error: new A2AError("UNAVAILABLE", "busy"), next: false },
  ];
  for (const { error, next } of cases) {
    let first = 0;
    const good = createPeer({ log: DONE });
    const bad = createPeer({
      log: DONE,
      overrides: () => ({
        sendMessage: async () => {
          first++;
          throw error;
        },
      }),
    });
    const client = await clientOf(good, {
      card,
      transports: { FAKE: ({ interface: { url } }) => (url.includes("a.test") ? bad.service : good.service) },
    });
    if (!next) {
      await assert.rejects(client.send("a"));
      assert.equal(good.calls.length, 0);
      continue;
    }
    await client.send("a");
    await client.send("b");
    assert.equal(first, 1);
    assert.equal(client.interface.url, "http://b.test/");
  }
});

test("credentials are asked for before each call, once more after a refusal, and their headers reach the transport", async () => {
  const seen: unknown[] = [];
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async (_request, call) => {
        seen.push(call.headers);
        if (call.headers?.["authorization"] !== "Bearer new") throw new A2AError("UNAUTHENTICATED", "expired");
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const client = await clientOf(peer, {
    headers: { "x-a": "1" },
    credentials: ({ rejected, card, interface: entry, method }) => {
      assert.equal(card.name, "Peer");
      assert.equal(entry.protocolBinding, "FAKE");
      assert.equal(method, "GetTask");
      return { authorization: rejected === undefined ? "Bearer old" : "Bearer new" };
    },
  });
  await client.task("t-1", { headers: { "x-b": "2" } });
  assert.deepEqual(seen, [
    { "x-a": "1", authorization: "Bearer old", "x-b": "2" },
    { "x-a": "1", authorization: "Bearer new", "x-b": "2" },
  ]);
  const same = await clientOf(peer, { credentials: () => ({ authorization: "Bearer old" }) });
  seen.length = 0;
  await assert.rejects(same.task("t-1"), (error) => isA2AError(error, "UNAUTHENTICATED"));
  assert.equal(seen.length, 1);
});

test("interceptors are around every call, and see one call where a read was repeated", async () => {
  const methods: string[] = [];
  let reads = 0;
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async () => {
        if (reads++ === 0) throw lost();
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const client = await clientOf(peer, {
    interceptors: [
      (invocation, next) => {
        methods.push(invocation.method);
        return next(invocation);
      },
    ],
  });
  await client.task("t-1");
  await client.stream("go").result;
  assert.deepEqual(methods, ["GetTask", "SendStreamingMessage"]);
  assert.equal(reads, 2);
});
