import assert from "node:assert/strict";
import { connect } from "legation/client";

const painter = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");

const first = await painter.send("Draw a blue sailing boat");
assert(first.kind === "task" && first.state === "COMPLETED" && first.contextId !== undefined);

// A task that has ended never changes: the refinement is a new task that refers to it.
const red = await first.refine("Make it red");
assert(red.kind === "task" && red.state === "COMPLETED");
assert.notEqual(red.id, first.id);
assert.notEqual(red.artifact("boat.svg")?.artifactId, first.artifact("boat.svg")?.artifactId);
assert.match((await red.artifact("boat.svg")?.text()) ?? "", /fill="red"/);

// The name ties the versions together, and which one counts is for the client to say.
const boat = painter.context(first.contextId).artifact("boat.svg");
console.log(`${boat.versions.length} versions of ${boat.name}`);
assert.equal(boat.versions.length, 2);

// With a second boat in the context "make it green" is unclear, so the agent asks.
const second = await painter.send("Draw a black boat", { contextId: first.contextId });
assert(second.kind === "task" && second.state === "COMPLETED");
const unclear = await painter.send("Make it green", { contextId: first.contextId });
assert(unclear.kind === "task" && unclear.state === "INPUT_REQUIRED");
console.log(unclear.question);
const green = await unclear.reply(`the one of ${second.id.slice(-4)}`);
assert(green.kind === "task" && green.state === "COMPLETED");
assert.match((await green.artifact("boat.svg")?.text()) ?? "", /fill="green"/);
