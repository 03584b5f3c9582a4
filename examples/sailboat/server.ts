import { serve } from "legation/node";
import { createAgent } from "legation/server";

const colours = ["red", "green", "blue", "black"];

const painter = createAgent({
  name: "Boat painter",
  description: "Draws sailing boats, and changes the ones that it drew.",
  version: "1.0.0",
  modes: { output: ["image/svg+xml"] },
  async onTask(task, message) {
    const colour = colours.find((name) => message.text.includes(name)) ?? "blue";
    if (/\bdraw\b/i.test(message.text)) {
      await task.artifact("boat.svg", { text: boat(colour), mediaType: "image/svg+xml" });
      return;
    }
    // A refinement is a new task of the same context. Which boat is meant is asked, never guessed.
    const { artifact, candidates } = await task.referenced();
    let original = artifact;
    while (original === undefined) {
      if (candidates.length === 0) return task.reject("There is no boat yet. Say: draw a boat.");
      const names = candidates.map((candidate) => candidate.taskId.slice(-4)).join(" or ");
      const answer = await task.ask(`Which boat: ${names}?`);
      original = candidates.find((candidate) => answer.text.includes(candidate.taskId.slice(-4)));
    }
    await task.artifact(original.artifact.name ?? "boat.svg", { text: boat(colour), mediaType: "image/svg+xml" });
    return;
  },
});

function boat(colour: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path fill="${colour}" d="M1 7h7l-1 1H2zM4 1v5h3z"/></svg>`;
}

const host = await serve(painter, {
  port: Number(process.env["PORT"] ?? 4000),
  store: "sqlite:./boats.db",
  log: false,
});
console.log(`boat painter listens on ${host.url}`);
