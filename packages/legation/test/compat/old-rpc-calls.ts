/** Calls of the gRPC of v0.3 over the raw wire, by the codec of its proto. */
import assert from "node:assert/strict";
import { createTableCodec } from "../../src/bindings/grpc/table-codec.ts";
import { OLD_RPC } from "../../src/compat/v0_3/gen/old-rpc.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import type { Loose } from "../../src/model/notes.ts";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { callRaw, type RawAnswer, type RawOptions } from "../grpc/raw-call.ts";

/** What works on a task. */
export type Handler = NonNullable<AgentOptions["onTask"]>;

const codec = createTableCodec(OLD_RPC);
const PATH = "/a2a.v1.A2AService/";

/** What a call ended with, its messages in the form of ProtoJSON. */
export interface Answer {
  readonly status: number;
  readonly message: string;
  readonly reason: unknown;
  readonly messages: readonly Loose[];
  readonly raw: RawAnswer;
}

/** An agent that is served, and calls of its service of 0.3. */
export interface Old {
  readonly host: Host;
  call(rpc: string, request: object, options?: RawOptions): Promise<Answer>;
  /** The one message of a call that must go well. */
  good(rpc: string, request: object): Promise<Loose>;
}

/** One call of a method of a2a.v1; without a version, as its callers do. */
export async function call(
  url: string,
  rpc: string,
  request: object | Buffer,
  options: RawOptions = {},
): Promise<Answer> {
  const row = OLD_RPC.methods[rpc];
  const bytes = Buffer.isBuffer(request) ? request : codec.write(row?.request ?? "Empty", request, false);
  const headers = { "a2a-version": "", ...options.headers };
  const raw = await callRaw(url, PATH + rpc, bytes, { ...options, headers });
  const { details } = (raw.details ?? { details: [] }) as { details: { reason?: unknown }[] };
  return {
    status: raw.status,
    message: raw.message,
    reason: details[0]?.reason,
    messages: raw.messages.map((each) => codec.read(row?.answer ?? "Empty", each)),
    raw,
  };
}

/** An agent that does nothing else. */
export function agentWith(onTask: Handler, more: Partial<AgentOptions> = {}): Agent {
  return createAgent({ name: "Old", description: "d", version: "1.0.0", onTask, ...more });
}

/** Finishes with an artifact. */
export const finish: Handler = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  return "done";
};

/** Serves an agent in both versions. */
export async function onOld(
  agent: Agent,
  body: (old: Old) => Promise<void>,
  options: ServeOptions = {},
): Promise<void> {
  const push = { allow: ["127.0.0.0/8"] };
  await using host = await serve(agent, { log: false, compat: v0_3(), push, ...options });
  const callHere: Old["call"] = (rpc, request, rest) => call(host.url, rpc, request, rest);
  await body({
    host,
    call: callHere,
    async good(rpc, request) {
      const { status, message, messages } = await callHere(rpc, request);
      assert.equal(status, 0, message);
      assert.equal(messages.length, 1);
      return messages[0] ?? {};
    },
  });
}

let sent = 0;

/** A SendMessageRequest with an id of its own. */
export function send(text: string, configuration: object = { blocking: true }, more: object = {}): object {
  sent += 1;
  const message = { messageId: `g-${sent}`, role: "ROLE_USER", content: [{ text }], ...more };
  return { message, configuration };
}

/** The state of a task or of an update. */
export const stateOf = (holder: unknown): unknown => ((holder as Loose)["status"] as Loose)["state"];
