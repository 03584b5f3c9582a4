/** The bytes of requests, the same for every server but for the path below which it stands. */
import type { StreamPlan } from "../servers/behaviour.ts";
import type { Contender } from "../servers/server-process.ts";

/** How the operation is called. */
export type Binding = "jsonrpc" | "rest";

let messages = 0;

/** A message id that no request had before; all are of one length. */
function newMessageId(): string {
  messages += 1;
  return `message-${process.pid.toString(36)}-${String(messages).padStart(9, "0")}`;
}

/** What a message says, and where it belongs. */
export interface SendInput {
  readonly text: string;
  readonly taskId?: string | undefined;
  /** Left out of the answer when 0. */
  readonly historyLength?: number | undefined;
  readonly returnImmediately?: boolean | undefined;
  /** Told of every event of the task. */
  readonly webhook?: string | undefined;
}

/** A send, streamed or not. */
export function sendRequest(
  contender: Contender,
  binding: Binding,
  method: "SendMessage" | "SendStreamingMessage",
  { text, taskId, historyLength, returnImmediately, webhook }: SendInput,
): string {
  const message = { messageId: newMessageId(), role: "ROLE_USER", taskId, parts: [{ text }] };
  const taskPushNotificationConfig = webhook === undefined ? undefined : { url: webhook };
  const params = { message, configuration: { historyLength, returnImmediately, taskPushNotificationConfig } };
  if (binding === "rest") {
    const path = method === "SendMessage" ? "/message:send" : "/message:stream";
    return post(restRoot(contender) + path, "application/json", JSON.stringify(params));
  }
  return rpc(method, params);
}

/** A call by JSON-RPC. */
export function rpc(method: string, params: object): string {
  return post("/", "application/json", JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
}

/** A call by path alone. */
export function get(contender: Contender, path: string): string {
  return `GET ${restRoot(contender)}${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\n\r\n`;
}

/** A plan as the text of a message. */
export function planText(plan: StreamPlan): string {
  return JSON.stringify(plan);
}

function restRoot(contender: Contender): string {
  return contender === "sdk" ? "/rest" : "";
}

function post(path: string, type: string, body: string): string {
  const bytes = Buffer.byteLength(body);
  return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n${body}`;
}
