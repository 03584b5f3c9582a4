import assert from "node:assert/strict";
import { connect } from "legation/client";

const shop = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");

let order = await shop.send("The reef. The island. The lighthouse");
// The question comes from the press, through the agent; the caller cannot tell and need not.
assert(order.kind === "task" && order.state === "INPUT_REQUIRED");
assert.equal(order.question, "plain or glossy?");
order = await order.reply("glossy");

assert(order.kind === "task" && order.state === "COMPLETED");
assert.equal(order.text, "printed on glossy paper");
const print = await order.artifact("print.txt")?.text();
console.log(print);
assert.equal(print, "The reef\nThe island\nThe lighthouse\n");
