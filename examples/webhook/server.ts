import { serve } from "legation/node";
import { createAgent } from "legation/server";
import { createFakeClock } from "legation/testing";

const HOUR_MS = 3_600_000;

/** Two hours pass in a few seconds: ten minutes with every beat. */
const clock = createFakeClock(Date.now());
setInterval(() => void clock.advance(HOUR_MS / 6), 200);

const survey = createAgent({
  name: "Survey",
  description: "Surveys the sea floor; it takes two hours, and nobody has to stay on the line.",
  version: "1.0.0",
  async onTask(task, message) {
    await task.working(`the ship leaves for ${message.text}`);
    await task.sleep(HOUR_MS);
    await task.artifact("soundings.csv", { text: "depth\n31\n", mediaType: "text/csv" });
    await task.sleep(HOUR_MS);
    await task.artifact("soundings.csv", { text: "44\n", mediaType: "text/csv", append: true, lastChunk: true });
    return "the ship is back";
  },
});

const host = await serve(survey, {
  port: Number(process.env["PORT"] ?? 4000),
  log: false,
  clock,
  // Without this only public https addresses are called.
  push: { allow: ["127.0.0.0/8"] },
});
console.log(`survey listens on ${host.url}`);
