import { readFileSync } from "node:fs";
import type { Peer } from "../peer.ts";
import { driveWithJs } from "./js-client.ts";
import { startJsServer } from "./js-server.ts";

/** The JavaScript SDK, in this process. */
export const JS: Peer = {
  name: "a2a-js",
  packages: () => [`@a2a-js/sdk ${versionOf("@a2a-js/sdk")}`],
  bindings: { client: ["JSONRPC", "HTTP+JSON", "GRPC"], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
  drive: driveWithJs,
  startServer: () => startJsServer(),
};

function versionOf(name: string): string {
  const manifest = new URL(`../../../../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}

/** The same SDK where it speaks v0.3, by its own layer for older peers. */
export const JS_OLD: Peer = {
  ...JS,
  name: "a2a-js for 0.3",
  old: ["send", "parts", "stream", "get", "cancel", "subscribe", "input", "errors", "message"],
  bindings: { client: [], server: ["JSONRPC", "HTTP+JSON", "GRPC"] },
  startServer: () => startJsServer(true),
};
