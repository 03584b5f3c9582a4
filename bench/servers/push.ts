/**
 * Who calls webhooks, in a process of its own: our outbox over a log that is written already, undici alone with the same
 * headers and bytes, or the sender of the official SDK. Each posts one event after the other to every one of its webhooks.
 */
import { StreamResponse } from "@a2a-js/sdk";
import { DefaultPushNotificationSender, InMemoryPushNotificationStore, ServerCallContext } from "@a2a-js/sdk/server";
import { openStore, serve } from "legation/node";
import { createAgent, type Store } from "legation/server";
import { Agent, request } from "undici";
import { ANSWER } from "./behaviour.ts";
import { serveControls } from "./control.ts";

/** What a sender is asked for. */
export interface PushOrder {
  readonly url: string;
  /** Webhooks, each with a task of its own. */
  readonly hooks: number;
  /** Events to each of them. */
  readonly events: number;
}

/** Prepares an order; what it gives carries the order out, and resolves when every event was answered. */
type Prepare = (order: PushOrder) => Promise<() => Promise<unknown>>;

function eventOf(taskId: string): string {
  const message = { messageId: "m-1", role: "ROLE_AGENT", taskId, parts: [{ text: ANSWER }] };
  const status = { state: "TASK_STATE_WORKING", timestamp: "2026-01-01T00:00:00.000Z", message };
  return JSON.stringify({ statusUpdate: { taskId, contextId: "c-1", status } });
}

async function prepareOurs(): Promise<Prepare> {
  const store: Store = await openStore("memory:");
  const agent = createAgent({ name: "Bench", description: "Pushes.", version: "1.0.0", onTask: () => "done" });
  const host = await serve(agent, { store, log: false, grpc: false, push: { allow: ["127.0.0.0/8"] } });
  const { hooks } = host.engine;
  if (hooks === undefined) throw new Error("nothing calls webhooks");
  const scope = { tenant: "", owner: "", agent: "Bench" };
  const nobody = { epoch: 1, holder: null, leaseUntil: 0, attempts: 0, due: null, held: "for the benchmark" };
  const columns = { ...nobody, state: "TASK_STATE_WORKING", statusTime: 0, agentVersion: "1.0.0", run: "{}" } as const;
  return async ({ url, hooks: count, events }) => {
    const ids = Array.from({ length: count }, () => crypto.randomUUID());
    for (const id of ids) {
      const create = { id, ...scope, contextId: "c-1", createdAt: 0 };
      const created = [{ kind: "created", time: 0, payload: "{}" }] as const;
      await store.commit({ tasks: [{ create, key: 0, seq: 0, epoch: 0, events: created, columns }], replies: [] });
      await hooks.put(scope, id, { url, token: "t" }, "1.0");
      const { key } = (await store.task(id)) ?? { key: 0 };
      const more = Array.from({ length: events }, () => ({ kind: "status", time: 0, payload: eventOf(id) }) as const);
      await store.commit({ tasks: [{ key, seq: 1, epoch: 1, events: more }], replies: [] });
    }
    return async () => {
      for (const id of ids) await hooks.outbox.redrive(id);
      while ((await hooks.outbox.list({ status: "pending", limit: 1 })).entries.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
  };
}

async function prepareBare(): Promise<Prepare> {
  const dispatcher = new Agent();
  return async ({ url, hooks, events }) => {
    const ids = Array.from({ length: hooks }, () => crypto.randomUUID());
    const send = async (id: string): Promise<void> => {
      for (let seq = 0; seq < events; seq++) {
        const headers = { "content-type": "application/a2a+json", "a2a-event-id": `${id}:${seq}` };
        const token = { "x-a2a-notification-token": "t", "a2a-notification-token": "t", "user-agent": "bench" };
        const answer = await request(url, {
          dispatcher,
          method: "POST",
          headers: { ...headers, ...token },
          body: eventOf(id),
        });
        await answer.body.dump();
      }
    };
    return () => Promise.all(ids.map(send));
  };
}

async function prepareSdk(): Promise<Prepare> {
  // It says of every notification that it was sent; that is not what is measured.
  for (const level of ["log", "info", "debug"] as const) console[level] = () => {};
  return async ({ url, hooks, events }) => {
    const context = new ServerCallContext({ requestedVersion: "1.0" });
    const store = new InMemoryPushNotificationStore();
    const sender = new DefaultPushNotificationSender(store);
    const ids = Array.from({ length: hooks }, () => crypto.randomUUID());
    for (const taskId of ids) {
      const config = { tenant: "", id: "h", taskId, url, token: "t", authentication: undefined };
      await store.save(taskId, context, config);
    }
    const send = async (id: string): Promise<void> => {
      for (let seq = 0; seq < events; seq++) {
        await sender.send(StreamResponse.fromJSON(JSON.parse(eventOf(id))), context);
      }
    };
    return () => Promise.all(ids.map(send));
  };
}

const { contender } = JSON.parse(process.argv[2] ?? "{}") as { readonly contender?: string };
const prepare = await (contender === "ours" ? prepareOurs() : contender === "sdk" ? prepareSdk() : prepareBare());
let carryOut: (() => Promise<unknown>) | undefined;

serveControls(0, {
  prepare: async (order) => {
    carryOut = await prepare(order as PushOrder);
  },
  go: async () => {
    await carryOut?.();
  },
});
