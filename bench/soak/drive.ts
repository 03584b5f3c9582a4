/** One client of the soak: sends, follows, answers and cancels, whatever becomes of the servers meanwhile. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { rawCall, rawSend } from "../../packages/legation/test/guarantees/raw-send.ts";
import { follow, OrderViolation, type Seen } from "../../packages/legation/test/guarantees/sse-reader.ts";
import type { Dice, Fleet } from "./chaos.ts";

/** One task that was acknowledged, and what its client knows of it. */
export interface Driven {
  readonly seen: Seen;
  readonly steps: number;
  /** Questions that were left open on purpose. */
  readonly isParked: boolean;
  readonly isCanceled: boolean;
  readonly isHooked: boolean;
}

/** What the clients of one fleet did. */
export interface Driving {
  /** Where some of the tasks have their webhook. */
  readonly webhook: string;
  readonly driven: Driven[];
  replies: number;
  answers: number;
  slowReaders: number;
  resends: number;
  readonly violations: string[];
  readonly failures: string[];
}

/** An empty record. */
export function newDriving(webhook: string): Driving {
  return { webhook, driven: [], replies: 0, answers: 0, slowReaders: 0, resends: 0, violations: [], failures: [] };
}

const GIVE_UP_MS = 30_000;

/** Tries until it is answered. A message under one id is accepted once, however often it is sent. */
async function untilAnswered(
  work: (attempt: number) => Promise<{ readonly reason: string | undefined }>,
): Promise<void> {
  const giveUp = Date.now() + GIVE_UP_MS;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { reason } = await work(attempt);
      if (reason === undefined || reason !== "UNAVAILABLE") return;
    } catch (failed) {
      if (Date.now() > giveUp) throw failed;
    }
    if (Date.now() > giveUp) throw new Error("no answer");
    await sleep(100);
  }
}

/** Opens a stream and never reads it; the connection ends after a while. */
async function stall(url: string, taskId: string, ms: number): Promise<void> {
  try {
    const response = await fetch(url, {
      method: "POST",
      signal: AbortSignal.timeout(ms),
      headers: { "content-type": "application/json", accept: "text/event-stream", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: taskId } }),
    });
    await sleep(ms);
    await response.body?.cancel();
  } catch {
    // Its server was killed, or its time is over: both are what it is for.
  }
}

/** Drives one task from its message to its end. */
export async function driveOne(fleet: Fleet, dice: Dice, driving: Driving): Promise<void> {
  const first = dice.between(0, fleet.size - 1);
  const url = (connection: number): string => fleet.url(first + connection);
  const messageId = randomUUID();
  if (dice.chance(0.1)) {
    const seen = await follow({ url, text: "hello", messageId, giveUpMs: GIVE_UP_MS });
    if (seen.reply === "hello yourself") driving.replies += 1;
    else driving.failures.push(`a reply was ${JSON.stringify(seen.reply)}`);
    return;
  }
  const steps = dice.between(1, 4);
  const questions = dice.chance(0.3) ? dice.between(1, 2) : 0;
  const everyMs = dice.between(0, 15);
  const text = `soak ${steps} ${dice.between(1, 60)} ${everyMs} ${questions} ${dice.chance(0.3) ? dice.between(10, 1_500) : 0}`;
  const isCanceled = dice.chance(0.1);
  const isParked = questions > 0 && dice.chance(0.2);
  const webhook = dice.chance(0.3) ? driving.webhook : undefined;
  let canceling: Promise<void> | undefined;
  const onEvent = ({ taskId }: Seen): void => {
    if (taskId === undefined) return;
    if (isCanceled) canceling ??= untilAnswered((attempt) => rawCall(url(attempt + 1), "CancelTask", { id: taskId }));
    if (dice.chance(0.001)) {
      driving.slowReaders += 1;
      void stall(url(dice.between(0, 9)), taskId, dice.between(500, 8_000));
    }
  };
  const until = ["TASK_STATE_INPUT_REQUIRED"];
  let seen = await follow({ url, text, messageId, webhook, until, onEvent, giveUpMs: GIVE_UP_MS });
  const { taskId } = seen;
  if (taskId === undefined) throw new Error("a stream without a task");
  while (seen.state === "TASK_STATE_INPUT_REQUIRED" && !isParked) {
    const answer = { parts: [{ text: "yes" }], taskId, messageId: randomUUID() };
    await untilAnswered((attempt) => rawSend(url(attempt), answer));
    driving.answers += 1;
    seen = await follow({ url, text, messageId, until, onEvent, giveUpMs: GIVE_UP_MS, from: seen });
  }
  await canceling;
  if (dice.chance(0.2)) {
    driving.resends += 1;
    const again = await rawSend(url(1), { parts: [{ text }], messageId }).catch(() => undefined);
    if (again?.task !== undefined && again.task.id !== taskId) driving.failures.push(`${messageId} made two tasks`);
  }
  driving.driven.push({ seen, steps, isParked, isCanceled, isHooked: webhook !== undefined });
}

/** Drives one task after the other until its time is over. */
export async function drive(fleet: Fleet, dice: Dice, driving: Driving, until: number): Promise<void> {
  while (Date.now() < until) {
    try {
      await driveOne(fleet, dice, driving);
    } catch (failed) {
      const text = failed instanceof Error ? failed.message : String(failed);
      (failed instanceof OrderViolation ? driving.violations : driving.failures).push(text);
    }
    await sleep(dice.between(0, 50));
  }
}
