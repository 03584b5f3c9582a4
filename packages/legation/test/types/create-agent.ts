// Compiled, never run: what the compiler has to infer and to refuse for the users of createAgent.
import { z } from "zod";
import { type Agent, createAgent, type StandardSchema } from "../../src/server/index.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function assertType<_T extends true>(): void {}

interface Flight {
  seat: number;
}

/** The README's ten lines, with what they mean to the compiler. */
export const planner: Agent = createAgent({
  name: "Planner",
  description: "Plans a drive.",
  version: "1.0.0",
  url: process.env["PUBLIC_URL"],
  skills: [{ id: "routes", name: "Routes", description: "Plans routes.", tags: ["routes"] }],
  async onTask(task, message) {
    const { days } = await task.ask("How many days?", z.object({ days: z.coerce.number() }));
    assertType<Equal<typeof days, number>>();
    await task.write("route.md", (signal) => legs(message.text, days, signal), { mediaType: "text/markdown" });
  },
});

/** Answers, steps, artifacts and endings. */
export const booker: Agent = createAgent({
  name: "Booker",
  description: "Books.",
  version: "1.0.0",
  async onTask(task) {
    const answer = await task.ask("Which one?");
    assertType<Equal<typeof answer.text, string>>();
    const day = await task.ask("When?", z.object({ day: z.coerce.date(), note: z.string().optional() }));
    assertType<Equal<typeof day, { day: Date; note?: string | undefined }>>();
    const own: StandardSchema<unknown, "car" | "train"> = {
      "~standard": { version: 1, vendor: "own", validate: () => ({ value: "car" as const }) },
    };
    const means = await task.ask("How?", own);
    assertType<Equal<typeof means, "car" | "train">>();
    const flight = await task.step(
      "book",
      async ({ key, attempt }): Promise<Flight> => ({ seat: key.length + attempt }),
    );
    assertType<Equal<typeof flight, Flight>>();
    await task.artifact("flight", { data: flight });
    await task.artifact("ticket.pdf", { raw: new Uint8Array(), mediaType: "application/pdf" });
    // @ts-expect-error content is exactly one of text, data, raw and url
    await task.artifact("both", { text: "a", data: 1 });
    // @ts-expect-error an answer with a schema is not a message
    answer.text satisfies number;
    return flight.seat > 3 ? task.reject("no seat") : flight;
  },
});

/** A hybrid; the compiler knows both handlers' arguments. */
export const negotiator: Agent = createAgent({
  name: "Negotiator",
  description: "Agrees, then works.",
  version: "1.0.0",
  onMessage: (message, turn) => (message.text === "agreed" ? turn.startTask() : "What budget?"),
  onTask: () => "done",
});

createAgent({
  name: "Wrong",
  description: "Does not compile.",
  version: "1.0.0",
  // @ts-expect-error a number is no result
  onMessage: () => 3,
});

async function* legs(from: string, days: number, signal: AbortSignal): AsyncGenerator<string> {
  for (let day = 1; day <= days && !signal.aborted; day++) yield `- day ${day} from ${from}\n`;
}
