/**
 * The outside worker of a deferred task, in a process of its own: `deferred-worker.ts <url> <token>`. It says one thing
 * and then works for ever.
 */
import { deferredTask } from "../../src/server/deferred-task.ts";

const [url = "", token = ""] = process.argv.slice(2);
await deferredTask(url, token).artifact("out.txt", { text: "chunk 0;" }, { id: "chunk 0" });
process.stdout.write("began\n");
setInterval(() => {}, 1_000);
