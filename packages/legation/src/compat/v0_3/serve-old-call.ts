/** What the bindings share: the answer to a method, as JSON of 0.3 or as a stream of it. */

import { DEFAULT_HEARTBEAT_MS, type HttpBindingOptions } from "../../bindings/http/binding-options.ts";
import type { HttpResponse } from "../../bindings/http/exchange.ts";
import { answerHeaders, report, streamHeaders } from "../../bindings/http/respond.ts";
import { goodbyeError, openSse } from "../../bindings/http/sse-writer.ts";
import type {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from "../../model/gen/types.ts";
import type { JsonValue } from "../../model/json.ts";
import type { A2AError } from "../../operations/errors.ts";
import { encodeExtensions } from "../../operations/extensions.ts";
import type { MethodName } from "../../operations/methods.ts";
import type { EventStream } from "../../operations/service.ts";
import type { OldForm } from "./old-words.ts";
import { writeStreamResponse, writeTask, writeTaskPushConfig } from "./write-old.ts";
import { writeOldCard } from "./write-old-card.ts";

/** The bindings that are served in 0.3, by their name in a card. */
export const OLD_BINDINGS: readonly string[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/**
 * The answer of a unary method in the words of 0.3.
 *
 * @param method its name in 1.0
 * @param value what the operation gave; undefined of a deletion
 */
export function writeOldAnswer(method: MethodName, value: unknown, form: OldForm): JsonValue {
  switch (method) {
    case "SendMessage":
      return writeStreamResponse(value as StreamResponse, form);
    case "GetTask":
    case "CancelTask":
      return writeTask(value as Task, form);
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
      return writeTaskPushConfig(value as TaskPushNotificationConfig, form);
    case "ListTaskPushNotificationConfigs": {
      const { configs = [] } = value as ListTaskPushNotificationConfigsResponse;
      const written = configs.map((config) => writeTaskPushConfig(config, form));
      return form === "kind" ? written : { configs: written };
    }
    case "GetExtendedAgentCard":
      return writeOldCard(value as AgentCard, OLD_BINDINGS, form);
    default:
      return null;
  }
}

/** How a binding of 0.3 frames a stream. */
export interface OldStreaming {
  /** For the log. */
  readonly binding: string;
  readonly operation: string | undefined;
  readonly form: OldForm;
  /** One event as a frame, blank line included. */
  frame(json: string): string;
  errorFrame(error: A2AError): string;
}

/** The response of a streaming method. */
export async function answerOldStream(
  events: EventStream,
  active: readonly string[] | undefined,
  options: HttpBindingOptions,
  { binding, operation, form, frame, errorFrame }: OldStreaming,
): Promise<HttpResponse> {
  const stream = await openSse(
    events,
    {
      frame: ({ value }) => frame(JSON.stringify(writeStreamResponse(value, form))),
      errorFrame,
    },
    {
      // Neither ids nor a hint to reconnect: clients made with the Python SDK of 0.3 take what comes after them, a
      // heartbeat too, for an event without data, and fail.
      isBare: true,
      heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      onError: (error) => report(options, { binding, operation, error }),
    },
  );
  return {
    status: 200,
    headers: { ...streamHeaders(active), ...oldExtensions(active) },
    stream,
    goodbye: () => errorFrame(goodbyeError()),
  };
}

/** A body of JSON. */
export function answerOldJson(body: string, active: readonly string[] | undefined): HttpResponse {
  return { status: 200, headers: { ...answerHeaders("application/json", active), ...oldExtensions(active) }, body };
}

/** The header that 0.3 has for active extensions, beside the one of 1.0. */
function oldExtensions(active: readonly string[] | undefined): Record<string, string> {
  return active === undefined || active.length === 0 ? {} : { "x-a2a-extensions": encodeExtensions(active) };
}
