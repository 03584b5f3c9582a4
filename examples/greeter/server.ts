import { serve } from "legation/node";
import { createAgent } from "legation/server";

/** A hello needs no book-keeping: this agent only ever answers with messages. */
const greeter = createAgent({
  name: "Greeter",
  description: "Greets you, and remembers nothing.",
  version: "1.0.0",
  onMessage: (message) => `Hello, ${message.text === "" ? "stranger" : message.text}!`,
});

const host = await serve(greeter, { port: Number(process.env["PORT"] ?? 4000), log: false });
console.log(`greeter listens on ${host.url}`);
