/** Webhooks of a pair: requests that lead to a function in place of a socket. */
import type { Clock } from "../engine/clock.ts";
import type { Deliver, PushOptions, PushRequest } from "../engine/push-options.ts";
import type { Power } from "./power.ts";

/** Where the webhooks of a pair lead. A receiver of legation/push is one. */
export interface PairPush extends Pick<PushOptions, "settings" | "sign" | "seal" | "random"> {
  /**
   * Answers every notification, whatever URL was registered: `fetch` of `createPushReceiver`, or what a test says. A
   * rejection is a connection that fails; no answer is a webhook that hangs, for as long as the clock stands.
   */
  readonly fetch: (request: Request) => Promise<Response>;
}

/** A promise that nobody keeps. */
const NEVER: Promise<never> = new Promise(() => undefined);

/** Makes what delivers in one life of an agent. */
export function createPairPush(push: PairPush, { clock, signal: power }: Pick<Power, "clock" | "signal">): PushOptions {
  const { settings, sign, seal, random } = push;
  const deliver: Deliver = async (request) => {
    if (power.aborted) return NEVER;
    const answer = await withinTime(request, clock, answerOf(push, request));
    return power.aborted
      ? NEVER
      : { status: answer.status, retryAfter: answer.headers.get("retry-after") ?? undefined };
  };
  return { deliver, settings, sign, seal, random };
}

async function answerOf({ fetch }: PairPush, { url, headers, body }: PushRequest): Promise<Response> {
  return fetch(new Request(url, { method: "POST", headers: { ...headers }, body }));
}

/** Rejects when the time of a request is up, or it is given up. */
async function withinTime<T>({ timeoutMs, signal }: PushRequest, clock: Clock, answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = clock.setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const giveUp = (): void => late.reject(new Error("the delivery was given up"));
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    timer.cancel();
    signal.removeEventListener("abort", giveUp);
  }
}
