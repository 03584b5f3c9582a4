/** A host whose agent pushes to webhooks on loopback, with retries that come soon. */
import { type Client, connect } from "../../src/client/index.ts";
import type { PushSettings } from "../../src/engine/push-options.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import type { ServePush } from "../../src/hosts/node/serve-push.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";

/** Retries after at most 20 ms, always. */
export const SOON: Partial<PushSettings> = { retryMs: 20, retryFactor: 1, timeoutMs: 400 };

export type Handler = NonNullable<AgentOptions["onTask"]>;

/** An artifact, a text, an artifact, the end: what {@link WORK_EVENTS} says in short. */
export const WORK: Handler = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  await task.working("half");
  await task.artifact("b.txt", { text: "two" });
  return "done";
};

export const WORK_EVENTS: readonly string[] = ["task:SUBMITTED", "WORKING", "a.txt", "WORKING", "b.txt", "COMPLETED"];

/** The host with a client of it. */
export interface PushingHost extends AsyncDisposable {
  readonly host: Host;
  readonly client: Client;
}

/** Serves one agent that may call loopback. */
export async function pushingHost(
  onTask: Handler = WORK,
  push: ServePush = {},
  options: ServeOptions = {},
): Promise<PushingHost> {
  const agent = createAgent({ name: "pusher", description: "For tests of webhooks.", version: "1.0.0", onTask });
  const wired = { allow: ["127.0.0.0/8"], ...push, settings: { ...SOON, ...push.settings } };
  const host = await serve(agent, { log: false, grpc: false, push: wired, ...options });
  const client = await connect(host.url);
  return {
    host,
    client,
    async [Symbol.asyncDispose]() {
      await host.close({ graceMs: 0 });
    },
  };
}
