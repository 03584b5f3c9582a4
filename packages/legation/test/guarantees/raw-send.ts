/** One request over the wire, answered once: no client that tries again stands in between. */
import { randomUUID } from "node:crypto";
import type { Part, Task } from "../../src/model/gen/types.ts";

/** What came back: a task, or the reason of an error. */
export interface RawAnswer {
  readonly status: number;
  readonly task: Task | undefined;
  /** `UNAVAILABLE`, `INTERNAL` …; undefined for an answer. */
  readonly reason: string | undefined;
  readonly message: string;
}

/** What is sent. */
export interface RawSend {
  readonly parts: readonly Part[];
  readonly taskId?: string | undefined;
  readonly messageId?: string | undefined;
  /** Default true. */
  readonly returnImmediately?: boolean | undefined;
}

/** Sends one message over JSON-RPC. */
export async function rawSend(url: string, send: RawSend): Promise<RawAnswer> {
  const { parts, taskId, messageId = randomUUID(), returnImmediately = true } = send;
  const message = { messageId, role: "ROLE_USER", parts, ...(taskId === undefined ? {} : { taskId }) };
  return rawCall(url, "SendMessage", { message, configuration: { returnImmediately } });
}

/** Calls one method over JSON-RPC. */
export async function rawCall(url: string, method: string, params: object): Promise<RawAnswer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as {
    readonly result?: { readonly task?: Task } & Partial<Task>;
    readonly error?: { readonly message: string; readonly data?: readonly { readonly reason?: string }[] };
  };
  return {
    status: response.status,
    task: result?.task ?? (result?.id === undefined ? undefined : (result as Task)),
    reason:
      error === undefined ? undefined : (error.data?.find((detail) => detail.reason !== undefined)?.reason ?? "none"),
    message: error?.message ?? "",
  };
}
