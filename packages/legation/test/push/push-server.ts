/** An agent for the tests that kill: `push-server.ts <store> <port>`. It works when told to, and pushes to loopback. */
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";

const [store = "memory:", port = "0"] = process.argv.slice(2);

const agent = createAgent({
  name: "pusher",
  description: "For tests that kill.",
  version: "1.0.0",
  async onTask(task) {
    for (let chunk = 0; chunk < 20; chunk += 1) {
      await task.artifact("log.txt", { text: `${chunk} `, append: chunk > 0 });
      await task.sleep(5);
    }
  },
});
const settings = { retryMs: 50, retryFactor: 1, timeoutMs: 1_000, leaseMs: 8_000 };
const host = await serve(agent, { port: Number(port), store, log: false, push: { allow: ["127.0.0.0/8"], settings } });
process.stdout.write(`listening ${host.url}\n`);
