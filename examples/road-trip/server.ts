import { serve } from "legation/node";
import { createAgent } from "legation/server";
import { z } from "zod";

const legs = ["Perth", "Busselton", "Margaret River", "Pemberton", "Denmark", "Albany"];

const planner = createAgent({
  name: "Road trip",
  description: "Plans a drive from Perth to Albany, day by day.",
  version: "1.0.0",
  skills: [{ id: "route", name: "Route", description: "A drive in daily legs.", tags: ["travel", "driving"] }],
  async onTask(task, message) {
    const { days } = await task.ask(
      "How many days do you have?",
      z.object({ days: z.coerce.number().int().min(1).max(5) }),
    );
    const { car } = await task.ask("Which car: small or camper?", z.object({ car: z.enum(["small", "camper"]) }));
    const booking = await task.step("reserve the car", ({ key }) => ({ reservation: key.slice(-12), car }));
    await task.write("route.md", () => route(message.text, days, booking.car), { mediaType: "text/markdown" });
    return `Your ${car} is reserved.`;
  },
});

async function* route(wish: string, days: number, car: string): AsyncGenerator<string> {
  yield `# ${wish}\n\n${days} days in a ${car} car.\n`;
  const step = (legs.length - 1) / days;
  for (let day = 1; day <= days; day++) {
    yield `\n- day ${day}: ${legs[Math.round(step * (day - 1))]} to ${legs[Math.round(step * day)]}`;
  }
}

const host = await serve(planner, {
  port: Number(process.env["PORT"] ?? 4000),
  store: "sqlite:./road-trip.db",
  log: false,
});
console.log(`road trip listens on ${host.url}`);
