import { serve } from "legation/node";
import { createAgent } from "legation/server";

const planner = createAgent({
  name: "Planner",
  description: "Plans a drive.",
  version: "1.0.0",
  async onTask(task, message) {
    const days = await task.ask("How many days?"); // parked on disk: survives kill -9
    await task.artifact("route.md", { text: `# ${message.text} in ${days.text} days` });
  },
});

const host = await serve(planner, {
  port: Number(process.env["PORT"] ?? 4000),
  store: "sqlite:./planner.db",
  log: false,
});
console.log(`planner listens on ${host.url}`);
