/**
 * Writes a neutral response to node:http: head and body in one write, a stream with back-pressure.
 *
 * States of a stream: writing (a piece was handed to the socket) → waiting (the socket is full, until `drain`) or
 * pulling (the next piece is asked for). It is left when the body ends, when the caller goes away (`close`: the
 * iterator is returned) and when the host says goodbye. No timer runs here.
 */
import type { ServerResponse } from "node:http";
import type { HttpResponse } from "../../bindings/http/exchange.ts";
import type { StreamBody } from "./chunked-body.ts";

/** From so many characters on a body becomes bytes in one turn of the loop and is written in the next. */
const LARGE = 1_048_576;

/**
 * Writes a response that has no stream.
 *
 * @param closing true adds `Connection: close`
 */
export function writePlain(target: ServerResponse, response: HttpResponse, closing: boolean): void {
  const { body = "" } = response;
  const head = headOf(response);
  const bytes = body.length < LARGE ? undefined : Buffer.from(body);
  // 204 has no body and must not announce one.
  if (response.status !== 204) head.push("content-length", String(bytes?.length ?? Buffer.byteLength(body)));
  if (closing) head.push("connection", "close");
  target.writeHead(response.status, head);
  // A string goes out in one write together with the head; a HEAD request gets the head alone.
  if (body === "" || target.req.method === "HEAD") target.end();
  else if (bytes === undefined) target.end(body);
  else setImmediate(() => target.end(bytes));
}

function headOf({ headers }: HttpResponse): string[] {
  const head: string[] = [];
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) head.push(name, headerValue(value));
  }
  return head;
}

// A control character would make node throw, and a value that came from elsewhere must not break an answer.
function headerValue(value: string): string {
  return /[^\t\x20-\x7e\x80-\xff]/.test(value) ? value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?") : value;
}

/** A stream that is being written. */
export interface OpenStream {
  /** Resolves when nothing more will be written. Never rejects. */
  readonly done: Promise<void>;
  /** Ends the stream with the binding's last words. */
  goodbye(): void;
}

/** Starts to write a streamed response; the head goes out together with the first piece. */
export function writeStream(
  target: ServerResponse,
  response: HttpResponse & { readonly stream: AsyncIterable<string> },
  body: StreamBody,
): OpenStream {
  const pieces = response.stream[Symbol.asyncIterator]();
  let open = true;
  const finish = (): void => {
    if (!open) return;
    open = false;
    pieces.return?.().catch(() => undefined);
  };
  target.on("close", finish);
  target.writeHead(response.status, [...headOf(response), ...body.head]);
  body.begin();
  const done = pump({ target, body, pieces, isOpen: () => open }).finally(() => {
    finish();
    if (!target.writableEnded && !target.destroyed) body.end();
  });
  return {
    done,
    goodbye() {
      if (!open || target.destroyed) return;
      const last = response.goodbye?.();
      finish();
      body.end(last);
    },
  };
}

interface Pumping {
  readonly target: ServerResponse;
  readonly body: StreamBody;
  readonly pieces: AsyncIterator<string>;
  readonly isOpen: () => boolean;
}

async function pump({ target, body, pieces, isOpen }: Pumping): Promise<void> {
  try {
    while (isOpen()) {
      const piece = await pieces.next();
      if (piece.done === true || !isOpen() || target.destroyed) return;
      if (piece.value !== "" && !body.write(piece.value)) await drained(target);
    }
  } catch {
    // A binding says in its own frame what went wrong; a body that fails beyond that is cut, so that the other side
    // does not take it for whole.
    target.destroy();
  }
}

function drained(target: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      target.off("drain", settle);
      target.off("close", settle);
      resolve();
    };
    target.on("drain", settle);
    target.on("close", settle);
  });
}
