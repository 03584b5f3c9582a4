// `npx node --conditions=legation-source packages/legation/test/interop/write-matrix.ts`: runs all peers that are installed
// and writes docs/interop.md. Ends with 1 when a cell is red.
import { readFileSync, writeFileSync } from "node:fs";
import { FOREIGN } from "./foreign-peers.ts";
import { JS, JS_OLD } from "./js/peer-js.ts";
import { KNOWN_FAULTS, type Role } from "./known-faults.ts";
import type { Peer } from "./peer.ts";
import { isInstalled, LANGUAGES } from "./peer-build.ts";
import { judge, OUR_BINDINGS, pairingsOf, runPair } from "./run-pair.ts";
import { type Binding, SCENARIOS } from "./scenario.ts";
import { UNAVAILABLE_PEERS } from "./unavailable-peers.ts";
import { webhookRows } from "./webhook-rows.ts";

const PAGE = new URL("../../../../docs/interop.md", import.meta.url);
const MANIFEST = new URL("../../package.json", import.meta.url);

/** What each scenario does, for readers. */
const MEANINGS: Readonly<Record<(typeof SCENARIOS)[number], string>> = {
  send: "a blocking send with a data part; text beyond ASCII comes back in an artifact",
  parts: "artifacts of bytes, of data and of a URL come back as they were",
  stream: "Task first, then states and three appended pieces, and the stream ends by itself",
  get: "the task of the send again, with its history, and without it for historyLength 0",
  list: "two tasks of one context on two pages, and none of another state",
  cancel: "a running task is canceled, and reads as canceled",
  subscribe: "a running task is followed to its end: Task first, then what happens",
  input: "a question, its answer on the same task, and the end",
  errors: "TASK_NOT_FOUND and TASK_NOT_CANCELABLE arrive as such",
  refused: "streaming to an unknown task is TASK_NOT_FOUND, subscribing to an ended one UNSUPPORTED_OPERATION",
  message: "a Message instead of a task",
};

let isRed = false;
const failures: string[] = [];

async function row(peer: Peer, role: Role, binding: Binding): Promise<string> {
  const head = role === "client" ? `${peer.name} → Legation` : `Legation → ${peer.name}`;
  if (!peer.bindings[role].includes(binding))
    return `| ${head} | ${binding} | ${SCENARIOS.map(() => "–").join(" | ")} |`;
  console.log(`${head} [${binding}]`);
  const seen = await runPair(peer, { role, binding });
  const cells = SCENARIOS.map((scenario) => {
    if (peer.old?.includes(scenario) === false) return "–";
    const verdict = judge(peer, { role, binding }, scenario, seen[scenario]);
    if (verdict.kind === "pass") return "pass";
    if (verdict.kind === "known")
      return `[fault ${1 + KNOWN_FAULTS.findIndex(({ fault }) => fault === verdict.fault)}](#faults-of-peers)`;
    isRed = true;
    failures.push(`${head} [${binding}] ${scenario}: ${verdict.why}`);
    return `**${verdict.kind}**`;
  });
  return `| ${head} | ${binding} | ${cells.join(" | ")} |`;
}

async function rowsOf(peer: Peer): Promise<string[]> {
  const rows: string[] = [];
  for (const role of ["client", "server"] as const) {
    for (const binding of OUR_BINDINGS) rows.push(await row(peer, role, binding));
  }
  return rows;
}

const paired = LANGUAGES.filter((language) => pairingsOf(FOREIGN[language]).length > 0);
const installed = paired.filter(isInstalled);
const peers = [JS, JS_OLD, ...installed.map((language) => FOREIGN[language])];
const rows: string[] = [];
for (const peer of peers) rows.push(...(await rowsOf(peer)));
const webhooks = webhookRows();
for (const { peer, what, passed } of webhooks) {
  if (passed) continue;
  isRed = true;
  failures.push(`${peer}, webhooks: ${what}`);
}
const { version } = JSON.parse(readFileSync(MANIFEST, "utf8"));
const absent = paired
  .filter((language) => !installed.includes(language))
  .map((language) => ({
    name: FOREIGN[language].name,
    why: "not installed on the machine of this run",
  }));

const page = `# Interop

Legation ${version} against the official SDKs, both ways over every binding that both have. Each cell is a test: a
program made with the SDK and ours carry out the same scenario, and what the client saw is compared with what it should
have seen. A fault of a peer is inverted: its test turns red when it starts to work.

This page is written by a run, on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}. To write it anew:

\`\`\`sh
npx node packages/legation/test/interop/install-peers.ts
npx node --conditions=legation-source packages/legation/test/interop/write-matrix.ts
\`\`\`

| peer | packages |
| --- | --- |
${peers.map((peer) => `| ${peer.name} | ${peer.packages().join(", ")} |`).join("\n")}

Client → server. A dash: one of the two does not offer the binding, or v0.3 has no such operation; with "0.3" in its name a
peer speaks v0.3, and ours too, by \`compat: v0_3()\`.

| pair | binding | ${SCENARIOS.join(" | ")} |
| --- | --- | ${SCENARIOS.map(() => "---").join(" | ")} |
${rows.join("\n")}

Not in the matrix:

${[...absent, ...UNAVAILABLE_PEERS].map(({ name, why }) => `- ${name}: ${why}.`).join("\n")}

## Webhooks

| peer | what | |
| --- | --- | --- |
${webhooks.map(({ peer, what, passed }) => `| ${peer} | ${what} | ${passed ? "pass" : "**fail**"} |`).join("\n")}

## Scenarios

${SCENARIOS.map((scenario) => `- **${scenario}**: ${MEANINGS[scenario]}.`).join("\n")}

## Faults of peers

${KNOWN_FAULTS.map(({ peer, role, bindings, fault, reproduction }, index) => `${index + 1}. ${peer}, ${role} over ${bindings.join(", ")}. ${fault} To see it: ${reproduction}`).join("\n")}
`;
writeFileSync(PAGE, page);
for (const failure of failures) console.error(failure);
process.exit(isRed ? 1 : 0);
