/** The limit of gRPC: node:http2 alone. It reads the frame that ours gets and writes the bytes that ours wrote. */
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { chunkText, nextTurn, type StreamPlan } from "./behaviour.ts";

/** What ours answered: once, to be given again to every call. */
export interface BareGrpcAnswer {
  /** Messages in their frames, base64. */
  readonly frames: readonly string[];
  /** Frames written in one turn of the loop; 0 is all of them. */
  readonly perTurn: number;
  /** Set: the chunks among the frames are not given again but made by a handler, in one go. */
  readonly says?: StreamPlan | undefined;
}

let frames: readonly Buffer[] = [];
let perTurn = 0;
let speech: Speech | undefined;

/** A stream whose chunks a handler says: what stands before and behind their texts, and the frames around them. */
interface Speech {
  readonly plan: StreamPlan;
  readonly before: string;
  readonly head: string;
  readonly tail: string;
  readonly after: string;
}

/** What the handlers said, as JSON for a log: kept as a snapshot of each task is. */
const logs: string[] = [];

/** @throws Error for frames in which the chunks of the plan are not found */
function speechOf(plan: StreamPlan): Speech {
  const texts = frames.map((frame) => frame.toString("latin1"));
  const isOf =
    (index: number) =>
    (frame: string): boolean =>
      frame.includes(chunkText(plan, index));
  // The first text comes with what begins the artifact: the second is a chunk like all others.
  const [first, last] = [texts.findIndex(isOf(1)), texts.findIndex(isOf(plan.chunks - 1))];
  const frame = texts[first];
  if (frame === undefined || last - first !== plan.chunks - 2) throw new Error("these frames hold no such chunks");
  const [head = "", tail = ""] = frame.split(chunkText(plan, 1));
  return { plan, before: texts.slice(0, first).join(""), head, tail, after: texts.slice(last + 1).join("") };
}

/** The least that a server does whose handler speaks: the text, a wait for each, JSON for a log, a frame; one write. */
async function speak(stream: ServerHttp2Stream, { plan, before, head, tail, after }: Speech): Promise<void> {
  const log: string[] = [];
  let bytes = before;
  const say = async (text: string): Promise<void> => {
    log.push(`{"text":${JSON.stringify(text)}}`);
    bytes += head + text + tail;
  };
  for (let index = 1; index < plan.chunks; index++) await say(chunkText(plan, index));
  logs.push(log.join());
  stream.end(Buffer.from(bytes + after, "latin1"));
}

/** Length of the last message; kept so that no read is dead code. */
let lastLength = 0;

async function respond(stream: ServerHttp2Stream): Promise<void> {
  stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  if (speech !== undefined) {
    await speak(stream, speech);
    return;
  }
  const last = frames.length - 1;
  for (let index = 0; index < last; index++) {
    if (perTurn > 0 && index % perTurn === 0) await nextTurn();
    stream.write(frames[index]);
  }
  stream.end(frames[last]);
}

/** Listens on a port of its own, and gives it. */
export function serveBareGrpc(answer: BareGrpcAnswer): Promise<number> {
  frames = answer.frames.map((text) => Buffer.from(text, "base64"));
  ({ perTurn } = answer);
  speech = answer.says === undefined ? undefined : speechOf(answer.says);
  const server = createServer();
  server.on("stream", (stream) => {
    // Without it a process ends at the first caller that resets its stream.
    stream.on("error", () => undefined);
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      const body = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      lastLength = body.readUInt32BE(1);
      void respond(stream);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

/** Length of the message that came last. */
export function lastMessageLength(): number {
  return lastLength;
}
