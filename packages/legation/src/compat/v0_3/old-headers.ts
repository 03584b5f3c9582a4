/** The headers of a call of 0.3, and what its answer says in headers. */
import type { FetchResponse } from "../../bindings/http/outgoing.ts";
import { callHeaders, noteExtensions, type TransportOptions } from "../../bindings/http/transport.ts";
import type { Call } from "../../operations/call.ts";
import { encodeExtensions, parseExtensions } from "../../operations/extensions.ts";
import { OLD_VERSION } from "./old-words.ts";

/**
 * The headers of a call. The version is said, for an agent of both would take silence for 0.3 and say so in its log;
 * extensions are asked for under the name of 0.3 and under that of 1.0.
 */
export async function oldHeaders(
  options: TransportOptions,
  call: Call,
  more: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { extensions } = call;
  const old = extensions.length === 0 ? {} : { "x-a2a-extensions": encodeExtensions(extensions) };
  return callHeaders(options, { ...call, version: OLD_VERSION }, { ...more, ...old });
}

/** Notes which extensions are active, by either name of the header. */
export function noteOldExtensions(response: FetchResponse, call: Call): void {
  noteExtensions(response, call);
  const header = response.headers.get("x-a2a-extensions");
  if (call.activeExtensions === undefined && header !== null) call.activeExtensions = parseExtensions(header);
}
