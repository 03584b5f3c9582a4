/**
 * Faults for tests of clients: what networks and proxies do to answers, done on purpose between the bindings and the
 * host. The task behind it goes on undisturbed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpHandler, HttpResponse } from "../bindings/http/exchange.ts";

/** One fault. Frames are events of a stream; `after` counts those that arrive whole. */
export type Fault =
  /** The connection breaks between two frames. */
  | { readonly kind: "cut"; readonly after: number }
  /** The connection breaks in the middle of a frame. */
  | { readonly kind: "truncate"; readonly after: number }
  /** The stream ends as if all were well, whatever the state of the task. */
  | { readonly kind: "end"; readonly after: number }
  /** Every frame comes twice. */
  | { readonly kind: "duplicate" }
  /** Every answer, and every frame, comes so much later. */
  | { readonly kind: "delay"; readonly ms: number }
  /** So many requests are answered with 503 before the first is served. */
  | { readonly kind: "5xx"; readonly requests: number };

/** The header that asks for a fault on one request, where the host allows it. */
export const FAULT_HEADER = "legation-fault";

/** How each fault is written. */
export const FAULT_FORMS = "cut:<frames> truncate:<frames> end:<frames> duplicate delay:<ms> 5xx:<requests>";

/**
 * Reads `cut:5`, `truncate:5`, `end:5`, `duplicate`, `delay:200` or `5xx:2`; a number that is left out is 1.
 *
 * @returns undefined when it is no fault.
 */
export function parseFault(text: string): Fault | undefined {
  const found = /^([a-z0-9]+)(?::(\d{1,9}))?$/.exec(text.trim());
  const number = Number(found?.[2] ?? 1);
  switch (found?.[1]) {
    case "cut":
    case "truncate":
    case "end":
      return { kind: found[1], after: number };
    case "duplicate":
      return { kind: "duplicate" };
    case "delay":
      return { kind: "delay", ms: number };
    case "5xx":
      return { kind: "5xx", requests: number };
    default:
      return undefined;
  }
}

/** What {@link withFaults} takes. */
export interface FaultOptions {
  /** For every request. */
  readonly faults: readonly Fault[];
  /** Whether a request may ask for more by {@link FAULT_HEADER}. */
  readonly byHeader: boolean;
}

/** Wraps a handler so that its answers suffer the faults. Requests for cards are left alone. */
export function withFaults(handler: HttpHandler, { faults, byHeader }: FaultOptions): HttpHandler {
  let refused = 0;
  return async (request) => {
    if (request.path.includes("/.well-known/")) return handler(request);
    const asked = byHeader ? faultsIn(request.header(FAULT_HEADER) ?? "") : [];
    const all = [...faults, ...asked];
    for (const fault of all) {
      if (fault.kind === "delay") await sleep(fault.ms, undefined, { signal: request.signal }).catch(() => undefined);
      // A header asks for this request alone; the switch for the first ones of the process.
      if (fault.kind === "5xx" && (asked.includes(fault) || refused++ < fault.requests)) return unavailable();
    }
    const response = await handler(request);
    if (response === undefined) return undefined;
    return all.reduce(applyFault, response);
  };
}

/** The faults that a header asks for, separated by commas; what is none is passed over. */
export function faultsIn(header: string): readonly Fault[] {
  return header.split(",").flatMap((text) => parseFault(text) ?? []);
}

function unavailable(): HttpResponse {
  return {
    status: 503,
    headers: { "content-type": "text/plain", "retry-after": "0" },
    body: "unavailable on purpose\n",
  };
}

function applyFault(response: HttpResponse, fault: Fault): HttpResponse {
  const { stream, body, ...head } = response;
  if (stream !== undefined) return { ...head, stream: faultyFrames(frames(stream), fault) };
  if (body === undefined || body === "" || (fault.kind !== "cut" && fault.kind !== "truncate")) return response;
  // A plain answer is one frame: it breaks off in its middle.
  return { ...head, stream: brokenBody(body) };
}

async function* brokenBody(body: string): AsyncGenerator<string> {
  yield body.slice(0, Math.ceil(body.length / 2));
  await cut();
}

/** A socket that is destroyed drops what it has not sent yet; what was to arrive gets the time for it. */
const FLUSH_MS = 30;

async function cut(): Promise<never> {
  await sleep(FLUSH_MS);
  throw new Error("connection cut on purpose");
}

async function* faultyFrames(source: AsyncIterable<string>, fault: Fault): AsyncGenerator<string> {
  let count = 0;
  for await (const frame of source) {
    const isOver = "after" in fault && count >= fault.after;
    if (isOver && fault.kind === "end") return;
    if (isOver && fault.kind === "truncate") yield frame.slice(0, Math.ceil(frame.length / 2));
    if (isOver) await cut();
    if (fault.kind === "delay") await sleep(fault.ms);
    yield frame;
    if (fault.kind === "duplicate") yield frame;
    if (frame.includes("data:")) count += 1;
  }
}

/** A binding may write several frames at once; here each is a piece of its own. */
async function* frames(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const piece of pieces) {
    const parts = (rest + piece).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield `${part}\n\n`;
  }
  if (rest !== "") yield rest;
}
