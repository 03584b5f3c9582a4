import assert from "node:assert/strict";
import { connect } from "legation/client";

const greeter = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");
const answer = await greeter.send("Ada");
assert(answer.kind === "message");
console.log(answer.text);
assert.equal(answer.text, "Hello, Ada!");

// Both bindings of the agent give the same; a client may choose.
const rest = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000", { prefer: ["HTTP+JSON"] });
assert.equal((await rest.send("Ada")).text, "Hello, Ada!");

// There is no task behind it, so there is nothing to list.
const page = await greeter.tasks().page();
assert.equal(page.totalSize, 0);
