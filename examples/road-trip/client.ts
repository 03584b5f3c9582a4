import assert from "node:assert/strict";
import { connect } from "legation/client";

const answers: Record<string, string> = {
  "How many days do you have?": "a few",
  "Which car: small or camper?": "camper",
};

const planner = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");
let trip = await planner.send("Perth to Albany by the coast");
while (trip.kind === "task" && trip.state === "INPUT_REQUIRED") {
  console.log(`agent: ${trip.question}`);
  // "a few" is no number of days: the agent asks again and says why.
  const answer = answers[trip.question ?? ""] ?? "2";
  console.log(`me:    ${answer}`);
  trip = await trip.reply(answer);
}
assert(
  trip.kind === "task" && trip.state === "COMPLETED",
  `the trip is ${trip.kind === "task" ? trip.state : trip.text}`,
);
console.log(trip.text);
const route = await trip.artifact("route.md")?.text();
console.log(route);
assert.match(route ?? "", /- day 2: .+ to Albany$/);
