/**
 * Reads Server-Sent Events from the chunks of a network connection, all events of one chunk as one batch.
 *
 * Line ends of every kind, a byte order mark, comments, several data lines and chunks cut anywhere, inside a UTF-8
 * sequence too, are handled; what is buffered is bounded. An event that the end of the body cuts off is dropped.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { A2AError } from "../../operations/errors.ts";

/** One event: `data`, and `id` and `event` where they were sent with it. */
export type SseMessage = EventSourceMessage;

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
  let completed: SseMessage[] = [];
  let tooLong = false;
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: (message) => {
      if (message.data.length > maxEventChars) tooLong = true;
      else completed.push(message);
    },
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") tooLong = true;
    },
  });
  // The byte order mark is the parser's business; a broken sequence is an error, not a replacement character.
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (chunk) => {
    parser.feed(decodeChunk(decoder, chunk));
    if (tooLong)
      throw new A2AError("INVALID_AGENT_RESPONSE", `the agent sent an event longer than ${maxEventChars} characters`);
    const batch = completed;
    completed = [];
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
