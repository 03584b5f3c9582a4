/**
 * The messages of a request: frames of a flag, a length and the message, out of chunks cut anywhere.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
import type { ServerHttp2Stream } from "node:http2";
import { promisify } from "node:util";
import { gunzip, inflate } from "node:zlib";
import { A2AError } from "../../operations/errors.ts";
import { FRAME_HEAD } from "./binary-writer.ts";

/** What `grpc-accept-encoding` says. */
export const ACCEPTED_ENCODINGS = "identity,gzip,deflate";

/** Takes a message of the wrong length or encoding apart from one that is not for us at all. */
export class MessageTooLarge extends Error {
  override readonly name = "MessageTooLarge";
}

const expanders = { gzip: promisify(gunzip), deflate: promisify(inflate) } as const;

/** How the message of a request is read. */
export interface ReadOptions {
  readonly maxBytes: number;
  /** Value of `grpc-encoding`; undefined is identity. */
  readonly encoding: string | undefined;
  /** Told first that all of the request is there, whatever it is worth. */
  onEnd(): void;
}

/** Who is told what came; exactly one of the two, once, or neither where the caller goes away first. */
export interface MessageReceiver {
  /** The message, decompressed. What this throws is given to {@link onFailure}. */
  onMessage(message: Buffer): void;
  /** MessageTooLarge as soon as the length is known; INVALID_REQUEST for none, more than one, or a broken frame. */
  onFailure(thrown: unknown): void;
}

/** Reads a request of one message. */
export function receiveMessage(stream: ServerHttp2Stream, options: ReadOptions, receiver: MessageReceiver): void {
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let bytes = 0;
  let refused = false;
  const refuse = (): void => {
    refused = true;
    first = undefined;
    more = undefined;
    receiver.onFailure(tooLarge(options.maxBytes));
  };
  stream.on("data", (chunk: Buffer) => {
    if (refused) return;
    bytes += chunk.length;
    const isLong = first === undefined && chunk.length >= FRAME_HEAD && chunk.readUInt32BE(1) > options.maxBytes;
    if (isLong || bytes > options.maxBytes + FRAME_HEAD) refuse();
    else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  stream.on("end", () => {
    options.onEnd();
    if (refused) return;
    try {
      const message = unframe(more === undefined ? first : Buffer.concat(more), options);
      if (Buffer.isBuffer(message)) receiver.onMessage(message);
      else message.then((expanded) => receiver.onMessage(expanded)).catch((thrown) => receiver.onFailure(thrown));
    } catch (thrown) {
      receiver.onFailure(thrown);
    }
  });
}

function unframe(whole: Buffer | undefined, options: ReadOptions): Buffer | Promise<Buffer> {
  if (whole === undefined) throw invalid("the request holds no message; send one");
  if (whole.length < FRAME_HEAD) throw invalid("the frame of the message is cut off");
  const length = whole.readUInt32BE(1);
  if (length > options.maxBytes) throw tooLarge(options.maxBytes);
  const end = FRAME_HEAD + length;
  if (whole.length < end)
    throw invalid(`the message is ${length} bytes by its frame, ${whole.length - FRAME_HEAD} came`);
  if (whole.length > end) throw invalid("the request holds more than one message; this method takes one");
  return expand(whole.readUInt8(0), whole.subarray(FRAME_HEAD), options);
}

function expand(flag: number, message: Buffer, { encoding, maxBytes }: ReadOptions): Buffer | Promise<Buffer> {
  if (flag === 0) return message;
  if (flag !== 1) throw invalid(`the flag of the frame is ${flag}; 0 and 1 are defined`);
  const expander = encoding === "gzip" || encoding === "deflate" ? expanders[encoding] : undefined;
  if (expander === undefined) throw invalid("the message is marked as compressed, and grpc-encoding names no method");
  return expander(message, { maxOutputLength: Math.max(1, maxBytes) }).catch((thrown: unknown) => {
    if ((thrown as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(maxBytes);
    throw invalid(`the message is not ${encoding}`);
  });
}

/** Reads a request of any number of messages; those of a method that talks in both directions. Uncompressed only. */
export async function* readMessages(stream: ServerHttp2Stream, maxBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_HEAD) {
      const length = rest.readUInt32BE(1);
      if (length > maxBytes) throw tooLarge(maxBytes);
      if (rest.length < FRAME_HEAD + length) break;
      if (rest[0] !== 0) throw invalid("compressed messages are not read here");
      yield rest.subarray(FRAME_HEAD, FRAME_HEAD + length);
      rest = rest.subarray(FRAME_HEAD + length);
    }
  }
}

function invalid(message: string): A2AError {
  return new A2AError("INVALID_REQUEST", message);
}

function tooLarge(maxBytes: number): MessageTooLarge {
  return new MessageTooLarge(`message is larger than ${maxBytes} bytes, the limit of this agent`);
}
