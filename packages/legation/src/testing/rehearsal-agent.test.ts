import assert from "node:assert/strict";
import { it } from "node:test";
import { createFakeClock } from "./fake-clock.ts";
import { pair } from "./pair.ts";
import { createRehearsalAgent } from "./rehearsal-agent.ts";

it("the rehearsal agent streams on when the clock was set back an hour since it began", {
  timeout: 20_000,
}, async () => {
  // What is written down of the beginning is an hour ahead of the clock of the machine.
  await using opened = await pair(createRehearsalAgent().agent, { clock: createFakeClock(Date.now() + 3_600_000) });
  const steps = [{ stream: { name: "a.txt", chunks: 3, bytes: 4, everyMs: 20 } }, { end: "COMPLETED" }];
  const done = await opened.client.send({ parts: [{ data: { rehearse: steps } }] });
  assert.ok(done.kind === "task" && done.state === "COMPLETED");
  assert.equal((await done.artifact("a.txt")?.text())?.length, 12);
});
