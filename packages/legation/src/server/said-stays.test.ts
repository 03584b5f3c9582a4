// What a handler has said stays as it was said, whatever it does afterwards with the objects that it said it with.
import assert from "node:assert/strict";
import test from "node:test";
import type { Part, StreamResponse } from "../model/gen/types.ts";
import { plainCall } from "../operations/call.ts";
import { pair } from "../testing/pair.ts";
import { createAgent } from "./agent.ts";

const isData = (part: Part): boolean => part.data !== undefined;

for (const binding of ["jsonrpc", "grpc"] as const) {
  test(`objects that a handler changes later change nothing that was said [${binding}]`, async () => {
    const agent = createAgent({
      name: "Planner",
      description: "Plans.",
      version: "1.0.0",
      async onTask(task) {
        const data = { days: [1] };
        const metadata = { mood: "calm" };
        await task.artifact("plan.json", { data, metadata });
        await task.write("log.txt", () => "written", { metadata });
        await task.working({ parts: [{ data }], metadata });
        data.days.push(2);
        metadata.mood = "angry";
        await task.artifact("plan.json", { data, append: true });
        data.days.push(3);
      },
    });
    await using t = await pair(agent, { binding });
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } as const;
    const events: StreamResponse[] = [];
    const stream = await t.client.service.sendStreamingMessage(
      { message: { ...message, parts: [...message.parts] } },
      plainCall(),
    );
    for await (const batch of stream) events.push(...batch.map(({ value }) => value));
    const told = events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []).filter(isData);
    assert.deepEqual(told, [{ data: { days: [1] } }, { data: { days: [1, 2] } }]);
    const { value: task } = await t.client.service.getTask({ id: events[0]?.task?.id ?? "" }, plainCall());
    assert.deepEqual(task.artifacts?.flatMap(({ parts }) => parts).filter(isData), told);
    assert.deepEqual(
      task.artifacts?.map(({ metadata }) => metadata),
      [{ mood: "calm" }, { mood: "calm" }],
    );
    assert.deepEqual(
      task.history?.filter(({ role }) => role === "ROLE_AGENT").map(({ parts, metadata }) => ({ parts, metadata })),
      [{ parts: [{ data: { days: [1] } }], metadata: { mood: "calm" } }],
    );
  });
}
