/** Takes the reports of outside workers on deferred tasks, each once, from whichever process they come in. */
import type { Artifact, Message, Part, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import type {
  DeferredArtifact,
  DeferredReport,
  DeferredStanding,
  DeferredWords,
} from "../operations/deferred-report.ts";
import { invalidField } from "../operations/errors.ts";
import type { Blobs } from "./blobs.ts";
import { type Clock, monotonic } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { type DeferToken, draftHeard, nextMessage, readToken, requireWorker, unknownToken } from "./deferral.ts";
import { type Append, type AppendOptions, type Draft, DuplicateRequest, isoTime } from "./draft.ts";
import type { Decision, Deferral } from "./journal.ts";
import { headOf } from "./logged-artifact.ts";
import type { Quotas } from "./quotas.ts";
import type { Scope } from "./sends.ts";
import type { DedupeKey, Store, TaskRow } from "./store.ts";
import { toldOf } from "./store-failure.ts";
import type { TaskLog } from "./task-log.ts";
import { ERASED_OWNER } from "./upkeep.ts";

export interface DeferralsHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  newId(): string;
  readonly quotas: Quotas;
  /** The live log of a task, not behind the store. Stays live while `use` runs. */
  withLog<T>(scope: Scope, taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T>;
  /** Somebody has to look after a task at that time. */
  wakeAt(at: number): void;
}

/** One report on its way into a log. */
interface Reporting {
  readonly log: TaskLog;
  readonly token: DeferToken;
  /** Of the report in the store; undefined for a heartbeat, which may be taken any number of times. */
  readonly key: DedupeKey | undefined;
}

/** A message that was given to a worker stands in the journal like one that a handler took, with this ordinal. */
const OF_WORKER = -1;
const DEFAULT_WAIT_MS = 25_000;

const ENDS_IN = {
  complete: "TASK_STATE_COMPLETED",
  fail: "TASK_STATE_FAILED",
  reject: "TASK_STATE_REJECTED",
} as const;

/** Somebody else was first: look again. */
class LookAgain extends Error {}

export class Deferrals {
  readonly #host: DeferralsHost;

  constructor(host: DeferralsHost) {
    this.#host = host;
  }

  /**
   * Takes a report. Resolves after COMMIT.
   *
   * @param signal ends the wait of a `receive`; nothing that was taken is lost by it
   * @throws A2AError UNAUTHENTICATED, PERMISSION_DENIED, UNSUPPORTED_OPERATION (the task has ended), INVALID_PARAMS,
   *   UNAVAILABLE
   */
  async report(text: string, report: DeferredReport, signal?: AbortSignal): Promise<DeferredStanding> {
    const token = await readToken(text);
    const row = token && (await this.#rowOf(token.taskId));
    if (token === undefined || row === undefined || row.owner === ERASED_OWNER) throw unknownToken();
    const { tenant, owner } = row;
    // The hash is part of the key: what another token reported, and what callers send, is something else.
    const key =
      report.report === "heartbeat"
        ? undefined
        : { tenant, owner, messageId: `deferred:${report.id}`, hash: token.hash };
    return this.#host.withLog(row, token.taskId, async (log) => {
      const reporting = { log, token, key };
      const before = key === undefined ? undefined : await this.#host.store.dedupe(key);
      if (before !== undefined) return this.#takenBefore(reporting, report);
      try {
        return await this.#take(reporting, report, signal);
      } catch (refused) {
        if (refused instanceof DuplicateRequest) return this.#takenBefore(reporting, report);
        // The same report, on its way beside this one, may be what ended the task.
        if (key === undefined || !isTerminal(log.view.state)) throw refused;
        await log.flushed();
        if ((await this.#host.store.dedupe(key)) === undefined) throw refused;
        return this.#takenBefore(reporting, report);
      }
    });
  }

  async #rowOf(taskId: string): Promise<TaskRow | undefined> {
    try {
      return await this.#host.store.task(taskId, { snapshot: false });
    } catch (failed) {
      throw toldOf(failed);
    }
  }

  #take(reporting: Reporting, report: DeferredReport, signal: AbortSignal | undefined): Promise<DeferredStanding> {
    switch (report.report) {
      case "heartbeat":
        return this.#append(reporting, () => {});
      case "artifact":
        return this.#artifact(reporting, report.artifact);
      case "receive":
        return this.#receive(reporting, report.id, { waitMs: report.waitMs ?? DEFAULT_WAIT_MS, signal });
      default:
        return this.#say(reporting, report);
    }
  }

  #say(reporting: Reporting, words: DeferredWords): Promise<DeferredStanding> {
    const { log } = reporting;
    const message = words.parts === undefined ? undefined : this.#message(log, words.parts, words.metadata);
    return this.#append(reporting, (draft) => {
      const { wait } = draft.view.run;
      switch (words.report) {
        case "working":
          draft.status("TASK_STATE_WORKING", message);
          if (wait !== null) draft.run({ wait: { ...wait, asking: undefined } });
          return;
        case "ask":
          draft.status("TASK_STATE_INPUT_REQUIRED", message);
          if (wait !== null) draft.run({ wait: { ...wait, asking: true, seq: draft.view.seq } });
          return;
        default:
          draft.status(ENDS_IN[words.report], message);
      }
    });
  }

  async #artifact(reporting: Reporting, content: DeferredArtifact): Promise<DeferredStanding> {
    const { log } = reporting;
    const { blobs } = this.#host;
    const { name, parts, append, lastChunk } = content;
    this.#host.quotas.requireRoom(log);
    const known = content.artifactId ?? log.content.artifactId(name);
    if (append === true && (known === undefined || !log.content.hasArtifact(known))) {
      throw invalidField(
        "artifact.append",
        `there is no artifact "${name}" to append to: write it without append first`,
      );
    }
    const artifact: Artifact = { artifactId: known ?? this.#host.newId(), name, parts: [...parts], ...headOf(content) };
    const update: TaskArtifactUpdateEvent = { taskId: log.id, contextId: log.identity.contextId, artifact };
    if (append === true) update.append = true;
    if (lastChunk === true) update.lastChunk = true;
    if (!blobs.isLarge(parts)) {
      const plain = JSON.stringify(artifact);
      return this.#append(reporting, (draft) => draft.artifact(update, plain));
    }
    const json = JSON.stringify({ artifactUpdate: update });
    const writes = await blobs.hold(log.identity, artifact.parts);
    const stored = blobs.stringify({ artifactUpdate: update });
    return this.#append(reporting, (draft) => draft.largeArtifact(update, json, stored), { blobs: writes });
  }

  async #receive(
    reporting: Reporting,
    id: string,
    { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<DeferredStanding> {
    const { log } = reporting;
    const until = monotonic(this.#host.clock) + waitMs;
    for (;;) {
      const standing = await this.#receiveNow(reporting, id);
      const left = until - monotonic(this.#host.clock);
      if (standing.message !== undefined || left <= 0) return standing;
      const { epoch } = log.view;
      const limit = new AbortController();
      const timer = this.#host.clock.setTimeout(() => limit.abort(), left);
      const ends = signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]);
      try {
        // An end, and another owner, are told by the next look.
        await log.until(
          ({ run, epoch: now }) => run.wait === null || now !== epoch || nextMessage(run) !== undefined,
          ends,
        );
      } catch (ended) {
        if (limit.signal.aborted) return standing;
        throw ended;
      } finally {
        timer.cancel();
      }
    }
  }

  /** Takes the message that is there, or says that the worker still waits. */
  async #receiveNow(reporting: Reporting, id: string): Promise<DeferredStanding> {
    const { log, key } = reporting;
    if (nextMessage(log.view.run) === undefined) return this.#append({ ...reporting, key: undefined }, () => {});
    let taken = 0;
    const take = (draft: Draft): void => {
      const { wait, mailbox } = draft.view.run;
      const seq = nextMessage(draft.view.run);
      if (seq === undefined) throw new LookAgain();
      taken = seq;
      const kind = wait?.asking === true ? "ask" : "receive";
      draft.journal("decision", { kind, name: id, occurrence: 0, ordinal: OF_WORKER, message: seq });
      draft.run({ mailbox: mailbox.filter((other) => other !== seq) });
      if (wait?.asking !== true) return;
      draft.run({ wait: { ...wait, asking: undefined } });
      draft.status("TASK_STATE_WORKING", undefined);
    };
    try {
      const standing = await this.#append({ ...reporting, key }, take);
      return { ...standing, message: (await log.message(taken)).message };
    } catch (refused) {
      if (refused instanceof LookAgain) return this.#receiveNow(reporting, id);
      throw refused;
    }
  }

  /** Appends for the owner of the token, who has that long again. */
  async #append(
    { log, token, key }: Reporting,
    decide: (draft: Draft) => void,
    options: AppendOptions = {},
  ): Promise<DeferredStanding> {
    const { totalMs } = this.#host.settings;
    const dedupe = key === undefined ? undefined : { key, taskId: log.id, expires: null };
    await log.append(
      (draft) => {
        const deferral: Deferral = requireWorker(draft, token);
        decide(draft);
        draftHeard(draft, deferral, totalMs);
      },
      { ...options, dedupe } satisfies Append["options"],
    );
    const { due } = log.stored;
    if (due !== null) this.#host.wakeAt(due);
    return standingOf(log);
  }

  /** What a report is answered with that was taken before: what it was answered with then, as far as it matters. */
  async #takenBefore({ log }: Reporting, report: DeferredReport): Promise<DeferredStanding> {
    await log.refresh();
    const standing = standingOf(log);
    if (report.report !== "receive") return standing;
    const entries = await log.read(log.stored.run.turnSeq, Number.POSITIVE_INFINITY);
    for (const { kind, payload } of entries) {
      if (kind !== "decision" || payload === "") continue;
      const { ordinal, name, message } = JSON.parse(payload) as Decision;
      if (ordinal !== OF_WORKER || name !== report.id || message === undefined) continue;
      return { ...standing, message: (await log.message(message)).message };
    }
    return standing;
  }

  #message(log: TaskLog, parts: readonly Part[], metadata: Message["metadata"]): Message {
    const { contextId } = log.identity;
    const message: Message = {
      messageId: this.#host.newId(),
      contextId,
      taskId: log.id,
      role: "ROLE_AGENT",
      parts: [...parts],
    };
    return metadata === undefined ? message : { ...message, metadata };
  }
}

function standingOf(log: TaskLog): DeferredStanding {
  const { state, run } = log.stored;
  const until = run.wait?.until;
  return { taskId: log.id, state, deadline: until === undefined ? null : isoTime(until) };
}
