// Skills that only the extended card of an agent has: for those who may see it, and for nobody else.
import assert from "node:assert/strict";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { onEveryBinding, request, sendForTask } from "./on-every-binding.ts";

const IMAGE = { raw: "aGk=", mediaType: "image/png" };

function naming(skillId: string): object {
  return { metadata: { "urn:legation:extension:skill:v1": { skillId } } };
}

const agent: Partial<AgentOptions> = {
  onTask: (_task, message) => `did ${message.skillId ?? "something"}`,
  modes: { input: ["text/plain"] },
  skills: [{ id: "talk", name: "Talk", description: "Talks.", tags: ["talk"] }],
  extendedCard: ({ owner }, card) => {
    if (owner !== "ann") return undefined;
    const draw = { id: "draw", name: "Draw", description: "Draws.", tags: ["draw"], inputModes: ["image/*"] };
    const sing = { id: "sing", name: "Sing", description: "Sings.", tags: ["sing"] };
    return { ...card, skills: [...card.skills, draw, sing] };
  },
};

onEveryBinding(
  "§3.1.11 Extended Card › who may see it may use the skills that it alone has, by their own input modes",
  agent,
  async ({ service }) => {
    for (const [part, skillId] of [
      ["hi", "talk"],
      ["hi", "sing"],
      [IMAGE, "draw"],
    ] as const) {
      const message = typeof part === "string" ? request(part, naming(skillId)) : request([part], naming(skillId));
      assert.equal((await sendForTask(service, message)).status.message?.parts[0]?.text, `did ${skillId}`);
    }
    assert.equal((await sendForTask(service, request([IMAGE]))).status.state, "TASK_STATE_COMPLETED");
    for (const refused of [request("hi", naming("draw")), request([IMAGE], naming("sing")), request([{ data: 1 }])]) {
      await assert.rejects(service.sendMessage(refused, plainCall()), (thrown) =>
        isA2AError(thrown, "CONTENT_TYPE_NOT_SUPPORTED"),
      );
    }
    await assert.rejects(service.sendMessage(request("hi", naming("fly")), plainCall()), {
      code: "INVALID_PARAMS",
      message: /unknown skill "fly"; skills of this agent: talk, draw, sing$/,
    });
  },
  { principal: { owner: "ann" } },
);

for (const owner of ["", "bob"]) {
  onEveryBinding(
    `§3.1.11 Extended Card › who may not see it is told nothing of its skills (${owner === "" ? "nobody" : owner})`,
    agent,
    async ({ service }) => {
      for (const skillId of ["draw", "fly"]) {
        await assert.rejects(service.sendMessage(request("hi", naming(skillId)), plainCall()), {
          code: "INVALID_PARAMS",
          message: new RegExp(`unknown skill "${skillId}"; skills of this agent: talk$`),
        });
      }
      await assert.rejects(service.sendMessage(request([IMAGE]), plainCall()), (thrown) =>
        isA2AError(thrown, "CONTENT_TYPE_NOT_SUPPORTED"),
      );
      assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 0);
    },
    owner === "" ? {} : { principal: { owner } },
  );
}

onEveryBinding(
  "§4.4.5 Agent Skill › the skill that the card of an agent without skills names can be named",
  { name: "Trip Planner", onTask: () => "done" },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi", naming("trip-planner")));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  },
);
