/** An event stream as it lies on the wire. */
import type { FetchBody } from "../bindings/http/outgoing.ts";
import { createSseReader } from "../bindings/http/sse-reader.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { valueAt } from "./json-path.ts";
import type { BindingName, RawReply } from "./raw-reply.ts";
import { readError, type WireError } from "./wire-error.ts";

/** One event. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
  /** The parsed data; undefined where it is no JSON. */
  readonly json: unknown;
  /** The StreamResponse in it, out of its JSON-RPC envelope; undefined for an error. */
  readonly payload: JsonObject | undefined;
  readonly error: WireError | undefined;
}

/** An open stream. Close it, or read it to its end. */
export interface WireStream {
  readonly status: number;
  header(name: string): string | undefined;
  /** The error that came in the place of a stream. */
  readonly error: WireError | undefined;
  /** True when the answer is an event stream. */
  readonly isStream: boolean;
  /** The next event; undefined at the end of the stream. */
  next(): Promise<Frame | undefined>;
  /** Every event that is still to come. */
  rest(): Promise<readonly Frame[]>;
  /** Ends the connection from this side. */
  close(): Promise<void>;
}

/** What {@link openStream} takes: the head of a response, and its body or the error in it. */
export type StreamSource = {
  readonly binding: BindingName;
  readonly head: Pick<RawReply, "status" | "header">;
} & ({ readonly body: FetchBody | null } | { readonly plain: WireError | null });

/** Begins to read a stream. */
export function openStream(source: StreamSource): WireStream {
  const { head } = source;
  const frames = new FrameReader(source.binding, "body" in source ? source.body : null);
  return {
    status: head.status,
    header: (name) => head.header(name),
    error: "plain" in source ? (source.plain ?? undefined) : undefined,
    isStream: "body" in source,
    next: () => frames.next(),
    async rest() {
      const all: Frame[] = [];
      for (let frame = await frames.next(); frame !== undefined; frame = await frames.next()) all.push(frame);
      return all;
    },
    close: () => frames.close(),
  };
}

/** Not a generator: closing must not wait for an event that never comes. */
class FrameReader {
  readonly #binding: BindingName;
  readonly #reader: ReturnType<FetchBody["getReader"]> | undefined;
  readonly #parse = createSseReader();
  readonly #ready: Frame[] = [];
  #isOver = false;

  constructor(binding: BindingName, body: FetchBody | null) {
    this.#binding = binding;
    this.#reader = body?.getReader();
  }

  async next(): Promise<Frame | undefined> {
    while (this.#ready.length === 0 && !this.#isOver && this.#reader !== undefined) {
      const { done, value } = await this.#reader.read();
      if (done) this.#isOver = true;
      if (value !== undefined) {
        for (const { id, event, data } of this.#parse(value))
          this.#ready.push(frameOf(this.#binding, { id, event, data }));
      }
    }
    return this.#ready.shift();
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#reader?.cancel().catch(() => undefined);
  }
}

function frameOf(binding: BindingName, message: Pick<Frame, "id" | "event" | "data">): Frame {
  let json: unknown;
  try {
    json = JSON.parse(message.data);
  } catch {
    json = undefined;
  }
  const error = readError(binding, json, 200);
  const found = binding === "rest" ? json : valueAt(json, "result");
  return { ...message, json, error, payload: error === undefined && isJsonObject(found) ? found : undefined };
}
