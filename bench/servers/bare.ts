/**
 * The limit: node:http alone. It parses the body that ours gets and writes the bytes that ours wrote, and knows
 * neither the protocol nor a task.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type BareGrpcAnswer, lastMessageLength, serveBareGrpc } from "./bare-grpc.ts";
import { nextTurn } from "./behaviour.ts";
import { Gate, serveControls, usedBytes } from "./control.ts";

/** What ours answered: once, to be given again to every request. */
export interface BareAnswer {
  /** Names and values in turn, without those that node writes itself. */
  readonly headers: readonly string[];
  /** The whole body of an answer that is no stream. */
  readonly body?: string | undefined;
  readonly stream?: BareStream | undefined;
}

/** A stream as ours wrote it. */
export interface BareStream {
  readonly frames: readonly string[];
  /** Frames written in one turn of the loop; 0 is all of them. */
  readonly perTurn: number;
  /** How many frames are written at once at the beginning; then it waits to be told to go. */
  readonly gateAfter?: number | undefined;
}

const gate = new Gate();
let answer: BareAnswer = { headers: [], body: "" };

async function writeFrames(response: ServerResponse, { frames, perTurn, gateAfter }: BareStream): Promise<void> {
  let next = 0;
  if (gateAfter !== undefined) {
    for (; next < gateAfter; next++) response.write(frames[next] ?? "");
    await gate.passed();
  }
  for (let written = 0; next < frames.length; next++, written++) {
    if (perTurn > 0 && written % perTurn === 0) await nextTurn();
    response.write(frames[next] ?? "");
  }
  response.end();
}

function respond(response: ServerResponse): void {
  const { headers, body, stream } = answer;
  if (stream !== undefined) {
    response.writeHead(200, [...headers]);
    void writeFrames(response, stream);
    return;
  }
  const text = body ?? "";
  response.writeHead(200, [...headers, "content-length", String(Buffer.byteLength(text))]);
  response.end(text);
}

/** What the last request said; kept so that no parse is dead code. */
let parsed: unknown;
let received = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    respond(response);
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received += 1;
    parsed = JSON.parse(chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks)));
    respond(response);
  });
});

server.listen(0, "127.0.0.1", () => {
  serveControls((server.address() as AddressInfo).port, {
    answer: (input) => {
      answer = input as BareAnswer;
    },
    go: () => gate.open(),
    usedBytes,
    parsed: () => parsed,
    received: () => received,
    grpc: (input) => serveBareGrpc(input as BareGrpcAnswer),
    lastMessageLength,
  });
});
