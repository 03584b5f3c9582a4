import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLayout, roomOf } from "./layers.ts";

/** Checks a layout of these files; faces are every index.ts among them unless given. */
function problemsOf(files: Record<string, string>, faces?: string[]): readonly string[] {
  const sources = new Map(Object.entries(files));
  const given = faces ?? [...sources.keys()].filter((file) => file.endsWith("index.ts"));
  return checkLayout({ sources, faces: new Set(given) }).problems;
}

const leaf = "export const one = 1;\n";

test("a layout whose arrows all run down has no problem", () => {
  assert.deepEqual(
    problemsOf({
      "model/task.ts": leaf,
      "operations/service.ts": 'import type { A } from "../model/task.ts";\nimport "./errors.ts";\n',
      "operations/errors.ts": leaf,
      "stores/sql/statements.ts": 'export * from "../../operations/errors.ts";\n',
      "stores/sqlite/store.ts": 'import "../sql/statements.ts";\nimport "node:sqlite";\n',
      "index.ts": 'export * from "./model/task.ts";\n',
    }),
    [],
  );
});

const forms: Record<string, string> = {
  "an import": 'import { one } from "../server/a.ts";',
  "an import of types": 'import type { One } from "../server/a.ts";',
  "an import for its effect": 'import "../server/a.ts";',
  "an export from": 'export { one } from "../server/a.ts";',
  "an export of types": 'export type { One } from "../server/a.ts";',
  "an export of all": 'export * from "../server/a.ts";',
  "an import over several lines": 'import {\n  one,\n} from "../server/a.ts";',
  "a dynamic import": 'const one = await import("../server/a.ts");',
  "a type in place": 'export type One = import("../server/a.ts").One;',
};
for (const [form, source] of Object.entries(forms)) {
  test(`an arrow up is caught in ${form}`, () => {
    const problems = problemsOf({ "engine/log.ts": source, "server/a.ts": leaf });
    assert.deepEqual(problems, [
      "engine/log.ts:1 -> server/a.ts: engine (floor 2) may not import server (floor 4): arrows run down",
    ]);
  });
}

test("rooms of one floor do not know each other", () => {
  const pairs = [
    ["bindings/jsonrpc", "bindings/rest"],
    ["client", "server"],
    ["engine", "auth"],
    ["stores/sqlite", "stores/postgres"],
    ["hosts", "registry"],
  ];
  for (const [from = "", to = ""] of pairs) {
    const up = from.replaceAll(/[^/]+/g, "..");
    const problems = problemsOf({ [`${from}/a.ts`]: `import "${up}/${to}/b.ts";`, [`${to}/b.ts`]: leaf });
    assert.equal(problems.length, 1, `${from} -> ${to}`);
    assert.match(problems[0] ?? "", /stand on one floor \(\d\) and may not know each other$/);
  }
});

test("node modules stay in the rooms that are for node", () => {
  const source = 'import { connect } from "node:net";';
  for (const file of [
    "model/a.ts",
    "engine/a.ts",
    "bindings/http/a.ts",
    "bindings/rest/a.ts",
    "auth/a.ts",
    "client/a.ts",
    "server/a.ts",
  ]) {
    assert.deepEqual(problemsOf({ [file]: source }), [`${file}:1 -> node:net: this room runs without node`]);
  }
  for (const file of [
    "hosts/a.ts",
    "stores/memory/a.ts",
    "outbound/a.ts",
    "bindings/grpc/a.ts",
    "cli/a.ts",
    "testing/a.ts",
    "auth/a.node.ts",
  ]) {
    assert.deepEqual(problemsOf({ [file]: source }), [], file);
  }
});

test("globals of node stay there too, and a property of that name is no global", () => {
  assert.match(
    problemsOf({ "model/a.ts": "export const a: unknown = process.env;" })[0] ?? "",
    /^model\/a\.ts -> process: /,
  );
  assert.match(problemsOf({ "client/a.ts": "export type A = Buffer;" })[0] ?? "", /^client\/a\.ts -> Buffer: /);
  assert.deepEqual(problemsOf({ "model/a.ts": "export const a: unknown = { process: 1 }.process;" }), []);
  assert.deepEqual(problemsOf({ "cli/a.ts": "export const a: unknown = process.env;" }), []);
});

test("a heavy package stays in its room", () => {
  assert.deepEqual(problemsOf({ "client/a.ts": 'import { fetch } from "undici";' }), [
    "client/a.ts:1 -> undici: only outbound may import undici",
  ]);
  assert.deepEqual(problemsOf({ "stores/postgres/a.ts": 'import type { Pool } from "pg";' }), []);
  assert.deepEqual(problemsOf({ "bindings/http/a.ts": 'import "eventsource-parser/stream";' }), []);
});

test("a circle between files is caught, also one of types in one room", () => {
  const problems = problemsOf({
    "engine/a.ts": 'import type { B } from "./b.ts";',
    "engine/b.ts": 'import type { C } from "./c.ts";',
    "engine/c.ts": 'import type { A } from "./a.ts";',
  });
  assert.deepEqual(problems, [
    "engine/a.ts -> engine/b.ts -> engine/c.ts -> engine/a.ts: a circle; move what both need to a file of its own",
  ]);
});

test("a face is not imported from inside, neither by file nor by name", () => {
  const files = { "client/index.ts": leaf, "cli/a.ts": 'import "../client/index.ts";' };
  assert.match(problemsOf(files)[0] ?? "", /^cli\/a\.ts:1 -> client\/index\.ts: a face is for the outside/);
  assert.match(problemsOf({ "cli/a.ts": 'import "legation/client";' })[0] ?? "", /not the published name$/);
});

test("an index.ts without an export, and an export without a file, are caught", () => {
  assert.deepEqual(problemsOf({ "client/index.ts": leaf }, []), [
    "client/index.ts -> client/index.ts: index.ts exists only where exports points",
  ]);
  assert.deepEqual(problemsOf({ "client/a.ts": leaf }, ["client/index.ts"]), [
    "package.json -> client/index.ts: exports points at a file that does not exist",
  ]);
});

test("vague file names, shared folders and rooms outside the plan are caught", () => {
  for (const name of ["types", "interfaces", "utils", "common", "helpers", "util"]) {
    assert.equal(problemsOf({ [`engine/${name}.ts`]: leaf }).length, 1, name);
  }
  assert.match(problemsOf({ "engine/shared/log.ts": leaf })[0] ?? "", /no shared\/ folder/);
  assert.match(problemsOf({ "adapters/log.ts": leaf })[0] ?? "", /no such room/);
  assert.match(problemsOf({ "log.ts": leaf })[0] ?? "", /no such room/);
  assert.deepEqual(problemsOf({ "model/gen/types.ts": leaf }), []);
});

test("a file has at most 400 lines, a generated one any number", () => {
  assert.deepEqual(problemsOf({ "engine/a.ts": "// line\n".repeat(400) }), []);
  assert.deepEqual(problemsOf({ "engine/a.ts": "// line\n".repeat(401) }), [
    "engine/a.ts -> engine/a.ts: 401 lines, at most 400: split it",
  ]);
  assert.equal(problemsOf({ "engine/a.test.ts": "// line\n".repeat(401) }).length, 1);
  assert.deepEqual(problemsOf({ "model/gen/a.ts": "// line\n".repeat(401) }), []);
});

test("a test may reach any room, but nothing imports a test", () => {
  assert.deepEqual(problemsOf({ "engine/a.test.ts": 'import "../server/a.ts";', "server/a.ts": leaf }), []);
  const problems = problemsOf({ "engine/a.ts": 'import "./b.test.ts";', "engine/b.test.ts": leaf });
  assert.deepEqual(problems, ["engine/a.ts:1 -> engine/b.test.ts: a test is not imported"]);
});

test("an import of nothing is caught", () => {
  assert.deepEqual(problemsOf({ "engine/a.ts": 'import "./gone.ts";' }), [
    "engine/a.ts:1 -> engine/gone.ts: no such file",
  ]);
});

test("reading no file is a failure, and so is a file that does not parse", () => {
  assert.throws(() => problemsOf({}), /read 0 files/);
  assert.throws(() => problemsOf({ "engine/a.ts": "export const = ;" }), /engine\/a\.ts does not parse/);
});

test("a room is found by its longest name", () => {
  assert.equal(roomOf("bindings/rest/codec.ts"), "bindings/rest");
  assert.equal(roomOf("hosts/node/serve.ts"), "hosts");
  assert.equal(roomOf("compat/v0_3/cards.ts"), "compat/v0_3");
  assert.equal(roomOf("bindings/codec.ts"), undefined);
});
