/** Agents for the guarantee tests, in a process of their own: `guarantee-server.ts <agent> <store> <port> <log file>`. */
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";

const [name = "", store = "memory:", port = "0", logFile = ""] = process.argv.slice(2);

function note(line: string): void {
  appendFileSync(logFile, `${line}\n`);
}

const handlers: Readonly<Record<string, Pick<AgentOptions, "onTask">>> = {
  /** Notes when each handler begins and ends; none ends before the test has put the file `<log file>.go` there. */
  turns: {
    onTask: async (_task, message) => {
      note(`begin ${message.text}`);
      while (!existsSync(`${logFile}.go`)) await sleep(10);
      await sleep(20);
      note(`end ${message.text}`);
    },
  },
  /** Two steps side by side, the slower one first, then a question, then what the steps had given. */
  parallel: {
    onTask: async (task) => {
      const step = (label: string, ms: number): Promise<string> =>
        task.step(label, async ({ attempt }) => {
          note(`${label} ${attempt}`);
          await sleep(ms);
          return `${label} of ${process.pid}`;
        });
      const results = await Promise.all([step("slow", 120), step("fast", 10)]);
      const answer = await task.ask("go on?");
      await task.artifact("results.json", { data: [...results, answer.text] });
    },
  },
  /** A model that never says the same twice: every word carries the process that said it. */
  model: {
    onTask: async (task) => {
      await task.write("answer.txt", async function* () {
        note(`asked ${process.pid}`);
        for (let word = 0; word < 100; word++) {
          yield `${process.pid}:${word} `;
          await sleep(10);
        }
      });
    },
  },
};

const agent = createAgent({ name, description: "For a guarantee test.", version: "1.0.0", ...handlers[name] });
const host = await serve(agent, { port: Number(port), store, log: false });
process.stdout.write(`listening ${host.url}\n`);
