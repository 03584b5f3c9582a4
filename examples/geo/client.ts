import assert from "node:assert/strict";
import { connect, isA2AError } from "legation/client";

const geo = await connect(process.env["AGENT_URL"] ?? "http://localhost:4000");
console.log(
  geo.card.skills
    .map((skill) => `${skill.id}: ${(skill.outputModes ?? geo.card.defaultOutputModes).join(", ")}`)
    .join("\n"),
);

// What the caller can read decides what it gets.
const route = await geo.send("Mountain View to San Francisco", { acceptedOutputModes: ["application/vnd.geo+json"] });
assert(route.kind === "task" && route.state === "COMPLETED");
assert.equal(route.artifact("route")?.parts[0]?.mediaType, "application/vnd.geo+json");

// The map skill takes JSON only, although the agent as a whole reads text.
const map = { skill: "custom-map-generator", acceptedOutputModes: ["image/svg+xml"] };
const drawn = await geo.send({ parts: [{ data: [[37.4, -122.1]] }] }, map);
assert(drawn.kind === "task" && drawn.state === "COMPLETED");
assert.match((await drawn.artifact("map")?.text()) ?? "", /^<svg/);

await assert.rejects(geo.send("Draw my favourite cafés", map), (error) =>
  isA2AError(error, "CONTENT_TYPE_NOT_SUPPORTED"),
);

// An agent that cannot make what the caller reads says so instead of sending something else.
const rejected = await geo.send("Mountain View to San Francisco", { acceptedOutputModes: ["video/mp4"] });
assert(rejected.kind === "task" && rejected.state === "REJECTED");
console.log(rejected.text);
