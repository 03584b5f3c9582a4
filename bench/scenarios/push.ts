/** Deliveries to webhooks. */
import type { PushOrder } from "../servers/push.ts";
import type { Contender } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";

const HOOKS = 16;
const EVENTS = 200;

async function openPush(lab: Lab): Promise<readonly Subject[]> {
  const webhook = await lab.start("bare", { behaviour: "echo", store: "memory:" });
  const order: PushOrder = { url: `http://127.0.0.1:${webhook.port}/hook`, hooks: HOOKS, events: lab.scaled(EVENTS) };
  const contenders: readonly Contender[] = ["ours", "bare", "sdk"];
  return Promise.all(
    contenders.map(async (contender): Promise<Subject> => {
      const sender = await lab.startSender(contender);
      const cost = async (): Promise<number> => {
        await sender.ask("prepare", order);
        const before = sender.cpuMicros();
        await sender.ask("go");
        return (sender.cpuMicros() - before) / (order.hooks * order.events);
      };
      await cost();
      await cost();
      return {
        async round() {
          return { [contender]: await cost() };
        },
      };
    }),
  );
}

/** The scenario of this file. */
export const pushScenarios: readonly Scenario[] = [
  {
    name: "push",
    work: `${EVENTS} events to each of ${HOOKS} webhooks, one after the other, memory`,
    unit: "µs CPU per delivery",
    ratios: goals(1.4, 11),
    open: openPush,
  },
];
