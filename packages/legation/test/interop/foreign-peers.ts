/** The SDKs that run as processes of their own: other languages, an older version of the protocol. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Peer } from "./peer.ts";
import { folderOf, type Language } from "./peer-build.ts";
import { createProcessPeer } from "./process-peer.ts";
import { SCENARIOS, type Scenario } from "./scenario.ts";

const HERE = import.meta.dirname;

/** What v0.3 has of the scenarios. */
const OLD_SCENARIOS: readonly Scenario[] = SCENARIOS.filter((name) => name !== "list" && name !== "refused");

/** By language. */
export const FOREIGN: Readonly<Record<Language, Peer>> = {
  "js-v03": createProcessPeer(
    {
      name: "a2a-js 0.3",
      packages: () => matches("js-v03/package.json", /"(@a2a-js\/sdk)": "([^"]+)"/g),
      old: OLD_SCENARIOS,
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: v03("client.mjs"), server: v03("server.mjs") },
  ),
  python: createProcessPeer(
    {
      name: "a2a-python",
      packages: () => matches("python/requirements.txt", /^(a2a-sdk)\S*==(\S+)$/gm),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: python("python", "client.py"), server: python("python", "server.py") },
  ),
  "python-v03": createProcessPeer(
    {
      name: "a2a-python 0.3",
      packages: () => matches("python-v03/requirements.txt", /^(a2a-sdk)\S*==(\S+)$/gm),
      old: OLD_SCENARIOS,
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: python("python-v03", "client.py"), server: python("python-v03", "server.py") },
  ),
  go: createProcessPeer(
    {
      name: "a2a-go",
      packages: () => matches("go/go.mod", /^\t(github\.com\/a2aproject\/a2a-go\/v2) (\S+)$/gm),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: [path.join(folderOf("go"), "client")], server: [path.join(folderOf("go"), "server")] },
  ),
  "go-v03": createProcessPeer(
    {
      name: "a2a-go 0.3",
      packages: () => matches("go-v03/go.mod", /^\t(github\.com\/a2aproject\/a2a-go) (\S+)$/gm),
      old: OLD_SCENARIOS,
      bindings: { client: ["JSONRPC", "GRPC"], server: ["JSONRPC", "GRPC"] },
    },
    { client: [path.join(folderOf("go-v03"), "client")], server: [path.join(folderOf("go-v03"), "server")] },
  ),
  rust: createProcessPeer(
    {
      name: "a2a-rs",
      packages: () => matches("rust/Cargo.toml", /"?(a2a-(?:\w+-lf|grpc))"?[^\n]*?version = "=([^"]+)"/g),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: [path.join(folderOf("rust"), "debug/client")], server: [path.join(folderOf("rust"), "debug/server")] },
  ),
  "java-v03": createProcessPeer(
    {
      name: "a2a-java 0.3",
      packages: () =>
        matches("java-v03/pom.xml", /<(sdk)>([^<]+)</g).map((found) => `io.github.a2asdk:a2a-java-${found}`),
      old: ["send", "parts", "stream", "get", "cancel", "subscribe", "input", "errors", "message"],
      // Its servers are made for Quarkus; ours stands on the same handlers, of which those of gRPC could not be obtained.
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON"] },
    },
    { client: java("Client"), server: java("Server") },
  ),
};

function java(program: string): string[] {
  const folder = folderOf("java-v03");
  return [
    "java",
    "-cp",
    [path.join(folder, "classes"), path.join(folder, "dependency/*")].join(path.delimiter),
    program,
  ];
}

function v03(script: string): string[] {
  return [process.execPath, path.join(folderOf("js-v03"), script)];
}

function python(name: "python" | "python-v03", script: string): string[] {
  return [path.join(folderOf(name), "bin/python"), path.join(HERE, name, script)];
}

/** The packages that a file asks for: they are pinned, so these are the installed ones. */
function matches(file: string, pattern: RegExp): string[] {
  const found = [...readFileSync(path.join(HERE, file), "utf8").matchAll(pattern)];
  return found.map(([, name, version]) => `${name} ${version}`);
}
