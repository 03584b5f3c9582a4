import { serve } from "legation/node";
import { createAgent } from "legation/server";

/** Talks cheaply until the order is clear, then commits to a task that lives on its own. */
const printer = createAgent({
  name: "Print shop",
  description: "Prints posters. Name a size and a number.",
  version: "1.0.0",
  onMessage(message, turn) {
    const order = /(A[1-4])\D+(\d+)/.exec(message.text);
    if (order === null) return "Which size (A1 to A4), and how many?";
    if (Number(order[2]) > 500) return "We print 500 at most. How many may it be?";
    return turn.startTask();
  },
  async onTask(task, message) {
    const [, size, copies] = /(A[1-4])\D+(\d+)/.exec(message.text) ?? [];
    await task.working(`printing ${copies} posters in ${size}`);
    const job = await task.step("print", ({ key }) => ({ job: key, size: size ?? "", copies: Number(copies) }));
    return { size: job.size, copies: job.copies };
  },
});

const host = await serve(printer, {
  port: Number(process.env["PORT"] ?? 4000),
  store: "sqlite:./print-shop.db",
  log: false,
});
console.log(`print shop listens on ${host.url}`);
