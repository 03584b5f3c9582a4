import { spawn } from "node:child_process";
import { serve } from "legation/node";
import { createAgent } from "legation/server";

/** The printing is done by a process of its own; the agent only hands it over. A queue or a workflow engine does as well. */
const shop = createAgent({
  name: "Print shop",
  description: "Prints what you send; the press is a process that the agent does not wait for.",
  version: "1.0.0",
  async onTask(task, message) {
    await task.working(`an order of ${message.text.length} characters`);
    // Stored before it resolves. When the process dies behind it, or the press falls silent, this runs again with another
    // token, and the one before is refused.
    const deferred = await task.defer({ heartbeatMs: 10_000 });
    const env = { ...process.env, HOST_URL: host.url, TOKEN: deferred.token, ORDER: message.text };
    spawn(process.execPath, [...process.execArgv, "worker.ts"], { env, stdio: "inherit" });
    return deferred;
  },
});

const host = await serve(shop, {
  port: Number(process.env["PORT"] ?? 4000),
  store: "sqlite:./print-shop.db",
  log: false,
});
console.log(`print shop listens on ${host.url}`);
