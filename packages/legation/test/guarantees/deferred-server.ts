/**
 * An agent that defers every task, in a process of its own: `deferred-server.ts <store> <port> <folder>`. It writes each
 * token into the file `tokens` of the folder, and kills itself at the fault that the file `fault` there names, such as
 * `before: token issued`.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Store, TaskCommit } from "../../src/engine/store.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { isTerminal } from "../../src/model/task-state.ts";
import { createAgent } from "../../src/server/agent.ts";
import { die } from "./fault-store.ts";

const [url = "memory:", port = "0", folder = "."] = process.argv.slice(2);
const faultFile = path.join(folder, "fault");

function holds({ events }: TaskCommit, kind: string, text: string): boolean {
  return events.some((event) => event.kind === kind && event.payload.includes(text));
}

const POINTS: Readonly<Record<string, (commit: TaskCommit) => boolean>> = {
  "token issued": (commit) => holds(commit, "opened", '"defer"'),
  "turn handed over": ({ columns }) => columns?.run.includes('"handed":true') === true,
  "chunk reported": (commit) => holds(commit, "artifact", "chunk 3"),
  "question reported": (commit) => holds(commit, "status", "which car?"),
  "answer taken": (commit) => holds(commit, "decision", '"ordinal":-1'),
  "end reported": ({ columns }) => columns !== undefined && isTerminal(columns.state),
};

/** The store, which kills its process before or after the commit of the fault. */
function faulty(inner: Store): Store {
  const commit: Store["commit"] = async (batch) => {
    const [when, point = ""] = existsSync(faultFile) ? readFileSync(faultFile, "utf8").split(": ") : [];
    const hit = batch.tasks.some((task) => POINTS[point]?.(task) === true);
    if (hit && when === "before") die();
    const outcome = await inner.commit(batch);
    if (hit) die();
    return outcome;
  };
  return new Proxy(inner, {
    get(target, key) {
      if (key === "commit") return commit;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const agent = createAgent({
  name: "deferring",
  description: "For a guarantee test.",
  version: "1.0.0",
  async onTask(task, message) {
    await task.step("prepare", () => message.text);
    const deferred = await task.defer({ heartbeatMs: 1_500, attempts: 20 });
    appendFileSync(path.join(folder, "tokens"), `${deferred.token}\n`);
    return deferred;
  },
});
const host = await serve(agent, {
  port: Number(port),
  store: faulty(await openStore(url)),
  settings: { leaseMs: 1_500 },
});
process.stdout.write(`listening ${host.url}\n`);
