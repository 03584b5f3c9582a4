import assert from "node:assert/strict";
import test from "node:test";
import { createResolve, type Resolve } from "./resolve-names.ts";

const never: Resolve = () => new Promise(() => undefined);
const failing =
  (code: string): Resolve =>
  () =>
    Promise.reject(Object.assign(new Error(code), { code }));

test("the system is asked while it has room", async () => {
  const resolve = createResolve({ bySystem: async (name) => [`system ${name}`], byQuery: never });
  for (const name of ["a", "b", "c"]) assert.deepEqual(await resolve(name), [`system ${name}`]);
});

test("names whose servers are silent hold up no others", async () => {
  const asked: string[] = [];
  const resolve = createResolve({
    bySystem: (name) => {
      asked.push(name);
      return name.startsWith("silent") ? never(name) : Promise.resolve([`system ${name}`]);
    },
    byQuery: async (name) => (name.startsWith("silent") ? failing("ETIMEOUT")(name) : [`query ${name}`]),
  });
  void resolve("silent-1");
  void resolve("silent-2");
  assert.deepEqual(await resolve("a"), ["query a"]);
  await assert.rejects(resolve("silent-3"), /ETIMEOUT/);
  assert.deepEqual(await resolve("b"), ["query b"]);
  assert.deepEqual(asked, ["silent-1", "silent-2"]);
});

test("a name that no server knows is asked of the system when it has room again", async () => {
  const held = Promise.withResolvers<readonly string[]>();
  const resolve = createResolve({
    bySystem: (name) => (name.startsWith("held") ? held.promise : Promise.resolve([`file ${name}`])),
    byQuery: failing("ENOTFOUND"),
  });
  const first = [resolve("held-1"), resolve("held-2")];
  const local = [resolve("printer"), resolve("scanner")];
  await new Promise(setImmediate);
  held.resolve(["held"]);
  assert.deepEqual(await Promise.all(first), [["held"], ["held"]]);
  assert.deepEqual(await Promise.all(local), [["file printer"], ["file scanner"]]);
  assert.deepEqual(await resolve("printer"), ["file printer"]);
});
