/** What extensions write into the events of streams and webhooks, for the callers that asked for them. */

import type { PushOptions } from "../engine/push-options.ts";
import type { StreamResponse } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { Call } from "../operations/call.ts";
import type { Extension } from "../operations/extension.ts";
import type { Interceptor } from "../operations/interceptor.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";
import { streamEventOfJson, streamEventOfValue } from "../operations/stream-event.ts";

/** The interceptor that does it; undefined where no plug-in has anything to say of events. */
export function extensionEvents(plugins: readonly Extension[]): Interceptor | undefined {
  const telling = plugins.filter(({ onEvent }) => onEvent !== undefined);
  if (telling.length === 0) return undefined;
  return async (invocation, next) => {
    const answer = await next(invocation);
    const { method, call } = invocation;
    if (method !== "SendStreamingMessage" && method !== "SubscribeToTask") return answer;
    const active = telling.filter(({ uri }) => call.activeExtensions?.includes(uri) === true);
    return active.length === 0 ? answer : told(answer as EventStream, active, call);
  };
}

/** Writes the same into what webhooks are sent; undefined where no plug-in of any agent has anything to say of events. */
export function hookEvents(byAgent: ReadonlyMap<string, readonly Extension[]>): PushOptions["tell"] {
  if (![...byAgent.values()].flat().some(({ onEvent }) => onEvent !== undefined)) return undefined;
  return (json, { agent, extensions }) => {
    const active = (byAgent.get(agent) ?? []).filter(({ uri }) => extensions.includes(uri));
    return active.length === 0 ? json : withMetadata(streamEventOfJson(json), active, undefined).json;
  };
}

async function* told(events: EventStream, plugins: readonly Extension[], call: Call): EventStream {
  for await (const batch of events) yield batch.map((event) => withMetadata(event, plugins, call));
}

function withMetadata(event: StreamEvent, plugins: readonly Extension[], call: Call | undefined): StreamEvent {
  const { value, seq } = event;
  const update = value.statusUpdate ?? value.artifactUpdate;
  if (update === undefined) return event;
  const metadata: JsonObject = {};
  for (const plugin of plugins) {
    const told = plugin.onEvent?.(value, call);
    if (told !== undefined) Object.assign(metadata, plugin.write(told));
  }
  if (Object.keys(metadata).length === 0) return event;
  // A copy: the event is shared by all who follow the task.
  const full = { ...update, metadata: { ...metadata, ...update.metadata } };
  const changed = value.statusUpdate === undefined ? { artifactUpdate: full } : { statusUpdate: full };
  return streamEventOfValue(changed as StreamResponse, seq);
}
