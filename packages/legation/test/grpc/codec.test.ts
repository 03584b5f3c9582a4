// The binary codec against protobuf-es, and against bytes that nobody should send.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BinaryReader, WireFault } from "../../src/bindings/grpc/binary-reader.ts";
import { BinaryWriter } from "../../src/bindings/grpc/binary-writer.ts";
import { decodeAnswer, decodeRequest, encodeRequest } from "../../src/bindings/grpc/codec.ts";
import * as decode from "../../src/bindings/grpc/gen/decode.ts";
import * as encode from "../../src/bindings/grpc/gen/encode.ts";
import * as card from "../../src/model/gen/validate-card.ts";
import * as request from "../../src/model/gen/validate-request.ts";
import * as task from "../../src/model/gen/validate-task.ts";
import { ModelError } from "../../src/model/model-error.ts";
import { type Checker, parseWith } from "../../src/model/parse.ts";
import { A2AError } from "../../src/operations/errors.ts";
import { METHODS, type MethodName } from "../../src/operations/methods.ts";
import { parseRequest } from "../../src/operations/parse-request.ts";
import { decodeByOracle, encodeByOracle, MESSAGES, messageNamed, objectsOf } from "./oracle.ts";

type Write = (writer: BinaryWriter, value: unknown) => void;
type Read = (reader: BinaryReader, end: number) => Record<string, unknown>;

const writers = encode as unknown as Record<string, Write>;
const readers = decode as unknown as Record<string, Read>;
const checks = { ...card, ...request, ...task } as unknown as Record<string, Checker>;
const writer = new BinaryWriter();

function write(name: string, value: unknown): Buffer {
  return writer.collect(false, writers[`write${name}`] as Write, value);
}

function read(name: string, bytes: Buffer): Record<string, unknown> {
  return (readers[`read${name}`] as Read)(new BinaryReader(bytes), bytes.length);
}

/** The canonical form, or undefined for what the validator refuses. */
function canonical(name: string, value: unknown): unknown {
  try {
    return parseWith(value, undefined, checks[`check${name}`] as Checker);
  } catch (thrown) {
    assert.ok(thrown instanceof ModelError);
    return undefined;
  }
}

for (const message of MESSAGES) {
  const { name } = message;

  test(`${name}: protobuf-es reads what we write`, () => {
    fc.assert(
      fc.property(objectsOf(message), (object) => {
        // protobuf-es gives the canonical form too, but for what it may leave out.
        const theirs = decodeByOracle(message, encodeByOracle(message, object));
        assert.deepEqual(decodeByOracle(message, write(name, object)), theirs);
      }),
      { numRuns: 40, seed: 20_260_801 },
    );
  });

  test(`${name}: we read what protobuf-es writes, and the validator says the same of it as of the JSON`, () => {
    let valid = 0;
    fc.assert(
      fc.property(objectsOf(message), (object) => {
        const fromWire = canonical(name, read(name, encodeByOracle(message, object)));
        const fromJson = canonical(name, structuredClone(object));
        if (fromJson !== undefined) valid++;
        // JSON tells a list or map that is there and empty from one that is not; protobuf does not.
        if (fromWire !== undefined || !hasEmpty(object)) assert.deepEqual(fromWire, fromJson);
      }),
      { numRuns: 60, seed: 20_260_802 },
    );
    assert.ok(valid > 0, "no valid object was tried");
  });

  test(`${name}: any change of a byte is read or refused as a fault of the wire`, () => {
    fc.assert(
      fc.property(
        objectsOf(message),
        fc.nat(),
        fc.integer({ min: 0, max: 255 }),
        fc.boolean(),
        (object, at, byte, cut) => {
          const bytes = encodeByOracle(message, object).subarray(0, 2_000);
          const broken = cut ? bytes.subarray(0, at % (bytes.length + 1)) : Buffer.from(bytes);
          if (!cut && bytes.length > 0) broken[at % bytes.length] = byte;
          try {
            read(name, broken);
          } catch (thrown) {
            assert.ok(thrown instanceof WireFault, String(thrown));
          }
        },
      ),
      { numRuns: 60, seed: 20_260_803 },
    );
  });
}

function hasEmpty(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const inner = Object.values(value);
  return inner.length === 0 || inner.some(hasEmpty);
}

test("any bytes are read or refused as a fault of the wire", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const name of ["SendMessageRequest", "StreamResponse", "AgentCard"]) {
        try {
          read(name, Buffer.from(bytes));
        } catch (thrown) {
          assert.ok(thrown instanceof WireFault, String(thrown));
        }
      }
    }),
    { numRuns: 500, seed: 20_260_804 },
  );
});

/** A field whose wire type is a length. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const head = [number * 8 + 2];
  let rest = bytes.length;
  for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...head, rest]), bytes]);
}

function refusal(method: MethodName, bytes: Buffer): A2AError {
  try {
    parseRequest(method, decodeRequest(method, bytes));
  } catch (thrown) {
    return A2AError.from(thrown);
  }
  return assert.fail("was accepted");
}

test("what is broken is a PARSE_ERROR, what has the wrong form INVALID_PARAMS", () => {
  for (const [hex, code, pattern] of [
    ["0a05", "PARSE_ERROR", /a length of 5 where 0 bytes are left/],
    ["0a", "PARSE_ERROR", /ends in the middle of a field/],
    ["00", "PARSE_ERROR", /a tag without a field number/],
    ["0f", "INVALID_PARAMS", /field 1 holds wire type 7/],
    ["ff0f", "PARSE_ERROR", /wire type 7/],
    ["08ffffffffffffffffffff01", "INVALID_PARAMS", /field 1 holds a varint/],
    ["1001", "INVALID_PARAMS", /field 2 holds a varint, which is not its type/],
    ["1202c328", "INVALID_PARAMS", /not UTF-8/],
    ["7bfb", "PARSE_ERROR", /middle of a field/],
    ["0c", "INVALID_PARAMS", /field 1 holds the end of a group/],
  ] as const) {
    const error = refusal("GetTask", Buffer.from(hex, "hex"));
    assert.equal(error.code, code, `${hex}: ${error.message}`);
    assert.match(error.message, pattern, hex);
  }
});

test("unknown fields of every wire type are skipped, groups too", () => {
  const unknown = Buffer.concat([
    Buffer.from("f80101", "hex"),
    Buffer.from("f9010000000000000000", "hex"),
    field(15, "abc"),
    Buffer.from("fd0100000000", "hex"),
    Buffer.from("7b08017c", "hex"),
  ]);
  assert.deepEqual(decodeRequest("GetTask", Buffer.concat([unknown, field(2, "t-1"), unknown])), { id: "t-1" });
});

test("a text that itself holds U+FFFD is a text", () => {
  assert.deepEqual(decodeRequest("GetTask", field(2, "a\uFFFDb")), { id: "a\uFFFDb" });
});

test("fields that come twice: the last scalar counts, messages come together, lists go on, the last arm counts", () => {
  const message = messageNamed("Message");
  const once = encodeByOracle(message, { messageId: "m-1", role: "ROLE_USER", metadata: { a: 1 } });
  const again = encodeByOracle(message, { messageId: "m-2", parts: [{ text: "x" }], metadata: { b: 2 } });
  const part = Buffer.concat([field(1, "text"), field(3, "https://a.example")]);
  const bytes = Buffer.concat([field(2, once), field(2, again), field(2, field(5, part))]);
  const read = decodeRequest("SendMessage", bytes);
  assert.deepEqual(read, {
    message: {
      messageId: "m-2",
      role: "ROLE_USER",
      parts: [{ text: "x" }, { url: "https://a.example" }],
      metadata: { a: 1, b: 2 },
    },
  });
});

test("what JSON refuses is refused in the same words", () => {
  const send = (message: object): Buffer => encodeByOracle(messageNamed("SendMessageRequest"), { message });
  const good = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };
  for (const message of [
    { ...good, parts: [] },
    { ...good, parts: [{ mediaType: "x/y" }] },
    { ...good, role: "ROLE_AGENT" },
    { role: "ROLE_USER", parts: [{ text: "x" }] },
    { messageId: "m", parts: [{ text: "x" }] },
    {},
  ]) {
    const error = refusal("SendMessage", send(message));
    let asJson: A2AError | undefined;
    try {
      parseRequest("SendMessage", structuredClone({ message }));
    } catch (thrown) {
      asJson = A2AError.from(thrown);
    }
    assert.deepEqual(
      [error.code, error.message, error.violations],
      [asJson?.code, asJson?.message, asJson?.violations],
    );
  }
});

test("numbers that are no JSON, unknown enum numbers, impossible times and towers are refused with their place", () => {
  const list = messageNamed("ListTasksRequest");
  const nan = Buffer.alloc(9);
  nan[0] = 17;
  nan.writeDoubleLE(Number.NaN, 1);
  const part = (value: Buffer): Buffer =>
    field(2, Buffer.concat([field(1, "m"), Buffer.from([32, 1]), field(5, field(4, value))]));
  assert.match(refusal("SendMessage", part(nan)).message, /message\.parts\[0\]\.data: NaN is not JSON/);
  assert.match(
    refusal("ListTasks", Buffer.from([24, 42])).message,
    /^status: unknown state 42: must be one of TASK_STATE_SUBMITTED/,
  );
  const farAway = Buffer.from([58, 11, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
  farAway[1] = farAway.length - 2;
  assert.match(refusal("ListTasks", farAway).message, /^statusTimestampAfter: must be an RFC 3339 time/);
  assert.deepEqual(decodeRequest("ListTasks", encodeByOracle(list, { status: "TASK_STATE_UNSPECIFIED" })), {});
  for (const levels of [104, 2_000]) {
    let value: Buffer = Buffer.from([32, 1]);
    for (let level = 0; level < levels; level++) value = field(6, field(1, value));
    assert.match(refusal("SendMessage", part(value)).message, /nested deeper than 100 levels/);
  }
});

test("keys such as __proto__ are ordinary", () => {
  const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
  const made = { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], metadata } };
  const read = decodeRequest("SendMessage", encodeRequest("SendMessage", made)) as typeof made;
  assert.equal(JSON.stringify(read.message.metadata), JSON.stringify(metadata));
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test("a request that JSON would carry in another spelling is put right, one that cannot be carried is refused", () => {
  const list = encodeRequest("ListTasks", { statusTimestampAfter: "2026-01-02T05:04:05+02:00", status: 2 });
  assert.deepEqual(decodeRequest("ListTasks", list), {
    statusTimestampAfter: "2026-01-02T03:04:05.000Z",
    status: "TASK_STATE_WORKING",
  });
  const raw = { message: { messageId: "m", role: "ROLE_USER", parts: [{ raw: "_-8" }] } };
  assert.deepEqual(decodeRequest("SendMessage", encodeRequest("SendMessage", raw)), {
    message: { messageId: "m", role: "ROLE_USER", parts: [{ raw: "/+8=" }] },
  });
  for (const [method, wrong, field] of [
    ["GetTask", { id: 5 }, "id"],
    ["GetTask", { id: "t", historyLength: 1.5 }, "historyLength"],
    ["ListTasks", { status: "RUNNING" }, "status"],
    [
      "SendMessage",
      { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "a", url: "b" }] } },
      "message.parts[0]",
    ],
    [
      "SendMessage",
      { message: { messageId: "m", role: "ROLE_USER", parts: [{ data: Number.NaN }] } },
      "message.parts[0].data",
    ],
  ] as const) {
    assert.throws(
      () => encodeRequest(method, wrong),
      (thrown) => thrown instanceof ModelError && thrown.violations[0]?.field === field,
    );
  }
});

test("every method has a codec for its request and its answer", () => {
  for (const method of Object.keys(METHODS) as MethodName[]) {
    assert.deepEqual(decodeRequest(method, Buffer.alloc(0)), {});
    assert.deepEqual(decodeAnswer(method, Buffer.alloc(0)), {});
  }
  assert.throws(() => decodeAnswer("GetTask", Buffer.from([10])), { code: "INVALID_AGENT_RESPONSE" });
});

test("messages that share a slab do not write into each other, whatever their lengths", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(6_000), fc.boolean()), { minLength: 1, maxLength: 40 }), (lengths) => {
      const made = lengths.map(([length, isWide]) => {
        const id = (isWide ? "ü" : "u").repeat(length);
        return { id, bytes: write("SubscribeToTaskRequest", { id, tenant: "t" }) };
      });
      for (const { id, bytes } of made) {
        assert.deepEqual(read("SubscribeToTaskRequest", bytes), id === "" ? { tenant: "t" } : { tenant: "t", id });
      }
    }),
    { numRuns: 60, seed: 20_260_806 },
  );
});

test("a value that cannot be written leaves nothing behind", () => {
  assert.throws(
    () => write("Task", { id: "t", status: { state: "TASK_STATE_WORKING", timestamp: "yesterday" } }),
    ModelError,
  );
  assert.deepEqual(read("GetTaskRequest", write("GetTaskRequest", { id: "t" })), { id: "t" });
});
