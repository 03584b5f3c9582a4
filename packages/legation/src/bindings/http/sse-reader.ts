/**
 * Reads Server-Sent Events from the chunks of a network connection, all events of one chunk as one batch.
 *
 * Line ends of every kind, a byte order mark, comments, several data lines and chunks cut anywhere, inside a UTF-8
 * sequence too, are handled; what is buffered is bounded. An event that the end of the body cuts off is dropped.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
import { A2AError } from "../../operations/errors.ts";

/** One event: `data`, and `id` and `event` where they were sent with it. */
export interface SseMessage {
  readonly data: string;
  readonly id: string | undefined;
  readonly event: string | undefined;
}

/** The longest event in characters: guards against a peer that never ends a line. */
export const DEFAULT_MAX_EVENT_CHARS: number = 64 * 1024 * 1024;

/**
 * Makes a reader for one connection.
 *
 * @param maxEventChars longest event, and longest unfinished line, in characters
 * @returns a function that takes a chunk and gives the events that it completed, often none
 * @throws INVALID_AGENT_RESPONSE, from the function, for bytes that are not UTF-8 and events that are too long
 */
export function createSseReader(
  maxEventChars: number = DEFAULT_MAX_EVENT_CHARS,
): (chunk: Uint8Array) => readonly SseMessage[] {
  // A broken sequence is an error, not a replacement character. Some runtimes drop a byte order mark in every chunk.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let isBegun = false;
  let unfinished = "";
  let endedByCr = false;
  let data: string | undefined;
  let id: string | undefined;
  let event: string | undefined;

  function takeLine(line: string, batch: SseMessage[]): void {
    if (line === "") {
      if (data !== undefined) batch.push({ data, id, event });
      data = id = event = undefined;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (field === "event") event = value === "" ? undefined : value;
    else if (field === "id" && !value.includes("\0")) id = value;
  }

  return (chunk) => {
    let text = decodeChunk(decoder, chunk);
    if (text === "") return [];
    if (!isBegun && text.startsWith("\uFEFF")) text = text.slice(1);
    isBegun = true;
    // The second half of a CRLF that the network has cut.
    if (endedByCr && text.startsWith("\n")) text = text.slice(1);
    endedByCr = text.endsWith("\r");
    const batch: SseMessage[] = [];
    if (text.includes("\r")) text = text.replace(/\r\n?/g, "\n");
    let at = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", at)) {
      takeLine(unfinished + text.slice(at, end), batch);
      unfinished = "";
      at = end + 1;
    }
    // Pieces of one long line are put together when it ends, not one by one: V8 keeps the sum as a rope.
    unfinished += text.slice(at);
    const isTooLong = (part: string | undefined): boolean => part !== undefined && part.length > maxEventChars;
    if (isTooLong(unfinished) || isTooLong(data) || batch.some((message) => isTooLong(message.data)))
      throw new A2AError("INVALID_AGENT_RESPONSE", `the agent sent an event longer than ${maxEventChars} characters`);
    return batch;
  };
}

function decodeChunk(decoder: TextDecoder, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch (cause) {
    throw new A2AError("INVALID_AGENT_RESPONSE", "the agent sent an event stream that is not UTF-8", { cause });
  }
}
