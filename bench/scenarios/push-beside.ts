/** What a webhook has to do with others. */
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

/** Tasks whose webhook is healthy, one after the other. */
const TASKS = 400;
const HANGING = 10;

async function openBesideHanging(lab: Lab): Promise<readonly Subject[]> {
  const sender = await lab.startPushDelays();
  const delays = async (): Promise<number> => Number(await sender.ask("delays", lab.scaled(TASKS)));
  await delays();
  return [
    {
      async round() {
        const alone = await delays();
        await sender.ask("hang", HANGING);
        const beside = await delays();
        await sender.ask("release");
        return { alone, beside };
      },
    },
  ];
}

/** The scenario of this file. */
export const pushBesideScenarios: readonly Scenario[] = [
  {
    name: "push-beside-hanging",
    work: `p99 from a handler to its webhook, ${TASKS} tasks one after the other, beside ${HANGING} webhooks that hang, memory`,
    unit: "µs wall",
    ratios: [{ what: "beside / alone", of: "beside", to: "alone", atMost: 1.2 }],
    open: openBesideHanging,
  },
];
