import assert from "node:assert/strict";
import { connect } from "legation/client";

const shop = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");

const question = await shop.send("I need posters");
assert(question.kind === "message");
console.log(question.text);

const limit = await question.reply("A2, 900 of them");
assert(limit.kind === "message");
console.log(limit.text);

// The order is clear now: the answer is a task.
const order = await limit.reply("A2, 300 of them");
assert(order.kind === "task" && order.state === "COMPLETED");
const result = await order.artifact("result")?.data();
console.log(result);
assert.deepEqual(result, { size: "A2", copies: 300 });
assert.equal(order.contextId, question.contextId);
