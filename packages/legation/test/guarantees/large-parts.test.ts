/** Texts of megabytes come back byte for byte, and other callers are answered meanwhile. What they waited is printed. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { rawCall, rawSend } from "./raw-send.ts";
import { endingWith, startReplica } from "./replica.ts";

/** As base64 it fits into a body of 10 MiB. */
const BYTES = 7 * 1_048_576;
const ROUNDS = 4;

it("large-parts: texts of 9 MiB in and out, while another caller asks all the time [sqlite]", async (t) => {
  const folder = temporaryFolder(t);
  const settings = {
    agent: "asker",
    store: `sqlite:${path.join(folder, "large.db")}`,
    effects: path.join(folder, "e"),
  };
  const replica = await startReplica(endingWith(after), settings);
  const small = await rawSend(replica.url, { parts: [{ text: "small" }], returnImmediately: false });
  const waits: number[] = [];
  let isOver = false;
  const asking = (async (): Promise<void> => {
    while (!isOver) {
      const begun = performance.now();
      const { task } = await rawCall(replica.url, "GetTask", { id: small.task?.id });
      assert.equal(task?.id, small.task?.id);
      waits.push(performance.now() - begun);
      await sleep(5);
    }
  })();
  await sleep(300);
  const before = waits.splice(0).sort((a, b) => a - b);
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = randomBytes(BYTES);
    const text = bytes.toString("base64");
    const sent = await rawSend(replica.url, { parts: [{ text }], returnImmediately: false });
    assert.equal(sent.reason, undefined, sent.message);
    const { task } = await rawCall(replica.url, "GetTask", { id: sent.task?.id });
    const back = Buffer.from(task?.history?.[0]?.parts[0]?.text ?? "", "base64");
    assert.equal(createHash("sha1").update(back).digest("hex"), createHash("sha1").update(bytes).digest("hex"));
  }
  isOver = true;
  await asking;
  waits.sort((a, b) => a - b);
  const at = (list: readonly number[], part: number): string => (list[Math.floor(list.length * part)] ?? 0).toFixed(1);
  t.diagnostic(`another caller waits ${at(before, 0.5)} ms at the median alone, at most ${at(before, 0.999)} ms`);
  t.diagnostic(`beside them ${at(waits, 0.5)} ms, 9 of 10 below ${at(waits, 0.9)} ms, at most ${at(waits, 0.999)} ms`);
  assert.ok(waits.length > ROUNDS);
  await replica.kill();
});
