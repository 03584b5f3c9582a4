import { deferredTask } from "legation/server";

const order = process.env["ORDER"] ?? "";
const task = deferredTask(process.env["HOST_URL"] ?? "", process.env["TOKEN"] ?? "");

// Within every ten seconds something has to be heard of a worker; while the caller is asked, nothing has.
const beat = setInterval(() => void task.heartbeat().catch(() => process.exit(1)), 3_000);

// Reports have ids of their own choice: a press that is started again under its token says nothing twice.
const paper = await task.ask("plain or glossy?", { id: "paper" });
for (const [page, line] of order.split(". ").entries()) {
  await task.artifact("print.txt", { text: `${line}\n`, append: page > 0 }, { id: `page ${page}` });
}
await task.complete(`printed on ${paper.parts[0]?.text} paper`, { id: "end" });
clearInterval(beat);
