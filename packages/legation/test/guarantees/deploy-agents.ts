/** Three versions of one agent, as deploys would bring them. */
import { type Agent, createAgent } from "../../src/server/agent.ts";

/** Version 1 prices, asks and ships; 2 renames the first step of some tasks; 3 knows both. */
export function createDeployAgent(version: string, effects: string[] = []): Agent {
  return createAgent({
    name: "deploy",
    description: "For a guarantee test.",
    version,
    onTask: async (task, message) => {
      const isMoved = message.text.startsWith("moved");
      const step = (name: string): Promise<string> =>
        task.step(name, () => {
          effects.push(`${task.id} ${name}`);
          return name;
        });
      if (version === "1" || !isMoved) await step("price");
      else if (version === "2") await step("price again");
      else if (await task.patched("price again")) await step("price again");
      else await step("price");
      const answer = await task.ask("ship it?");
      await step("ship");
      return `shipped on ${answer.text}`;
    },
  });
}
