import assert from "node:assert/strict";
import { connect } from "legation/client";

const planner = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");
let trip = await planner.send("Perth to Albany");
while (trip.kind === "task" && trip.state === "INPUT_REQUIRED") {
  console.log(trip.question);
  trip = await trip.reply("3");
}
assert(trip.kind === "task" && trip.state === "COMPLETED");
const route = await trip.artifact("route.md")?.text();
console.log(route);
assert.equal(route, "# Perth to Albany in 3 days");
