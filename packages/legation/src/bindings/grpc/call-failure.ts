/** Says what happened to a call: an error of the agent, or of the way to it. */
import type { ServiceError } from "@grpc/grpc-js";
import { A2AError, LocalError } from "../../operations/errors.ts";
import { connectionError, shown } from "../http/outgoing.ts";
import { decodeStatus, STATUS, type StatusReader } from "./errors.ts";

/**
 * The error for a call that ended with a status other than OK.
 *
 * The library says UNAVAILABLE of an agent that is not there as well as of one that says so itself; what the agent says
 * has details, what the library says has known words.
 *
 * @param url the address as the card has it
 * @param signal of the call
 * @param read tells which error a status without details means, before the rules of 1.0 do
 */
export function callFailure(
  error: ServiceError,
  {
    url,
    signal,
    read,
  }: { readonly url: string; readonly signal: AbortSignal | undefined; readonly read?: StatusReader | undefined },
): A2AError | LocalError {
  if (signal?.aborted === true) return connectionError(error, url, signal);
  const { code, details: message, metadata } = error;
  const [details] = metadata.get("grpc-status-details-bin");
  const [challenge] = metadata.get("www-authenticate");
  if (details === undefined) {
    const local = localFailure(code, message, url);
    if (local !== undefined) return local;
  }
  return decodeStatus(
    {
      code,
      message,
      details: typeof details === "object" ? details : undefined,
      challenge: typeof challenge === "string" ? challenge : undefined,
    },
    read,
  );
}

function localFailure(code: number, message: string, url: string): A2AError | LocalError | undefined {
  const metadata = { url: shown(url) };
  const http = /^Received HTTP status code (\d+)/.exec(message)?.[1];
  if (http !== undefined) {
    return new LocalError(
      "NOT_AN_AGENT",
      `${shown(url)} answered HTTP ${http}, not as a gRPC server does; check the GRPC interface of the card`,
      { metadata: { ...metadata, status: http } },
    );
  }
  switch (code) {
    case STATUS.DEADLINE_EXCEEDED:
      return new LocalError("TIMEOUT", `the call to ${shown(url)} timed out`, { metadata });
    case STATUS.RESOURCE_EXHAUSTED:
      if (!message.startsWith("Received message larger")) return undefined;
      return new A2AError("INVALID_AGENT_RESPONSE", `${shown(url)} answered with more than the limit: ${message}`);
    case STATUS.UNAVAILABLE:
      return unreachable(message, url);
    case STATUS.CANCELLED:
    case STATUS.INTERNAL:
    case STATUS.UNKNOWN:
      // The connection or the stream was cut; nobody said why.
      return /RST_STREAM|ECONNRESET|Connection dropped|socket hang up|cancelled|Stream/i.test(message)
        ? lost(message, url)
        : undefined;
    default:
      return undefined;
  }
}

function unreachable(message: string, url: string): LocalError | undefined {
  if (/^Name resolution failed/i.test(message)) return nothingSent("ENOTFOUND", "the host name does not resolve", url);
  if (!/^No connection established/i.test(message)) {
    return /ECONNRESET|EPIPE|Connection dropped|GOAWAY|RST_STREAM|closed/i.test(message)
      ? lost(message, url)
      : undefined;
  }
  const cause = /\b(E[A-Z]{4,}|ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*|SELF_SIGNED[A-Z_]*)\b/.exec(message)?.[1];
  if (cause === "ECONNREFUSED")
    return nothingSent(cause, "nothing listens there (ECONNREFUSED); is the agent running?", url);
  if (/certificate|altname|SSL|TLS|CERT/i.test(message))
    return nothingSent(
      cause ?? "CERT",
      `its certificate is refused, or it does not speak TLS (${message.slice(0, 200)})`,
      url,
    );
  return nothingSent(cause ?? "", `the connection failed${cause === undefined ? "" : ` (${cause})`}`, url);
}

function nothingSent(cause: string, what: string, url: string): LocalError {
  return new LocalError("UNREACHABLE", `${shown(url)} cannot be reached: ${what}`, {
    metadata: { url: shown(url), cause, sent: "no" },
  });
}

function lost(message: string, url: string): LocalError {
  return new LocalError("UNREACHABLE", `the connection to ${shown(url)} was lost`, {
    metadata: { url: shown(url), cause: message.slice(0, 200), sent: "unknown" },
  });
}
