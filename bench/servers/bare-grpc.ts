/** The limit of gRPC: node:http2 alone. It reads the frame that ours gets and writes the bytes that ours wrote. */
import { createServer, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { nextTurn } from "./behaviour.ts";

/** What ours answered: once, to be given again to every call. */
export interface BareGrpcAnswer {
  /** Messages in their frames, base64. */
  readonly frames: readonly string[];
  /** Frames written in one turn of the loop; 0 is all of them. */
  readonly perTurn: number;
}

let frames: readonly Buffer[] = [];
let perTurn = 0;

/** Length of the last message; kept so that no read is dead code. */
let lastLength = 0;

async function respond(stream: ServerHttp2Stream): Promise<void> {
  stream.respond({ ":status": 200, "content-type": "application/grpc+proto" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
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
