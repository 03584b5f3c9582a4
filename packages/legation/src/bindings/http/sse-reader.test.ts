import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createParser } from "eventsource-parser";
import fc from "fast-check";
import { createSseReader } from "./sse-reader.ts";

const encoder = new TextEncoder();

function readAll(bytes: Uint8Array, chunk: number): unknown[] {
  const read = createSseReader();
  const all: unknown[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    for (const { id, event, data } of read(bytes.subarray(at, at + chunk))) all.push([id, event, data]);
  }
  return all;
}

describe("Server-Sent Events are read wherever the network cuts them", () => {
  const rows: [string, string, unknown[]][] = [
    ["LF", 'id: 7\ndata: {"a":1}\n\n', [["7", undefined, '{"a":1}']]],
    [
      "CRLF",
      'id: 7\r\ndata: {"a":1}\r\n\r\ndata: 2\r\n\r\n',
      [
        ["7", undefined, '{"a":1}'],
        [undefined, undefined, "2"],
      ],
    ],
    [
      "CR",
      "data: 1\r\rdata: 2\r\r",
      [
        [undefined, undefined, "1"],
        [undefined, undefined, "2"],
      ],
    ],
    ["a byte order mark", "\uFEFFdata: 1\n\n", [[undefined, undefined, "1"]]],
    ["comments and unknown fields", ": hello\n\n:\nfoo: bar\ndata:1\n: x\n\n", [[undefined, undefined, "1"]]],
    ["several data lines", 'data: {\ndata: "a": 1}\n\n', [[undefined, undefined, '{\n"a": 1}']]],
    ["a named event", "event: error\ndata: {}\n\n", [[undefined, "error", "{}"]]],
    ["text beyond ASCII", "data: héllo 日本 😀\n\n", [[undefined, undefined, "héllo 日本 😀"]]],
    ["an event that the end cuts off", "data: 1\n\ndata: 2\n", [[undefined, undefined, "1"]]],
    ["a retry hint", "retry: 1000\n\ndata: 1\n\n", [[undefined, undefined, "1"]]],
  ];
  for (const [name, text, expected] of rows) {
    it(name, () => {
      const bytes = encoder.encode(text);
      for (const chunk of [1, 2, 3, 5, bytes.length])
        assert.deepEqual(readAll(bytes, chunk), expected, `chunks of ${chunk}`);
    });
  }

  it("one line of 10 MB", () => {
    const data = "x".repeat(10_000_000);
    const [[, , read]] = readAll(encoder.encode(`data: ${data}\n\n`), 65_536) as [[unknown, unknown, string]];
    assert.equal(read.length, 10_000_000);
  });

  it("all events of one chunk are one batch", () => {
    assert.equal(createSseReader()(encoder.encode("data: 1\n\ndata: 2\n\ndata: 3\n\n")).length, 3);
  });

  it("a line or an event beyond the bound is INVALID_AGENT_RESPONSE", () => {
    const expected = { code: "INVALID_AGENT_RESPONSE", message: "the agent sent an event longer than 10 characters" };
    assert.throws(() => createSseReader(10)(encoder.encode("data: 12345678901")), expected);
    assert.throws(() => createSseReader(10)(encoder.encode("data: 12345678901\n\n")), expected);
    assert.throws(() => createSseReader(10)(encoder.encode("data: 123456\ndata: 123456\n\n")), expected);
  });

  it("bytes that are not UTF-8 are INVALID_AGENT_RESPONSE", () => {
    assert.throws(() => createSseReader()(Uint8Array.of(0x64, 0xff, 0xfe)), { code: "INVALID_AGENT_RESPONSE" });
  });

  it("any stream, cut anywhere, gives what eventsource-parser reads in it", () => {
    const pieces = [
      "data: a",
      "data:b",
      "data",
      "id: 1",
      "id:x\0y",
      "event: e",
      "event:",
      ": c",
      ":",
      "foo: x",
      "retry: 5",
    ];
    const ends = ["\n", "\n\n", "\r", "\r\n", "\r\r", "é😀", " ", "\uFEFF"];
    const streams = fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom(...ends)), { minLength: 8, maxLength: 40 })
      .map((parts) => parts.join(""));
    let events = 0;
    fc.assert(
      fc.property(streams, fc.integer({ min: 1, max: 9 }), (text, chunk) => {
        const expected: unknown[] = [];
        createParser({ onEvent: ({ id, event, data }) => expected.push([id, event, data]) }).feed(text);
        events += expected.length;
        assert.deepEqual(readAll(encoder.encode(text), chunk), expected);
      }),
      { numRuns: 3_000, seed: 20_260_801 },
    );
    assert.ok(events > 500, `only ${events} events`);
  });
});
