/** The SDKs that run as processes of their own: other languages, an older version of the protocol. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Peer } from "./peer.ts";
import { folderOf, type Language } from "./peer-build.ts";
import { createProcessPeer } from "./process-peer.ts";

const HERE = import.meta.dirname;

/** By language. */
export const FOREIGN: Readonly<Record<Language, Peer>> = {
  "js-v03": createProcessPeer(
    {
      name: "a2a-js 0.3",
      packages: () => matches("js-v03/package.json", /"(@a2a-js\/sdk)": "([^"]+)"/g),
      old: ["send", "parts", "stream", "get", "cancel", "subscribe", "input", "errors", "message"],
      bindings: { client: ["JSONRPC", "HTTP+JSON"], server: ["JSONRPC", "HTTP+JSON"] },
    },
    { client: v03("client.mjs"), server: v03("server.mjs") },
  ),
  python: createProcessPeer(
    {
      name: "a2a-python",
      packages: () => matches("python/requirements.txt", /^(a2a-sdk)\S*==(\S+)$/gm),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: python("client.py"), server: python("server.py") },
  ),
  go: createProcessPeer(
    {
      name: "a2a-go",
      packages: () => matches("go/go.mod", /^\t(github\.com\/a2aproject\/a2a-go\/v2) (\S+)$/gm),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: [path.join(folderOf("go"), "client")], server: [path.join(folderOf("go"), "server")] },
  ),
  rust: createProcessPeer(
    {
      name: "a2a-rs",
      packages: () => matches("rust/Cargo.toml", /"?(a2a-(?:\w+-lf|grpc))"?[^\n]*?version = "=([^"]+)"/g),
      bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
    },
    { client: [path.join(folderOf("rust"), "debug/client")], server: [path.join(folderOf("rust"), "debug/server")] },
  ),
};

function v03(script: string): string[] {
  return [process.execPath, path.join(folderOf("js-v03"), script)];
}

function python(script: string): string[] {
  return [path.join(folderOf("python"), "bin/python"), path.join(HERE, "python", script)];
}

/** The packages that a file asks for: they are pinned, so these are the installed ones. */
function matches(file: string, pattern: RegExp): string[] {
  const found = [...readFileSync(path.join(HERE, file), "utf8").matchAll(pattern)];
  return found.map(([, name, version]) => `${name} ${version}`);
}
