// Runs a test over each binding on the memory store, against an agent without a socket, but for gRPC.
import test from "node:test";
import type { Message, Part, SendMessageRequest, StreamResponse, Task } from "../../src/model/gen/types.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { EventStream, Service } from "../../src/operations/service.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { type Pair, type PairOptions, pair } from "../../src/testing/pair.ts";

/** What a test gets: the pair, and the operations as its client calls them. */
export interface OnBinding {
  readonly pair: Pair;
  readonly service: Service;
  readonly binding: "jsonrpc" | "rest" | "grpc";
}

/** Defines one test per binding; the title gets ` [jsonrpc × memory]`. */
export function onEveryBinding(
  title: string,
  agent: Partial<AgentOptions>,
  body: (on: OnBinding) => Promise<void>,
  options: PairOptions = {},
): void {
  for (const binding of ["jsonrpc", "rest", "grpc"] as const) {
    test(`${title} [${binding} × memory]`, { timeout: 20_000 }, async () => {
      const made = createAgent({ name: "Planner", description: "Plans.", version: "1.0.0", ...agent });
      const opened = await pair(made, { ...options, binding });
      try {
        await body({ pair: opened, service: opened.client.service, binding });
      } finally {
        await opened.close();
      }
    });
  }
}

let sent = 0;

/** A request with a message of its own id. */
export function request(
  content: string | Part[],
  more: Partial<Message> = {},
  rest: Omit<SendMessageRequest, "message"> = {},
): SendMessageRequest {
  const parts = typeof content === "string" ? [{ text: content }] : content;
  sent += 1;
  return { message: { messageId: `m-${sent}`, role: "ROLE_USER", parts, ...more }, ...rest };
}

/** Sends, and gives the task that answers. */
export async function sendForTask(service: Service, given: SendMessageRequest): Promise<Task> {
  const { value } = await service.sendMessage(given, plainCall());
  if (value.task === undefined) throw new Error("answered by a message");
  return value.task;
}

/** All events of a stream. */
export async function collect(stream: EventStream): Promise<StreamResponse[]> {
  const events: StreamResponse[] = [];
  for await (const batch of stream) events.push(...batch.map((event) => event.value));
  return events;
}

/** What kind of event each is, with the state of a status. */
export function shapes(events: readonly StreamResponse[]): string[] {
  return events.map(({ task, message, statusUpdate, artifactUpdate }) => {
    if (task !== undefined) return "task";
    if (message !== undefined) return "message";
    if (statusUpdate !== undefined) return statusUpdate.status.state.replace("TASK_STATE_", "");
    return `artifact ${artifactUpdate?.artifact.name ?? ""}`;
  });
}

/** The texts of some messages. */
export function texts(messages: readonly Message[] | undefined): string[] {
  return (messages ?? []).map(({ parts }) => parts.map((part) => part.text ?? "").join(""));
}

/** Metadata as tests write it. */
export type Metadata = JsonObject;
