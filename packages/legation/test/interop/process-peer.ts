/** SDKs of other languages: programs of ours, built with them, that run as processes of their own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Peer, PeerServer } from "./peer.ts";
import type { Binding, Report } from "./scenario.ts";

/** Longest that a client may take for all scenarios, and a server to start. */
const CLIENT_MS = 90_000;
const START_MS = 20_000;

const SCENARIOS_FILE = path.join(import.meta.dirname, "scenarios.json");

/** Where the programs are. */
export interface Programs {
  /** Command and arguments; it gets the URL, the binding and the file of scenarios, and prints one JSON report. */
  readonly client: readonly string[];
  /** Command and arguments; it prints `listening <url>` and serves until it is killed. */
  readonly server: readonly string[];
}

/** Makes a peer of two programs. */
export function createProcessPeer(
  peer: Pick<Peer, "name" | "packages" | "bindings" | "old">,
  programs: Programs,
): Peer {
  return {
    ...peer,
    drive: (url, binding) => drive(programs.client, url, binding),
    startServer: () => startServer(programs.server),
  };
}

async function drive([command = "", ...args]: readonly string[], url: string, binding: Binding): Promise<Report> {
  const child = spawn(command, [...args, url, binding, SCENARIOS_FILE], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: CLIENT_MS,
    killSignal: "SIGKILL",
  });
  const [stdout, stderr, [code, signal]] = await Promise.all([
    child.stdout.setEncoding("utf8").toArray(),
    child.stderr.setEncoding("utf8").toArray(),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`the client ended with ${code ?? signal}: ${stderr.join("")}`);
  return JSON.parse(stdout.join(""));
}

async function startServer([command = "", ...args]: readonly string[]): Promise<PeerServer> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(
    () => reject(new Error(`the server did not listen within ${START_MS} ms: ${stderr}`)),
    START_MS,
  );
  child.once("error", reject);
  child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened: ${stderr}`)));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const url = /^listening (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) resolve(url);
  });
  async function close(): Promise<void> {
    child.kill("SIGKILL");
    await ended;
  }
  try {
    return { url: await promise, close };
  } catch (thrown) {
    if (child.pid !== undefined) await close();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}
