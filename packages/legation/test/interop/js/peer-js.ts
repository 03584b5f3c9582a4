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
  startServer: startJsServer,
};

function versionOf(name: string): string {
  const manifest = new URL(`../../../../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
