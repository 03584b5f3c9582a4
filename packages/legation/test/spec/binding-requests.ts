/** Requests as raw as a test wants them, handed to a handler without a socket. */

import type { HttpHandler } from "../../src/bindings/http/exchange.ts";
import { createFetchHandler } from "../../src/bindings/http/fetch.ts";

/** What came back. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any shape and fail on a wrong one
  readonly json: any;
}

/** Sends a request with the version header unless `headers` says otherwise; a header set to "" is left out. */
export async function ask(
  handler: HttpHandler,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [verb = "POST", path = "/"] = target.split(" ");
  const all: Record<string, string> = {
    "a2a-version": "1.0",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) if (value === "") delete all[name];
  const payload =
    body === undefined
      ? null
      : typeof body === "string"
        ? new TextEncoder().encode(body)
        : body instanceof Uint8Array
          ? body
          : new TextEncoder().encode(JSON.stringify(body));
  const response = await createFetchHandler(handler)(
    new Request(`http://agent.example${path}`, { method: verb, headers: all, body: payload as BodyInit | null }),
  );
  if (response === undefined) throw new Error(`${target} is not taken`);
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text, json };
}

/** A JSON-RPC request. */
export function rpc(method: string, params?: unknown, id: unknown = 1): Record<string, unknown> {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}
