/** The faults of {@link withFaults} over gRPC: done to the frames and the connection, below the handler of calls. */
import type { ServerHttp2Stream } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import type { GrpcHandler } from "../bindings/grpc/handler.ts";
import { methodOfPath } from "../bindings/grpc/names.ts";
import { ServerCall } from "../bindings/grpc/server-call.ts";
import { A2AError } from "../operations/errors.ts";
import { METHODS } from "../operations/methods.ts";
import { wholeFrames } from "./grpc-frames.ts";
import { FAULT_HEADER, type Fault, type FaultOptions, faultsIn } from "./rehearsal-faults.ts";

/**
 * Wraps a handler so that its answers suffer the faults. A cut ends the whole connection, as it does over HTTP, with
 * every call on it; the plain answer to a message breaks off in its middle. Other plain answers stay whole, for over gRPC
 * a stream has no event ids and is taken up again by reading the task. Health and reflection are left alone.
 */
export function withGrpcFaults(handler: GrpcHandler, { faults, byHeader }: FaultOptions): GrpcHandler {
  let refused = 0;
  return {
    stop: () => handler.stop(),
    handle(stream, headers) {
      const method = methodOfPath(headers[":path"] ?? "");
      const asked = byHeader ? faultsIn(String(headers[FAULT_HEADER] ?? "")) : [];
      const all = [...faults, ...asked];
      if (method === undefined || all.length === 0) {
        handler.handle(stream, headers);
        return;
      }
      for (const fault of all) {
        // Metadata ask for this call alone; the switch for the first ones of the process.
        if (fault.kind === "5xx" && (asked.includes(fault) || refused++ < fault.requests)) {
          new ServerCall(stream, headers).fail(new A2AError("UNAVAILABLE", "unavailable on purpose"));
          return;
        }
      }
      const isStream = METHODS[method].kind === "stream";
      const suffered = isStream || method === "SendMessage" ? all : all.filter(({ kind }) => kind === "delay");
      new FaultyAnswer(stream, isStream, suffered).begin();
      handler.handle(stream, headers);
    },
  };
}

/** What was written reaches the caller before the connection goes. */
const FLUSH_MS = 30;

class FaultyAnswer {
  readonly #stream: ServerHttp2Stream;
  readonly #isStream: boolean;
  readonly #faults: readonly Fault[];
  readonly #write: (piece: Buffer) => boolean;
  readonly #end: () => void;
  #queue: Promise<void> = Promise.resolve();
  #count = 0;
  #isOver = false;

  constructor(stream: ServerHttp2Stream, isStream: boolean, faults: readonly Fault[]) {
    this.#stream = stream;
    this.#isStream = isStream;
    this.#faults = faults;
    this.#write = stream.write.bind(stream);
    this.#end = stream.end.bind(stream);
  }

  /** From now on what is written to the stream goes through here. */
  begin(): void {
    const stream = this.#stream;
    const write = (piece: Buffer): boolean => {
      this.#then(async () => {
        await this.#send(piece);
        stream.emit("drain");
      });
      // Whoever writes waits for the event, so that a delay holds the source back and nothing piles up here.
      return false;
    };
    const end = (piece?: Buffer): ServerHttp2Stream => {
      this.#then(async () => {
        if (piece !== undefined) await this.#send(piece);
        if (!this.#isOver) this.#end();
      });
      return stream;
    };
    stream.write = write as typeof stream.write;
    stream.end = end as typeof stream.end;
  }

  #then(work: () => Promise<void>): void {
    this.#queue = this.#queue.then(work);
  }

  async #send(piece: Buffer): Promise<void> {
    for (const frame of wholeFrames(piece)) {
      for (const fault of this.#faults) {
        if (this.#isOver || this.#stream.destroyed) return;
        await this.#suffer(fault, frame);
      }
      if (this.#isOver || this.#stream.destroyed) return;
      this.#write(frame);
      if (this.#isStream && this.#faults.some(({ kind }) => kind === "duplicate")) this.#write(frame);
      this.#count += 1;
    }
  }

  async #suffer(fault: Fault, frame: Buffer): Promise<void> {
    if (fault.kind === "delay") await sleep(fault.ms);
    if (fault.kind !== "cut" && fault.kind !== "truncate" && fault.kind !== "end") return;
    if (this.#isStream ? this.#count < fault.after : fault.kind === "end") return;
    this.#isOver = true;
    if (fault.kind === "end") {
      this.#end();
      return;
    }
    // A plain answer is one frame: whichever way it breaks, it breaks off in its middle.
    if (fault.kind === "truncate" || !this.#isStream) this.#write(frame.subarray(0, Math.ceil(frame.length / 2)));
    await sleep(FLUSH_MS);
    this.#stream.session?.destroy();
  }
}
