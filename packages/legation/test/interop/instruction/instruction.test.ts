// The agent for the instruction protocol of the public interop kit, called round in a ring of two.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { shortOf, WebhookServer } from "../../push/webhook-server.ts";
import type { PeerServer } from "../peer.ts";
import { BINDINGS } from "../scenario.ts";
import { callAgent } from "./call-agent.ts";
import { type AgentCall, decodeInstruction, encodeInstruction, type Instruction } from "./instruction.ts";
import { serveInstructions } from "./serve-instructions.ts";

let one: PeerServer;
let two: PeerServer;
before(async () => {
  one = await serveInstructions({ http: 0, grpc: 0 });
  two = await serveInstructions({ http: 0, grpc: 0 });
});
after(() => Promise.all([one.close(), two.close()]));

const signal = AbortSignal.timeout(60_000);

function returning(response: string, hold = false): Instruction {
  return { do: "return", response, hold };
}

function calling(
  server: PeerServer,
  transport: string,
  instruction: Instruction,
  more: Partial<AgentCall> = {},
): AgentCall {
  return { transport, agentCardUri: server.url, instruction, streaming: false, resubscribe: false, ...more };
}

test("instructions are read and written as the kit's proto has them", () => {
  const bytes: [string, Instruction][] = [
    ["12 03 0a 01 78", returning("x")],
    ["12 05 0a 01 78 10 01", returning("x", true)],
    ["1a 09 0a 05 12 03 0a 01 78 10 01", { do: "steps", steps: [returning("x")] }],
    [
      "0a 13 0a 04 47 52 50 43 12 02 75 3a 1a 05 12 03 0a 01 78 3a 00",
      {
        do: "call",
        call: calling({ ...one, url: "u:" }, "GRPC", returning("x"), { resubscribe: true, pushUrl: undefined }),
      },
    ],
    [
      "0a 18 0a 04 52 45 53 54 12 02 75 3a 1a 05 12 03 0a 01 78 20 01 32 03 0a 01 68",
      { do: "call", call: calling({ ...one, url: "u:" }, "REST", returning("x"), { streaming: true, pushUrl: "h" }) },
    ],
  ];
  for (const [hex, instruction] of bytes) {
    const raw = Buffer.from(hex.replaceAll(" ", ""), "hex");
    assert.deepEqual(decodeInstruction(raw), instruction);
    assert.equal(Buffer.from(encodeInstruction(instruction)).toString("hex"), raw.toString("hex"));
  }
  assert.throws(() => decodeInstruction(Buffer.from("4801", "hex")), /nothing to do/);
  assert.throws(() => decodeInstruction(Buffer.from("12 09 0a 01 78".replaceAll(" ", ""), "hex")));
});

for (const binding of BINDINGS) {
  for (const streaming of [false, true]) {
    test(`a ring of calls brings every answer back [${binding}, ${streaming ? "stream" : "send"}]`, async () => {
      const inner: Instruction = { do: "call", call: calling(one, binding, returning("c"), { streaming }) };
      const outer: Instruction = { do: "steps", steps: [returning("a"), inner, returning("b")] };
      assert.deepEqual(await callAgent(calling(two, binding, outer, { streaming }), signal), ["a", "c", "b"]);
    });
  }

  test(`a webhook that a call names is told the end [${binding}]`, async () => {
    await using hook = await WebhookServer.start();
    const call = calling(one, binding, returning("pushed"), { pushUrl: hook.url("") });
    assert.deepEqual(await callAgent(call, signal), ["pushed"]);
    await hook.until(({ received }) => received.some((each) => shortOf(each) === "COMPLETED"));
    for (const { path, headers } of hook.received) {
      assert.deepEqual([path, headers["x-a2a-notification-token"]], ["/notifications", "itk-token"]);
    }
  });

  test(`a held task is left, followed anew and canceled [${binding}]`, async () => {
    const call = calling(one, binding, returning("held", true), { resubscribe: true });
    assert.deepEqual(await callAgent(call, signal), ["held"]);
    const nested: Instruction = { do: "call", call };
    assert.deepEqual(await callAgent(calling(two, binding, nested), signal), ["held"]);
  });
}

test("the card is below the paths that the kit asks", async () => {
  for (const prefix of ["", "/jsonrpc", "/rest"]) {
    const card = await (await fetch(`${one.url}${prefix}/.well-known/agent-card.json`)).json();
    assert.equal(card.name, "Instructions");
    assert.deepEqual(
      card.supportedInterfaces.map(({ protocolBinding }: { protocolBinding: string }) => protocolBinding),
      BINDINGS,
    );
  }
});

test("what cannot be done fails the task with its reason", async () => {
  const lost: Instruction = { do: "call", call: calling(one, "SMOKE", returning("x")) };
  await assert.rejects(callAgent(calling(two, "JSONRPC", lost), signal), /is FAILED: transport SMOKE is none of/);
});
