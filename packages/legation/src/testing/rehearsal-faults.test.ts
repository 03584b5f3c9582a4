import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import { type Fault, parseFault, withFaults } from "./rehearsal-faults.ts";

const FRAMES = ["id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n", ": beat\n\n", "id: 3\ndata: c\n\n"];

async function* pieces(): AsyncGenerator<string> {
  // Two frames in one piece, and one cut in two: a binding may write so.
  yield FRAMES[0]! + FRAMES[1]!;
  yield FRAMES[2]! + FRAMES[3]!.slice(0, 5);
  yield FRAMES[3]!.slice(5);
}

function request(path: string, fault?: string): HttpRequest {
  const { signal } = new AbortController();
  const header = (name: string): string | undefined => (name === "legation-fault" ? fault : undefined);
  return { method: "POST", origin: "http://x", path, query: "", header, text: async () => "", signal };
}

async function outcome(response: HttpResponse | undefined): Promise<{ text: string; isCut: boolean }> {
  let text = response?.body ?? "";
  try {
    for await (const piece of response?.stream ?? []) text += piece;
    return { text, isCut: false };
  } catch {
    return { text, isCut: true };
  }
}

async function streaming(...faults: Fault[]): ReturnType<typeof outcome> {
  const handler = withFaults(async () => ({ status: 200, headers: {}, stream: pieces() }), { faults, byHeader: false });
  return outcome(await handler(request("/")));
}

describe("faults", () => {
  it("are read from text", () => {
    assert.deepEqual(parseFault("cut:5"), { kind: "cut", after: 5 });
    assert.deepEqual(parseFault("duplicate"), { kind: "duplicate" });
    assert.deepEqual(parseFault("5xx"), { kind: "5xx", requests: 1 });
    for (const text of ["", "cut:-1", "cut:x", "fire"]) assert.equal(parseFault(text), undefined);
  });

  it("cut, truncate and end a stream after so many events", async () => {
    assert.deepEqual(await streaming({ kind: "cut", after: 1 }), { text: FRAMES[0], isCut: true });
    assert.deepEqual(await streaming({ kind: "end", after: 2 }), { text: FRAMES.slice(0, 2).join(""), isCut: false });
    const torn = await streaming({ kind: "truncate", after: 1 });
    assert.ok(torn.isCut && torn.text.startsWith(FRAMES[0]!) && torn.text.length > FRAMES[0]!.length);
    assert.ok(!torn.text.includes(FRAMES[1]!));
  });

  it("double every frame, and delay without changing anything", async () => {
    assert.equal((await streaming({ kind: "duplicate" })).text, FRAMES.flatMap((frame) => [frame, frame]).join(""));
    assert.equal((await streaming({ kind: "delay", ms: 1 })).text, FRAMES.join(""));
  });

  it("refuse the first requests, and leave cards alone", async () => {
    let served = 0;
    const answer = async (): Promise<HttpResponse> => ({ status: 200, headers: {}, body: String(++served) });
    const handler = withFaults(answer, { faults: [{ kind: "5xx", requests: 2 }], byHeader: false });
    assert.equal((await handler(request("/.well-known/agent-card.json")))?.status, 200);
    const statuses = [];
    for (let at = 0; at < 3; at++) statuses.push((await handler(request("/")))?.status);
    assert.deepEqual([statuses, served], [[503, 503, 200], 2]);
  });

  it("come by header only where that is allowed, and break a plain answer in its middle", async () => {
    const answer = async (): Promise<HttpResponse> => ({ status: 200, headers: {}, body: "0123456789" });
    for (const byHeader of [true, false]) {
      const handler = withFaults(answer, { faults: [], byHeader });
      assert.deepEqual(await outcome(await handler(request("/", "cut"))), {
        text: byHeader ? "01234" : "0123456789",
        isCut: byHeader,
      });
    }
  });
});
