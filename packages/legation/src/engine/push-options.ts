/** What push notifications need from outside of the engine, and their defaults. */
import type { Task } from "../model/gen/types.ts";
import type { PushSealer } from "./push-seal.ts";

/** One request to a webhook. */
export interface PushRequest {
  readonly url: string;
  /** Lower-case names; the values hold no control characters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the first look at the name to the end of the answer. */
  readonly timeoutMs: number;
  /** Aborts when the webhook was removed or the process stops. */
  readonly signal: AbortSignal;
}

/** What a webhook answered. Only 2xx is a success; nothing follows a redirect. */
export interface PushAnswer {
  readonly status: number;
  /** The header, as it came. */
  readonly retryAfter?: string | undefined;
}

/**
 * Sends one request: the deliver port, implemented by the room `outbound`. It rejects with an Error whose message may be
 * shown to an operator when there was no answer; it must not call an address that the operator does not allow.
 */
export type Deliver = (request: PushRequest) => Promise<PushAnswer>;

/** One entry of a log that is to be sent. */
export interface PushEvent {
  readonly taskId: string;
  readonly contextId: string;
  readonly seq: number;
  /** A StreamResponse, as subscribers get it. */
  readonly json: string;
  /** The Task as it is stored now. */
  task(): Promise<Task>;
}

/** The form of what is sent to whoever speaks some version of the protocol; undefined sends nothing for this entry. */
export type PushShape = (
  event: PushEvent,
) => Promise<{ readonly contentType: string; readonly body: string } | undefined>;

/** Signs what is sent: gives a JWT over it. */
export type SignPush = (signed: {
  readonly url: string;
  readonly taskId: string;
  /** `<task>:<seq>`; the same for every attempt. */
  readonly eventId: string;
  readonly body: string;
}) => Promise<string>;

/** Names and defaults of the outbox. Milliseconds. */
export interface PushSettings {
  /** Webhooks per task; one more is refused. */
  readonly maxHooks: number;
  /** How long a webhook may take to answer (§4.3.3 recommends 10 to 30 seconds). */
  readonly timeoutMs: number;
  /** Failures in a row before a webhook is dead. */
  readonly maxAttempts: number;
  /** The first retry comes after at most that; every further one waits up to `retryFactor` times as long. */
  readonly retryMs: number;
  readonly retryFactor: number;
  /** A Retry-After beyond this is cut. */
  readonly maxRetryAfterMs: number;
  /** How long a webhook is ours without a word. Longer than two attempts. */
  readonly leaseMs: number;
  /** How long a webhook stays ours when there is nothing to deliver: the next entry then needs no claim. */
  readonly lingerMs: number;
  /** Requests under way at once in this process. */
  readonly maxDeliveries: number;
  /** Webhooks that one process holds at once; of them at most half may be failing ones. */
  readonly maxHeld: number;
}

/** The values in force when nothing is said: twelve attempts over about a day. */
export const PUSH_DEFAULTS: PushSettings = {
  maxHooks: 10,
  timeoutMs: 15_000,
  maxAttempts: 12,
  retryMs: 2_000,
  retryFactor: 3,
  maxRetryAfterMs: 86_400_000,
  leaseMs: 45_000,
  lingerMs: 1_000,
  maxDeliveries: 256,
  maxHeld: 1_000,
};

/** Push notifications of an engine. */
export interface PushOptions {
  readonly deliver: Deliver;
  /** Says why a URL may not be registered, in the words of the caller; undefined when it may. */
  readonly refuseUrl?: ((url: URL) => string | undefined) | undefined;
  /**
   * What extensions add to an event for whoever asked for them: gets a StreamResponse and gives one, both as JSON.
   * Absent: nothing is added.
   */
  readonly tell?:
    | ((json: string, about: { readonly agent: string; readonly extensions: readonly string[] }) => string)
    | undefined;
  /** Forms by version beside "1.0". */
  readonly shapes?: Readonly<Record<string, PushShape>> | undefined;
  readonly sign?: SignPush | undefined;
  /** Encrypts tokens and credentials at rest; without it they are stored as they are. */
  readonly seal?: PushSealer | undefined;
  readonly settings?: Partial<PushSettings> | undefined;
  /** From 0 to below 1; for the jitter. */
  readonly random?: (() => number) | undefined;
}
