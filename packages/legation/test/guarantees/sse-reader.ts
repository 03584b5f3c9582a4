/** A subscriber that survives whatever becomes of its server: it sends, follows, and goes on behind the last event. */
import { setTimeout as sleep } from "node:timers/promises";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { isTerminal } from "../../src/model/task-state.ts";

/** One event as it came over the wire. */
export interface SeenEvent {
  readonly seq: number;
  readonly json: string;
}

/** What a subscriber saw. */
export interface Seen {
  taskId: string | undefined;
  /** Text of the reply of an agent that answers with a message. */
  reply: string | undefined;
  /** Every status and artifact event, in the order in which they came. */
  readonly events: SeenEvent[];
  /** Seq of the first Task of the stream. */
  firstSeq: number;
  state: string;
  /** Seq of the last frame. */
  lastSeq: number;
  /** How often it had to connect anew. */
  connections: number;
}

export interface FollowOptions {
  /** Where to connect the n-th time. */
  readonly url: (connection: number) => string;
  readonly text: string;
  readonly messageId: string;
  /** Told of every event of a task that is sent. */
  readonly webhook?: string | undefined;
  /** A task to subscribe to; absent: the message is sent. */
  readonly taskId?: string;
  /** States that end it, beside the terminal ones. */
  readonly until?: readonly string[];
  readonly giveUpMs?: number;
  readonly onEvent?: (seen: Seen) => void;
  /** What was seen before: it goes on behind that. */
  readonly from?: Seen;
}

const RETRY_MS = 30;

/** Follows until the task has ended. @throws Error when it takes longer than `giveUpMs` (default 40,000) */
export async function follow(options: FollowOptions): Promise<Seen> {
  const seen: Seen = options.from ?? {
    taskId: options.taskId,
    reply: undefined,
    events: [],
    firstSeq: 0,
    lastSeq: 0,
    state: "",
    connections: 0,
  };
  seen.state = "";
  const giveUp = AbortSignal.timeout(options.giveUpMs ?? 40_000);
  let why: unknown;
  while (!isOver(seen, options)) {
    if (giveUp.aborted) throw new Error(`gave up in ${seen.state} after event ${seen.lastSeq}: ${String(why)}`);
    try {
      const url = options.url(seen.connections);
      seen.connections += 1;
      for await (const frame of frames(url, request(options, seen), seen.lastSeq, giveUp)) {
        take(frame, seen);
        options.onEvent?.(seen);
        if (isOver(seen, options)) break;
      }
    } catch (failed) {
      if (failed instanceof OrderViolation) throw failed;
      why = failed;
    }
    if (!isOver(seen, options)) await sleep(RETRY_MS);
  }
  return seen;
}

function isOver(seen: Seen, { until = [] }: FollowOptions): boolean {
  return seen.reply !== undefined || until.includes(seen.state) || isTerminal(seen.state as "TASK_STATE_COMPLETED");
}

/** An event came twice, or out of its order. */
export class OrderViolation extends Error {}

interface Frame {
  readonly id: number | undefined;
  readonly result: StreamResponse;
  readonly json: string;
}

function take(frame: Frame, seen: Seen): void {
  const last = seen.lastSeq;
  const { task, message, statusUpdate, artifactUpdate } = frame.result;
  if (message !== undefined) seen.reply = message.parts.map((part) => part.text ?? "").join("");
  if (frame.id === undefined) return;
  if (task !== undefined) {
    if (last > 0 && frame.id !== last)
      throw new OrderViolation(`resumed behind ${last} and got the Task of ${frame.id}`);
    // Behind the last event it tells what was seen already.
    if (last > 0) return;
    seen.firstSeq = frame.id;
    seen.lastSeq = frame.id;
    seen.taskId = task.id;
    seen.state = task.status.state;
    return;
  }
  if (frame.id <= last) throw new OrderViolation(`event ${frame.id} came behind ${last}`);
  seen.lastSeq = frame.id;
  seen.events.push({ seq: frame.id, json: frame.json });
  seen.taskId = statusUpdate?.taskId ?? artifactUpdate?.taskId ?? seen.taskId;
  seen.state = statusUpdate?.status.state ?? seen.state;
}

function request({ text, messageId, webhook }: FollowOptions, seen: Seen): object {
  if (seen.taskId !== undefined) {
    return { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: seen.taskId } };
  }
  const message = { messageId, role: "ROLE_USER", parts: [{ text }] };
  const configuration = webhook === undefined ? undefined : { taskPushNotificationConfig: { url: webhook } };
  return { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: { message, configuration } };
}

async function* frames(url: string, body: object, last: number, signal: AbortSignal): AsyncGenerator<Frame> {
  const response = await fetch(url, {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "a2a-version": "1.0",
      ...(last > 0 ? { "last-event-id": String(last) } : {}),
    },
    body: JSON.stringify(body),
  });
  if (response.body === null) throw new Error(`no body, status ${response.status}`);
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    throw new Error(await response.text());
  }
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    rest += piece;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const frame = parse(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (frame !== undefined) yield frame;
    }
  }
}

function parse(text: string): Frame | undefined {
  const id = /^id: ?(\d+)$/m.exec(text)?.[1];
  const data = /^data: ?(.*)$/m.exec(text)?.[1];
  if (data === undefined) return undefined;
  const { result, error } = JSON.parse(data) as { readonly result?: StreamResponse; readonly error?: unknown };
  if (result === undefined) throw new Error(JSON.stringify(error));
  return { id: id === undefined ? undefined : Number(id), result, json: JSON.stringify(result) };
}
