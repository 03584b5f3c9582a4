// A scripted agent behind the Service interface, without a socket: it plays a log of events and breaks where it is told.

import type { Client } from "../../src/client/client.ts";
import type { ClientClock } from "../../src/client/client-clock.ts";
import { type ConnectOptions, connect } from "../../src/client/connect.ts";
import type { RunEvent } from "../../src/client/run-event.ts";
import { applyStreamResponse } from "../../src/model/apply-stream-response.ts";
import type { AgentCard, StreamResponse, Task } from "../../src/model/gen/types.ts";
import type { Call } from "../../src/operations/call.ts";
import { A2AError, LocalError, taskNotFound } from "../../src/operations/errors.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import type { EventStream, Service, StreamEvent } from "../../src/operations/service.ts";

export const TERMINAL: RegExp = /COMPLETED|FAILED|CANCELED|REJECTED/;

export function cardOf(overrides: Partial<AgentCard> = {}): AgentCard {
  return {
    name: "Peer",
    description: "Plays a log.",
    version: "1",
    supportedInterfaces: [{ url: "http://peer.test/", protocolBinding: "FAKE", protocolVersion: "1.0" }],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    ...overrides,
  };
}

export function task(state = "WORKING", more: Partial<Task> = {}): StreamResponse {
  return { task: { id: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}` as never }, ...more } };
}

export function status(state: string, text?: string, messageId = `s-${text}`): StreamResponse {
  const message = text === undefined ? {} : { message: { messageId, role: "ROLE_AGENT" as const, parts: [{ text }] } };
  return {
    statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: `TASK_STATE_${state}` as never, ...message } },
  };
}

export function chunk(text: string, append = true, artifactId = "a-1", name?: string): StreamResponse {
  const artifact = { artifactId, parts: [{ text }], ...(name === undefined ? {} : { name }) };
  return { artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact, append } };
}

/** How one connection goes: how many events it carries, and what ends it. */
export interface Connection {
  readonly events: number;
  /** Thrown at the end; undefined is a clean end. */
  readonly error?: unknown;
  /** Events that the task goes on by before the next connection. */
  readonly meanwhile?: number;
}

export interface PeerOptions {
  readonly log: readonly StreamResponse[];
  /** True: events carry ids, and a subscription goes on behind Last-Event-ID. */
  readonly ids?: boolean;
  /** The connections in order; those beyond the list run to the end. */
  readonly connections?: readonly Connection[];
  /** A peer that subscribes without the Task first. */
  readonly withoutSnapshot?: boolean;
  readonly overrides?: (peer: Peer) => Partial<Service>;
}

export interface Peer {
  readonly service: Service;
  readonly calls: { readonly method: string; readonly request: unknown; readonly call: Call }[];
  /** Connections that were closed by the client before their end. */
  readonly closed: number[];
  /** Number of events of the log that have happened. */
  head: number;
  snapshot(upTo?: number): Task;
}

export function lost(): LocalError {
  return new LocalError("STREAM_TRUNCATED", "cut", { cause: new TypeError("terminated") });
}

export function createPeer(options: PeerOptions): Peer {
  const { log, ids = false, connections = [] } = options;
  let opened = 0;
  const snapshot = (upTo = peer.head): Task => {
    let folded: Task | undefined;
    for (const event of log.slice(0, upTo)) folded = applyStreamResponse(folded, structuredClone(event));
    return structuredClone(folded as Task);
  };
  const asOf = (upTo: number): Task => {
    const { artifacts: _, history: __, ...bare } = snapshot(upTo);
    return bare;
  };
  const wrap = (value: StreamResponse, seq: number): StreamEvent => {
    const payload = payloadOfValue(structuredClone(value));
    return ids ? { json: payload.json, value: payload.value, seq } : { json: payload.json, value: payload.value };
  };
  function open(first: StreamEvent | undefined, from: number): EventStream {
    const number = opened++;
    const plan = connections[number] ?? { events: Number.POSITIVE_INFINITY };
    return {
      async *[Symbol.asyncIterator]() {
        let isOver = false;
        try {
          let carried = 0;
          if (first !== undefined && carried < plan.events) {
            carried++;
            yield [first];
          }
          for (let at = from; at < log.length && carried < plan.events; at++, carried++) {
            peer.head = Math.max(peer.head, at + 1);
            yield [wrap(log[at] as StreamResponse, at + 1)];
          }
          isOver = true;
          peer.head = Math.min(log.length, peer.head + (plan.meanwhile ?? 0));
          if (plan.error !== undefined) throw plan.error;
        } finally {
          if (!isOver) peer.closed.push(number);
        }
      },
    };
  }
  const note = (method: string, request: unknown, call: Call): void => {
    peer.calls.push({ method, request, call });
  };
  const service: Partial<Service> = {
    async sendMessage(request, call) {
      note("sendMessage", request, call);
      peer.head = Math.max(peer.head, 1);
      const value = request.configuration?.returnImmediately === true ? snapshot() : snapshot(log.length);
      return payloadOfValue({ task: value });
    },
    async sendStreamingMessage(request, call) {
      note("sendStreamingMessage", request, call);
      return open(undefined, 0);
    },
    async subscribeToTask(request, call) {
      note("subscribeToTask", request, call);
      if (TERMINAL.test(snapshot().status.state)) throw new A2AError("UNSUPPORTED_OPERATION", "task t-1 is over");
      const from = ids && call.lastEventId !== undefined ? call.lastEventId : peer.head;
      if (options.withoutSnapshot === true) return open(undefined, from);
      const bare = ids && call.lastEventId !== undefined;
      return open(wrap({ task: bare ? asOf(from) : snapshot(from) }, from), from);
    },
    async getTask(request, call) {
      note("getTask", request, call);
      if (request.id !== "t-1") throw taskNotFound(request.id);
      const value = snapshot();
      peer.head = Math.min(log.length, peer.head + 1);
      return payloadOfValue(value);
    },
    async cancelTask(request, call) {
      note("cancelTask", request, call);
      return payloadOfValue({ ...snapshot(), status: { state: "TASK_STATE_CANCELED" } });
    },
  };
  const peer: Peer = { service: service as Service, calls: [], closed: [], head: 0, snapshot };
  Object.assign(service, options.overrides?.(peer));
  return peer;
}

/** A clock whose timers fire at once, at the time that they were set to: backoff costs a test nothing. */
export function instantClock(): ClientClock & { readonly waits: number[] } {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    setTimeout(fn, ms) {
      waits.push(ms);
      let isCanceled = false;
      setImmediate(() => {
        if (isCanceled) return;
        now += ms;
        fn();
      });
      return {
        cancel: () => {
          isCanceled = true;
        },
      };
    },
  };
}

/** A client of a peer, over no transport at all. */
export function clientOf(peer: Peer, options: ConnectOptions & { readonly card?: AgentCard } = {}): Promise<Client> {
  const { card = cardOf(), ...rest } = options;
  let id = 0;
  return connect(card, {
    transports: { FAKE: () => peer.service },
    clock: instantClock(),
    random: () => 0.5,
    newId: () => `m-${++id}`,
    ...rest,
  });
}

/** What a consumer has who takes each event at its word. */
export class Screen {
  readonly texts: Map<string, string> = new Map();
  readonly states: string[] = [];
  readonly kinds: string[] = [];

  show(event: RunEvent): void {
    this.kinds.push(event.kind);
    if (event.kind === "artifact") {
      this.texts.set(event.name, (event.append ? (this.texts.get(event.name) ?? "") : "") + event.text);
    } else if (event.kind === "status") this.states.push(event.state);
    else if (event.kind === "task") this.states.push(event.task.state);
  }
}
