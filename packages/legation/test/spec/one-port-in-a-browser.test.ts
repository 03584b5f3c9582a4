// needs: chromium
// The client, bundled into a page of another origin, in a real browser, beside a gRPC client on the same port.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import { connect } from "../../src/client/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";

const DAYS = 20;

const agent = createAgent({
  name: "Planner",
  description: "Plans.",
  version: "1.0.0",
  async onTask(task, message) {
    const { text } = await task.ask("How many days?");
    await task.write("log.txt", () => daysOf(message.text, Number(text)));
  },
});

async function* daysOf(trip: string, days: number): AsyncGenerator<string> {
  for (let day = 1; day <= days; day++) {
    yield `${trip} ${day}\n`;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What the page does: over each binding a question, and its answer as a stream; then it says what came, or what failed. */
const SCRIPT = `
  import { connect } from "legation/client";

  async function plan(url, binding) {
    const client = await connect(url, { prefer: [binding] });
    const asked = await client.send(binding);
    const run = client.stream("${DAYS}", { taskId: asked.id });
    let chunks = 0;
    for await (const event of run) if (event.kind === "artifact") chunks += 1;
    const { state, artifact } = await run.result;
    return [client.interface.protocolBinding, asked.question, state, await artifact("log.txt").text(), chunks > 0];
  }

  const url = new URLSearchParams(location.search).get("agent");
  const done = Promise.all([plan(url, "JSONRPC"), plan(url, "HTTP+JSON")]);
  const report = await done.catch((failed) => String(failed?.stack ?? failed));
  await fetch("/report", { method: "POST", body: JSON.stringify(report) });
`;

async function bundledPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: fileURLToPath(new URL("../..", import.meta.url)), loader: "js" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    conditions: ["legation-source"],
    logLevel: "silent",
  });
  return `<!doctype html><meta charset="utf-8"><script type="module">${outputFiles[0]?.text ?? ""}</script>`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  return text;
}

interface Page extends AsyncDisposable {
  readonly origin: string;
  /** What the page reports. */
  readonly report: Promise<unknown>;
}

async function servePage(): Promise<Page> {
  const html = await bundledPage();
  const { promise: report, resolve } = Promise.withResolvers<unknown>();
  const server = createServer(async (request, response) => {
    if (request.method === "POST") resolve(JSON.parse(await textOf(request)));
    response.setHeader("content-type", "text/html").end(request.method === "POST" ? "" : html);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    report,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function findBrowser(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  assert.ok(found !== undefined, "no browser on PATH");
  return found;
}

/** Opens a page in a browser of its own, in a group of processes that ends as a whole. */
function openBrowser(url: string): AsyncDisposable & { readonly failed: Promise<never> } {
  const profile = mkdtempSync(join(tmpdir(), "legation-browser-"));
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"];
  const browser = spawn(findBrowser(), [...flags, `--user-data-dir=${profile}`, url], {
    detached: true,
    env: { ...process.env, TMPDIR: profile },
    stdio: "ignore",
  });
  const gone = new Promise<void>((resolve) => browser.once("exit", () => resolve()));
  return {
    failed: gone.then(() => assert.fail("the browser ended before the page reported")),
    async [Symbol.asyncDispose]() {
      if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, "SIGKILL");
      await gone;
      rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

test("a page in a browser and a gRPC client use one port at once", { timeout: 120_000 }, async () => {
  await using page = await servePage();
  const host = await serve(agent, { log: false, cors: [page.origin] });
  const client = await connect(host.url, { prefer: ["GRPC"], transports: { GRPC: grpcTransport() } });
  try {
    await using browser = openBrowser(`${page.origin}/?agent=${encodeURIComponent(host.url)}`);
    browser.failed.catch(() => {});
    const asked = await client.send("grpc");
    assert.equal(asked.kind === "task" && asked.question, "How many days?");
    const log = (trip: string): string => Array.from({ length: DAYS }, (_, index) => `${trip} ${index + 1}\n`).join("");
    assert.deepEqual(await Promise.race([page.report, browser.failed]), [
      ["JSONRPC", "How many days?", "COMPLETED", log("JSONRPC"), true],
      ["HTTP+JSON", "How many days?", "COMPLETED", log("HTTP+JSON"), true],
    ]);
    const done = asked.kind === "task" ? await asked.reply(String(DAYS)) : asked;
    assert.equal(done.kind === "task" && (await done.artifact("log.txt")?.text()), log("grpc"));
  } finally {
    await client.close();
    await host.close({ graceMs: 0 });
  }
});
