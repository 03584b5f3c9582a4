import type { TaskPushNotificationConfig } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { MessageFrame } from "./compose-message.ts";

/** What every call of the client takes. */
export interface CallOptions {
  /** Ends the call on this side; what the agent does is not touched. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call on this side after so many ms with LocalError TIMEOUT. Default: none. */
  readonly timeoutMs?: number | undefined;
  /** Extension URIs of this call, beside those of the client. */
  readonly extensions?: readonly string[] | undefined;
  /** Headers of this call, lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What sending a message takes. Ids and metadata that the message itself holds count first. */
export interface SendOptions extends CallOptions, MessageFrame {
  /** Media types that the caller can use, best first. Default: none said, the agent decides. */
  readonly acceptedOutputModes?: readonly string[] | undefined;
  /** Messages of history in the answer; all that the agent keeps by default, 0 for none. */
  readonly historyLength?: number | undefined;
  /** True answers as soon as the task exists. Default false: at its end, or when it needs something. */
  readonly returnImmediately?: boolean | undefined;
  /** A webhook to register with the task, before the agent begins. */
  readonly push?: TaskPushNotificationConfig | undefined;
  /** Metadata of the request (not of the message). */
  readonly metadata?: JsonObject | undefined;
  /** The skill meant, by its id; sent where the card declares the skill extension. */
  readonly skill?: string | undefined;
}
