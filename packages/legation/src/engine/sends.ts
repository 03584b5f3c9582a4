/**
 * Accepting messages: each accepted request once, whoever sends it how often.
 */
import type { Message, Task } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError, invalidField } from "../operations/errors.ts";
import type { Blobs } from "./blobs.ts";
import { afterThisTurn, type Clock, type Timer } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { draftAnswered } from "./deferral.ts";
import { type Draft, DuplicateRequest, isoTime } from "./draft.ts";
import type { Pump } from "./pump.ts";
import type { NewHook } from "./push-hook.ts";
import type { Hooks, InlineHook } from "./push-hooks.ts";
import type { Quotas } from "./quotas.ts";
import { RenewedMap } from "./renewed-map.ts";
import type { Scheduler } from "./scheduler.ts";
import { type BlobWrite, type DedupeKey, type DedupeRow, dedupeText, type Store } from "./store.ts";
import type { TaskLog } from "./task-log.ts";

/** Whose data, and which agent's. */
export interface Scope {
  readonly tenant: string;
  readonly owner: string;
  readonly agent: string;
}

/** A message as the server accepts it. */
export interface NewIncoming {
  readonly message: Message;
  /** Kept beside the message and given to the handler with it. */
  readonly meta: JsonObject;
}

/** What became of an accepted message. */
export interface Accepted {
  readonly taskId: string;
  /** Seq of the message: waits and streams that follow it begin after it. */
  readonly seq: number;
  /** True when the request had been accepted before; nothing was written then. */
  readonly duplicate: boolean;
  /** The stored reply, canonical JSON of a Message, when the request was answered by one. */
  readonly reply?: string | undefined;
  /** The reply as a value, where it is at hand: a binding that is not JSON need not parse then. */
  readonly message?: Message | undefined;
}

export interface NewTask {
  readonly scope: Scope;
  readonly contextId: string;
  /** Chosen by the engine when absent. */
  readonly taskId?: string | undefined;
  readonly incoming: NewIncoming;
  readonly metadata?: JsonObject | undefined;
  /** Registered with the task, before its handler runs. */
  readonly hook?: InlineHook | undefined;
  /** Undefined: every send is a new one. */
  readonly dedupe: DedupeKey | undefined;
}

export interface NewMessage {
  readonly scope: Scope;
  readonly taskId: string;
  /** Must be that of the task when given. */
  readonly contextId?: string | undefined;
  readonly incoming: NewIncoming;
  /** Registered with the message. */
  readonly hook?: InlineHook | undefined;
  readonly dedupe: DedupeKey | undefined;
  /** What happens while a turn runs: wait for it (default) or be refused. */
  readonly whileWorking?: "queue" | "reject" | undefined;
}

/** What an agent that answers with messages gives. */
export type Answer =
  | { readonly reply: string; readonly message?: Message | undefined }
  | { readonly taskId: string; readonly seq: number };

export interface SendsHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly pump: Pump;
  readonly quotas: Quotas;
  readonly scheduler: Scheduler;
  /** The webhooks; undefined where none are delivered. */
  readonly hooks: Hooks | undefined;
  newId(): string;
  log(level: "warn", event: string, details: object): void;
  /** A new live log; pinned. */
  newLog(identity: TaskLog["identity"]): TaskLog;
  /** The live log of a task that this scope may see; TASK_NOT_FOUND. Stays live while `use` runs. */
  withLog<T>(scope: Scope, taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T>;
}

/** A duplicate of a request that is being answered elsewhere looks again that often. */
const LOOK_AGAIN_MS = 50;

export class Sends {
  readonly #host: SendsHost;
  /** Requests that this process is answering: duplicates wait for the same answer. */
  readonly #answering = new RenewedMap<string, Promise<Accepted>>();
  /** Requests whose lease this process has, each with what keeps it. */
  readonly #leased = new RenewedMap<string, Disposable>();

  constructor(host: SendsHost) {
    this.#host = host;
  }

  /** A new task, claimed by this process in the same transaction when it has room. */
  async createTask(input: NewTask): Promise<Accepted> {
    const { scope, contextId, incoming } = input;
    if (this.#host.settings.maxOpenTasks > 0) {
      // What was accepted before takes no more room.
      const before = input.dedupe === undefined ? undefined : await this.#host.store.dedupe(input.dedupe);
      if (before?.taskId) return this.#acceptedBefore(scope, before, input.hook);
      await this.#host.quotas.takeTask(scope.tenant);
    }
    const id = input.taskId ?? this.#host.newId();
    const createdAt = this.#host.clock.now();
    const entry = entryOf(incoming, contextId, id);
    const large = this.#largeOf(scope, entry);
    const { blobs, stored } = large === undefined ? PLAIN : await large;
    const task: Task = { id, contextId, status: { state: "TASK_STATE_SUBMITTED", timestamp: isoTime(createdAt) } };
    if (input.metadata !== undefined) task.metadata = input.metadata;
    const hooks = input.hook === undefined ? undefined : await this.#hooksOf(id, input.hook);
    let claimed = false;
    const decide = (draft: Draft): void => {
      draft.created(task);
      draft.message(entry, stored);
      claimed = this.#host.scheduler.draftClaim(draft);
    };
    const dedupe =
      input.dedupe === undefined
        ? undefined
        : { key: input.dedupe, taskId: id, expires: createdAt + this.#host.settings.dedupeMs };
    const { tenant, owner, agent } = scope;
    const log = this.#host.newLog({ id, tenant, owner, agent, contextId, createdAt });
    try {
      // A task in place of a reply: its row takes the place of the lease, in the same batch.
      const lease = input.dedupe === undefined ? undefined : this.#leased.get(dedupeText(input.dedupe));
      if (input.dedupe !== undefined && lease !== undefined) {
        lease[Symbol.dispose]();
        this.#host.pump.reply(this.#step(input.dedupe, "release")).catch(() => {});
      }
      await log.append(decide, { dedupe, blobs, hooks });
      log.arrived.keep({ message: entry.message, meta: entry.meta, seq: 2 });
      if (claimed) this.#host.scheduler.beginDrafted(log);
      else this.#host.scheduler.kick();
      return { taskId: id, seq: 2, duplicate: false };
    } catch (refused) {
      if (refused instanceof DuplicateRequest) return this.#acceptedBefore(scope, refused.row, input.hook);
      throw refused;
    } finally {
      this.#host.scheduler.forgo(id);
      log.unpin();
    }
  }

  /** A message to a task that exists. */
  async addMessage(input: NewMessage): Promise<Accepted> {
    const { scope, taskId } = input;
    if (input.dedupe !== undefined) {
      const before = await this.#host.store.dedupe(input.dedupe);
      if (before !== undefined) return this.#acceptedBefore(scope, before, input.hook);
    }
    if (input.hook !== undefined) await this.#host.hooks?.requireRoom(scope, taskId, input.hook.config.id);
    const hooks = input.hook === undefined ? undefined : await this.#hooksOf(taskId, input.hook);
    return this.#host.withLog(scope, taskId, async (log) => {
      const { contextId } = log.identity;
      if (input.contextId !== undefined && input.contextId !== contextId) {
        throw invalidField(
          "message.contextId",
          `"${input.contextId}" is not the context of task ${taskId}: send "${contextId}" or leave it out`,
        );
      }
      const entry = entryOf(input.incoming, contextId, taskId);
      const large = this.#largeOf(scope, entry);
      const { blobs, stored } = large === undefined ? PLAIN : await large;
      let claimed = false;
      const decide = (draft: Draft): void => {
        refuseMessage(draft, input.whileWorking ?? "queue");
        this.#host.quotas.requireRoom(log);
        draft.message(entry, stored);
        draftAnswered(draft, this.#host.settings.totalMs);
        claimed = wakes(draft) && this.#host.scheduler.draftClaim(draft);
      };
      const dedupe = input.dedupe === undefined ? undefined : { key: input.dedupe, taskId, expires: null };
      try {
        const seq = await log.append(decide, { dedupe, blobs, hooks });
        log.arrived.keep({ ...entry, seq });
        if (claimed) this.#host.scheduler.beginDrafted(log);
        else this.#host.scheduler.kick();
        return { taskId, seq, duplicate: false };
      } catch (refused) {
        if (refused instanceof DuplicateRequest) return this.#acceptedBefore(scope, refused.row, input.hook);
        throw refused;
      } finally {
        this.#host.scheduler.forgo(taskId);
      }
    });
  }

  /**
   * Lets an agent answer a request at most once at a time, and keeps the answer. Duplicates wait for it, here and in
   * other processes. When `answer` throws, nothing is kept and the next send runs it again.
   */
  answerOnce(key: DedupeKey | undefined, scope: Scope, answer: () => Promise<Answer>): Promise<Accepted> {
    if (key === undefined) return answer().then((given) => accepted(given, false));
    const name = dedupeText(key);
    const running = this.#answering.get(name);
    if (running !== undefined) return running.then((first) => ({ ...first, duplicate: true }));
    const first = this.#answerFirst(key, name, { scope, answer });
    this.#answering.set(name, first);
    return first;
  }

  async #answerFirst(
    key: DedupeKey,
    name: string,
    { scope, answer }: { readonly scope: Scope; readonly answer: () => Promise<Answer> },
  ): Promise<Accepted> {
    const { pump, store } = this.#host;
    let lease: Disposable | undefined;
    let isOurs = false;
    try {
      const row = await this.#rowBefore(key);
      if (row !== undefined) return await this.#acceptedBefore(scope, row);
      isOurs = true;
      if (!store.exclusive) {
        lease = this.#keepLease(key);
        this.#leased.set(name, lease);
      }
      const given = await answer();
      lease?.[Symbol.dispose]();
      if (!("reply" in given)) return accepted(given, false);
      const outcome = await pump.reply(this.#step(key, "reply", given.reply));
      // Another process took over when the lease had run out, and was first: what is stored is the answer.
      if (!outcome.ok && outcome.row.reply !== null) return accepted({ reply: outcome.row.reply }, true);
      return accepted(given, false);
    } catch (failed) {
      lease?.[Symbol.dispose]();
      // What the store says of it is in its own log line; a lease that stays ends by itself.
      if (isOurs && !store.exclusive) await pump.reply(this.#step(key, "release")).catch(() => {});
      throw failed;
    } finally {
      this.#leased.delete(name);
      this.#answering.delete(name);
    }
  }

  /** The row of a request that was answered before; undefined when it is ours to answer. Waits for who is at it. */
  #rowBefore(key: DedupeKey): Promise<DedupeRow | undefined> {
    // Where nobody else can write, being the one that answers here is all the lease there needs to be.
    return this.#host.store.exclusive ? this.#host.store.dedupe(key) : this.#leaseOrRow(key);
  }

  async #leaseOrRow(key: DedupeKey): Promise<DedupeRow | undefined> {
    for (;;) {
      const outcome = await this.#host.pump.reply(this.#step(key, "lease"));
      if (outcome.ok) return undefined;
      if (outcome.row.reply !== null || outcome.row.taskId !== null) return outcome.row;
      await new Promise<void>((resolve) => this.#host.clock.setTimeout(() => afterThisTurn(resolve), LOOK_AGAIN_MS));
    }
  }

  /**
   * Renews a lease until it is disposed of, so that an answer which takes long is not begun by a second process. What
   * is renewed is taken over from ourselves: somebody who took it over meanwhile has it until later than we look for.
   */
  #keepLease(key: DedupeKey): Disposable {
    const { clock, pump, settings, log } = this.#host;
    let until = clock.now() + settings.leaseMs;
    let timer: Timer | undefined;
    let isOver = false;
    const renew = async (): Promise<void> => {
      const step = this.#step(key, "lease");
      const now = Math.max(step.now, until + settings.leaseMs / 2);
      const leaseUntil = Math.max(step.leaseUntil, until + settings.leaseMs / 3);
      try {
        if ((await pump.reply({ ...step, now, leaseUntil })).ok) until = leaseUntil;
      } catch (failed) {
        log("warn", "renew.failed", { error: failed });
      }
      if (!isOver) wait();
    };
    const wait = (): void => {
      timer = clock.setTimeout(() => void renew(), settings.leaseMs / 3);
    };
    wait();
    return {
      [Symbol.dispose]: () => {
        isOver = true;
        timer?.cancel();
      },
    };
  }

  #step(key: DedupeKey, step: "lease" | "reply" | "release", reply?: string): Parameters<Pump["reply"]>[0] {
    const { clock, settings } = this.#host;
    const now = clock.now();
    return { key, step, now, leaseUntil: now + settings.leaseMs, expires: now + settings.dedupeMs, reply };
  }

  /** What a request that was accepted before is answered with. */
  async #acceptedBefore(scope: Scope, row: DedupeRow, hook?: InlineHook): Promise<Accepted> {
    if (row.reply !== null) return { taskId: "", seq: 0, duplicate: true, reply: row.reply };
    if (row.taskId === null) {
      throw new A2AError("UNAVAILABLE", `message ${row.messageId} is being answered, send it again`, {
        retryAfterSeconds: 1,
      });
    }
    const { taskId, messageId } = row;
    const seq = await this.#host.withLog(scope, taskId, (log) => seqOfMessage(log, messageId));
    // A repeated send may name another webhook than the first one did, or the same: then this changes nothing.
    if (hook !== undefined) await this.#host.hooks?.put(scope, taskId, hook.config, hook.version);
    return { taskId, seq, duplicate: true };
  }

  async #hooksOf(taskId: string, hook: InlineHook): Promise<readonly NewHook[] | undefined> {
    const hooks = this.#host.hooks;
    return hooks === undefined ? undefined : [await hooks.prepare(taskId, hook)];
  }

  /** How an entry with large parts is stored; undefined for one without any, which need not be waited for. */
  #largeOf(scope: Scope, entry: NewIncoming): Promise<Stored> | undefined {
    const { blobs } = this.#host;
    const { parts } = entry.message;
    if (!blobs.isLarge(parts)) return undefined;
    return blobs.hold(scope, parts).then((held) => ({ stored: blobs.stringify(entry), blobs: held }));
  }
}

/** What is written of an entry: its JSON with references, and what they refer to; nothing where it has no large parts. */
interface Stored {
  readonly stored: string | undefined;
  readonly blobs: readonly BlobWrite[] | undefined;
}

const PLAIN: Stored = { stored: undefined, blobs: undefined };

/** The message as it stands in the log: with the ids of where it belongs. */
function entryOf({ message, meta }: NewIncoming, contextId: string, taskId: string): NewIncoming {
  return { message: { ...message, contextId, taskId }, meta };
}

function accepted(answer: Answer, duplicate: boolean): Accepted {
  if ("reply" in answer && answer.reply !== undefined) {
    const { reply, message } = answer;
    return { taskId: "", seq: 0, duplicate, reply, message };
  }
  const { taskId, seq } = answer as { readonly taskId: string; readonly seq: number };
  return { taskId, seq, duplicate };
}

function refuseMessage(draft: Draft, whileWorking: "queue" | "reject"): void {
  const { id } = draft.identity;
  const metadata = { taskId: id, state: draft.view.state };
  if (isTerminal(draft.view.state)) {
    const text = `task ${id} is ${draft.view.state} and takes no more messages: start a new task in context ${draft.identity.contextId}`;
    throw new A2AError("UNSUPPORTED_OPERATION", text, { metadata });
  }
  const { open, wait } = draft.view.run;
  const atWork = open && (wait === null || (wait.kind === "defer" && wait.asking !== true));
  if (whileWorking === "reject" && atWork) {
    throw new A2AError("UNSUPPORTED_OPERATION", `task ${id} is at work and takes no messages meanwhile`, { metadata });
  }
}

/** True when the message is what the task waits for. */
function wakes(draft: Draft): boolean {
  const { open, wait } = draft.view.run;
  return !open || wait?.kind === "ask" || wait?.kind === "receive";
}

async function seqOfMessage(log: TaskLog, messageId: string): Promise<number> {
  const rows = await log.read(0, Number.POSITIVE_INFINITY);
  const row = rows.find(
    (entry) =>
      entry.kind === "message" &&
      entry.payload !== "" &&
      (JSON.parse(entry.payload) as NewIncoming).message.messageId === messageId,
  );
  return row?.seq ?? 0;
}
