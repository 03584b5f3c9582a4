/**
 * Receives push notifications: believes only what is verified, tells repeated ones from new ones, and says 2xx only when
 * the application has taken an event, so that nothing is lost between two programs that may both die.
 *
 * @see specification §4.3.3, §13.2
 */
import type { StreamResponse, Task } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";
import { parseStreamAnswer } from "../operations/parse-answer.ts";
import type { EventStream } from "../operations/service.ts";
import { type PushFeed, PushQueues } from "./push-feed.ts";
import { KnownSenders, Rates, UnverifiedRates } from "./push-rates.ts";
import { type PushHead, type PushVerification, type ReadHeader, verifyHead } from "./push-verification.ts";

/** One notification that was verified. */
export interface PushNotification {
  readonly taskId: string;
  /** `<task>:<seq>`, the same for every attempt; undefined for agents that do not number their events. */
  readonly eventId: string | undefined;
  /** Position in the log of the task. */
  readonly seq: number | undefined;
  /** What happened. For an agent without numbers, and a receiver that can read tasks: the Task as it stands. */
  readonly event: StreamResponse;
}

/** Which events were taken already. May be a table that all processes of the application share. */
export interface SeenEvents {
  has(eventId: string): boolean | Promise<boolean>;
  add(eventId: string): void | Promise<void>;
}

/** Options of {@link createPushReceiver}. */
export interface PushReceiverOptions {
  /** What has to be right; `"nothing"` believes everybody, for development. */
  readonly verify: PushVerification | "nothing";
  /** Called once per event, in order per task. A rejection makes the agent send it again. */
  readonly onEvent?: ((notification: PushNotification) => void | Promise<void>) | undefined;
  /** Told of an event that was taken before. */
  readonly onDuplicate?: ((notification: PushNotification) => void) | undefined;
  /** Told why a notification was refused; the text holds no secret. */
  readonly onRefused?: ((why: string) => void) | undefined;
  /** Default: the last 10,000, in memory. */
  readonly seen?: SeenEvents | undefined;
  /** True for a task that the application knows of (§4.3.3); others are refused. Default: all are known. */
  readonly expects?: ((taskId: string) => boolean | Promise<boolean>) | undefined;
  /** Reads a task, for agents that do not number their events: what they send may be out of order. */
  readonly refresh?: ((taskId: string) => Promise<Task>) | undefined;
  /** Longest body in bytes; default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /**
   * Notifications per minute that are taken of one sender who is verified; more are answered with 429. Default 6,000. One
   * sender is whoever has the same secret, or signs as the same issuer; with `verify: "nothing"` everybody is one.
   */
  readonly perMinute?: number | undefined;
  /**
   * Requests per minute of one address (IPv6: one /64) whose bodies are read although nothing vouches for them yet; more
   * are answered with 429. Default 300, and 20 times that of all addresses together. What turns out to be right is not
   * counted. Vouched for are secrets that are the same for all tasks, signatures that `createPushVerifier` checks, and
   * secrets looked up by task that were right before (the last 10,000). So a flood without a key, which has no part in
   * `perMinute`, holds up only who was never heard of, or is known by `custom` or a `jwt` check of your own alone: at the
   * address of the flood, and everywhere when it comes from more than twenty.
   */
  readonly unverifiedPerMinute?: number | undefined;
  /**
   * The address of the caller, where a proxy of yours stands in front, such as
   * `(header) => header("x-forwarded-for")?.split(",").at(-1)`. Default: that of the connection; a handler of fetch is told
   * none, and all callers count as one address.
   */
  readonly addressOf?: ((header: (name: string) => string | undefined) => string | undefined) | undefined;
  /** Time in ms from any origin, never set back, by which rates are counted. Default: `performance.now()`. */
  readonly now?: (() => number) | undefined;
}

/** A request as node:http, Express and their like give it. */
export interface NodeRequestLike extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  /** What a body parser has read already; a signature can only be checked over `rawBody`. */
  readonly body?: unknown;
  readonly rawBody?: unknown;
}

/** A response as node:http and its like take it. */
export interface NodeResponseLike {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

/** Receives notifications; give one of its handlers to whatever serves HTTP. */
export interface PushReceiver extends PushFeed {
  /** For runtimes that speak fetch. */
  fetch(request: Request): Promise<Response>;
  /** For node:http, Express and their like. Never rejects. */
  node(request: NodeRequestLike, response: NodeResponseLike): Promise<void>;
}

/** What is answered. */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const MAX_BYTES = 10_485_760;
const PER_MINUTE = 6_000;
const UNVERIFIED_PER_MINUTE = 300;
const REMEMBERED = 10_000;
const TAKEN: Answer = { status: 204 };
/** Everybody, where everybody is believed. */
const ANYBODY: PushHead = { sender: "", credential: undefined, finish: async () => ({}) };
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/**
 * Makes a receiver.
 *
 * An event is taken once per process and `seen`, in the order in which the agent sends them. It is NOT guaranteed that
 * nothing comes twice after a crash of the application between taking an event and answering for it.
 *
 * @see specification §4.3.3
 */
export function createPushReceiver(options: PushReceiverOptions): PushReceiver {
  const intake = new Intake(options);
  const { maxBytes = MAX_BYTES } = options;
  return {
    async fetch(request) {
      const header: ReadHeader = (name) => request.headers.get(name) ?? undefined;
      const read = (): Promise<string | undefined> => readBody(request.body ?? [], maxBytes);
      const { status, headers } = await intake.answer({ method: request.method, address: undefined, header, read });
      return new Response(null, { status, ...(headers === undefined ? {} : { headers }) });
    },
    async node(request, response) {
      const header: ReadHeader = (name) => {
        const value = request.headers[name];
        return typeof value === "string" || value === undefined ? value : value.join(", ");
      };
      const read = (): Promise<string | undefined> => readNodeBody(request, maxBytes);
      const address = request.socket?.remoteAddress;
      const { status, headers } = await intake.answer({ method: request.method, address, header, read });
      // What is not read of a body must not be taken for the next request.
      response.writeHead(status, { ...headers, ...(status === 413 ? { connection: "close" } : {}) });
      response.end();
    },
    stream: (taskId, getTask): EventStream => intake.queues.stream(taskId, getTask),
  };
}

/** A request, whatever carried it. */
interface Call {
  readonly method: string | undefined;
  /** Of the connection. */
  readonly address: string | undefined;
  readonly header: ReadHeader;
  /** Undefined for a body that is too long. */
  read(): Promise<string | undefined>;
}

/** Decides about notifications and hands them on, whatever carried them. */
class Intake {
  readonly queues: PushQueues = new PushQueues();
  readonly #options: PushReceiverOptions;
  readonly #seen: SeenEvents;
  readonly #rates: Rates;
  readonly #unverified: UnverifiedRates;
  readonly #known = new KnownSenders();
  /** What is being taken, by event; and the last one of each task, behind which the next waits. */
  readonly #taking = new Map<string, Promise<void>>();
  readonly #lastOf = new Map<string, Promise<void>>();

  constructor(options: PushReceiverOptions) {
    this.#options = options;
    this.#seen = options.seen ?? rememberLast(REMEMBERED);
    const now = options.now ?? (() => performance.now());
    this.#rates = new Rates(options.perMinute ?? PER_MINUTE, now);
    this.#unverified = new UnverifiedRates(options.unverifiedPerMinute ?? UNVERIFIED_PER_MINUTE, now);
  }

  /** Never rejects. */
  async answer({ method, address, header, read }: Call): Promise<Answer> {
    if (method !== "POST") return this.#refuse(405, `${method} is not how notifications come`, { allow: "POST" });
    const type = header("content-type") ?? "";
    if (!JSON_TYPE.test(type)) return this.#refuse(415, `${type === "" ? "no media type" : type} is no JSON`);
    try {
      const { verify, addressOf } = this.#options;
      const head = verify === "nothing" ? ANYBODY : await verifyHead(verify, header);
      if (typeof head === "string") return this.#refuseStranger(head);
      const caller = addressOf === undefined ? address : addressOf(header);
      const known = head.sender ?? (this.#known.has(head.credential) ? head.credential : undefined);
      // Before anything is read: a known sender has an allowance that nobody else can use up.
      if (known === undefined ? !this.#unverified.take(caller) : !this.#rates.take(known)) return this.#slowDown(known);
      const body = await read();
      if (body === undefined) return this.#refuse(413, "the body is too long");
      return await this.#receive(header, body, (taskId) => this.#verify(head, { body, taskId, caller, known }));
    } catch (failed) {
      return this.#refuse(500, `it was not taken (${failed instanceof Error ? failed.message : String(failed)})`);
    }
  }

  async #receive(
    header: ReadHeader,
    body: string,
    verify: (taskId: string) => Promise<Answer | { readonly jwtId: string | undefined }>,
  ): Promise<Answer> {
    const { expects } = this.#options;
    const event = readEvent(body);
    const taskId = event === undefined ? undefined : taskIdOf(event);
    if (event === undefined || taskId === undefined) {
      return this.#refuse(400, "the body is no StreamResponse of a task");
    }
    const verified = await verify(taskId);
    if ("status" in verified) return verified;
    if (expects !== undefined && !(await expects(taskId))) return this.#refuse(404, `task ${taskId} is not expected`);
    const eventId = eventIdOf(header("a2a-event-id"), taskId);
    // Who numbers nothing signs each attempt anew: the same signature again is a replay.
    const once = eventId ?? (verified.jwtId === undefined ? undefined : `${taskId} jwt ${verified.jwtId}`);
    await this.#takeOnce({ taskId, eventId, seq: seqOf(eventId, taskId), event }, once);
    return TAKEN;
  }

  /** Looks at what only the body decides, and remembers who turned out to be right. */
  async #verify(
    { credential, finish }: PushHead,
    call: {
      readonly body: string;
      readonly taskId: string;
      readonly caller: string | undefined;
      readonly known: string | undefined;
    },
  ): Promise<Answer | { readonly jwtId: string | undefined }> {
    const verdict = await finish(call.body, call.taskId);
    if (verdict.why !== undefined) {
      this.#known.remove(credential);
      return this.#refuseStranger(verdict.why);
    }
    if (call.known === undefined) {
      this.#unverified.giveBack(call.caller);
      if (credential !== undefined) this.#known.add(credential);
      const sender = credential ?? "";
      if (!this.#rates.take(sender)) return this.#slowDown(sender);
    }
    return { jwtId: verdict.jwtId };
  }

  /** @param once what it is remembered by; undefined for what nothing tells from the same again */
  async #takeOnce(notification: PushNotification, once: string | undefined): Promise<void> {
    const { taskId } = notification;
    if (once === undefined) return this.#inTurn(taskId, () => this.#handOn(notification));
    const running = this.#taking.get(once);
    if (running !== undefined) {
      // The same event twice at once: when the first of them fails, both do, and the agent comes back.
      await running;
      this.#options.onDuplicate?.(notification);
      return;
    }
    const work = this.#inTurn(taskId, async () => {
      if (await this.#seen.has(once)) this.#options.onDuplicate?.(notification);
      else {
        await this.#handOn(notification);
        await this.#seen.add(once);
      }
    });
    this.#taking.set(once, work);
    try {
      await work;
    } finally {
      this.#taking.delete(once);
    }
  }

  /** Runs `take` when what came before for the task is done, whatever became of it. */
  async #inTurn(taskId: string, take: () => Promise<void>): Promise<void> {
    const before = this.#lastOf.get(taskId) ?? Promise.resolve();
    const work = before.catch(() => undefined).then(take);
    this.#lastOf.set(taskId, work);
    try {
      await work;
    } finally {
      if (this.#lastOf.get(taskId) === work) this.#lastOf.delete(taskId);
    }
  }

  async #handOn(told: PushNotification): Promise<void> {
    const { taskId, eventId } = told;
    const task = eventId === undefined ? await this.#options.refresh?.(taskId) : undefined;
    const notification = task === undefined ? told : { ...told, event: { task } };
    await this.#options.onEvent?.(notification);
    this.queues.add(taskId, { value: notification.event, seq: notification.seq });
  }

  #refuseStranger(why: string): Answer {
    return this.#refuse(401, why, { "www-authenticate": "Bearer" });
  }

  #slowDown(known: string | undefined): Answer {
    const why =
      known === undefined ? "more from strangers at one address than is read" : "more notifications than allowed";
    return this.#refuse(429, why, { "retry-after": "10" });
  }

  #refuse(status: number, why: string, headers?: Answer["headers"]): Answer {
    this.#options.onRefused?.(why);
    return { status, headers };
  }
}

function readEvent(body: string): StreamResponse | undefined {
  try {
    const value: unknown = JSON.parse(body);
    // Some agents send a bare Task.
    const isTask = isJsonObject(value) && "status" in value && "id" in value;
    return parseStreamAnswer(isTask ? { task: value } : value, undefined);
  } catch {
    return undefined;
  }
}

function taskIdOf({ task, message, statusUpdate, artifactUpdate }: StreamResponse): string | undefined {
  return task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId ?? message?.taskId;
}

/** What an event is remembered by. It names its task, or who may tell of one task could take the place of events of another. */
function eventIdOf(sent: string | undefined, taskId: string): string | undefined {
  return sent === undefined || sent.startsWith(`${taskId}:`) ? sent : `${taskId}:${sent}`;
}

function seqOf(eventId: string | undefined, taskId: string): number | undefined {
  const seq = eventId?.startsWith(`${taskId}:`) === true ? eventId.slice(taskId.length + 1) : "";
  return /^\d{1,15}$/.test(seq) ? Number(seq) : undefined;
}

/** Undefined for a body that is too long: what is left of it is not read, and its source not closed, or nobody could answer. */
async function readBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> {
  const source = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let next = await source.next(); next.done !== true; next = await source.next()) {
    bytes += next.value.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

async function readNodeBody(request: NodeRequestLike, maxBytes: number): Promise<string | undefined> {
  for (const given of [request.rawBody, request.body]) {
    if (given === undefined || given === null) continue;
    if (typeof given === "string") return given;
    return given instanceof Uint8Array ? new TextDecoder().decode(given) : JSON.stringify(given);
  }
  return readBody(request, maxBytes);
}

function rememberLast(count: number): SeenEvents {
  const ids = new Set<string>();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id);
      if (ids.size > count) ids.delete(ids.values().next().value as string);
    },
  };
}
