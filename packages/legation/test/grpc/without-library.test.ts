// Where @grpc/grpc-js is not installed: serving needs nothing of it, calling says what is missing.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const HIDDEN = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier !== "@grpc/grpc-js") return next(specifier, context);
      throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    },
  });
`;

const PROGRAM = `
  const { connect, serve } = await import("legation/node");
  const { createAgent } = await import("legation/server");
  const { grpcTransport } = await import("legation/grpc");
  const agent = createAgent({ name: "A", description: "b", version: "1", onMessage: () => "hello" });
  const host = await serve(agent, { log: false });
  const found = {};
  const card = await (await fetch(host.url + "/.well-known/agent-card.json")).json();
  found.bindings = card.supportedInterfaces.map((one) => one.protocolBinding);
  const grpcFirst = { ...card, supportedInterfaces: card.supportedInterfaces.toReversed() };
  const client = await connect(grpcFirst);
  found.used = client.interface.protocolBinding;
  found.reply = (await client.send("hi")).kind;
  const only = { ...card, supportedInterfaces: card.supportedInterfaces.slice(-1) };
  found.only = await connect(only).catch((error) => error.message);
  const forced = await connect(only, { transports: { GRPC: grpcTransport() } });
  found.forced = await forced.send("hi").catch((error) => [error.code, error.message]);
  await host.close();
  console.log(JSON.stringify(found));
`;

test("without @grpc/grpc-js agents are served over gRPC, and called over what else there is", async () => {
  const hooks = `data:text/javascript,${encodeURIComponent(HIDDEN)}`;
  const flags = [
    "--no-warnings",
    "--conditions=legation-source",
    "--import",
    hooks,
    "--input-type=module",
    "-e",
    PROGRAM,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname });
  const found = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual(found["bindings"], ["JSONRPC", "HTTP+JSON", "GRPC"]);
  assert.deepEqual([found["used"], found["reply"]], ["HTTP+JSON", "message"]);
  assert.match(String(found["only"]), /for GRPC, npm install @grpc\/grpc-js/);
  assert.deepEqual(found["forced"], [
    "CONFIGURATION",
    "calling over GRPC needs @grpc/grpc-js; npm install @grpc/grpc-js",
  ]);
});
