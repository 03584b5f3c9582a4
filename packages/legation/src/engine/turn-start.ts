/**
 * What is done with a task whose lease was just taken: its turn is run again against its journal, its next turn
 * begins, or it comes to its end because it was tried too often, is out of time, or must not be run again.
 */
import type { Artifact } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import type { AgentRunner } from "./agent-runner.ts";
import type { Blobs } from "./blobs.ts";
import type { Clock } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { dueOfDeferral, ofHandler } from "./deferral.ts";
import { LeaseLost } from "./draft.ts";
import { Emissions, type KnownArtifacts } from "./emissions.ts";
import { Frame, type FrameHost } from "./frame.ts";
import type { Decision, RunState } from "./journal.ts";
import { Replay, RunHeld } from "./replay.ts";
import type { EventRow } from "./store.ts";
import type { TaskLog } from "./task-log.ts";
import { Ending, type Incoming } from "./turn.ts";
import { draftAfresh, draftHold, draftTurn, failWith, outOfTime } from "./turn-entries.ts";
import { turnOfFrame } from "./turn-of-frame.ts";

export interface TurnStartHost {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  newId(): string;
  agent(name: string): AgentRunner | undefined;
  log(level: "warn" | "error", event: string, details: object): void;
}

const NO_ENTRIES: readonly EventRow[] = [];
/** Clocks differ by that: who is claimed so much too early for a deadline is late. */
const EARLY_MS = 500;

/** A run that is about to be given a frame. */
interface Start {
  readonly log: TaskLog;
  readonly agent: AgentRunner;
  readonly epoch: number;
}

/** What a turn began with, and what the log has of it. */
interface TurnRecord {
  readonly incoming: Incoming;
  readonly entries: readonly EventRow[];
  /** The artifacts as they were when it began, where they are needed. */
  readonly before: readonly Artifact[] | undefined;
}

/** What the task has of artifacts, whatever its log becomes. */
class TaskArtifacts implements KnownArtifacts {
  readonly before: readonly Artifact[] | undefined;
  readonly #log: TaskLog;

  constructor(log: TaskLog, before: readonly Artifact[] | undefined) {
    this.#log = log;
    this.before = before;
  }

  idOf(name: string): string | undefined {
    return this.#log.content.artifactId(name);
  }

  has(artifactId: string): boolean {
    return this.#log.content.hasArtifact(artifactId);
  }
}

/** A frame, and what lets its handler run. */
export interface Started {
  readonly frame: Frame;
  run(): void;
}

export class TurnStart {
  readonly #host: TurnStartHost;
  readonly #frames: FrameHost;

  readonly #newId = (): string => this.#host.newId();

  constructor(host: TurnStartHost, frames: FrameHost) {
    this.#host = host;
    this.#frames = frames;
  }

  /**
   * Makes the frame of a turn that begins, where nothing has to be waited for: that is what every first turn is.
   * Undefined where {@link start} has to find out.
   */
  startNew(log: TaskLog, epoch: number): Started | undefined {
    const agent = this.#host.agent(log.identity.agent);
    const { state, run } = log.view;
    const next = run.mailbox[0];
    if (agent === undefined || log.view.epoch !== epoch || log.isStale || run.open || isTerminal(state))
      return undefined;
    if (next === undefined || next > log.seq) return undefined;
    const start = { log, agent, epoch };
    if (this.#endingOf(start, false) !== undefined) return undefined;
    const incoming = log.arrived.take(next);
    if (incoming === undefined) return undefined;
    this.#beginTurn(start);
    return this.#startedOf(start, { incoming, entries: NO_ENTRIES, before: undefined });
  }

  /**
   * Makes the frame; undefined when there is nothing to run.
   *
   * @param isNext true when the turn was begun by the one before, in the same commit: it was not cut off
   */
  async start(log: TaskLog, epoch: number, isNext: boolean): Promise<Started | undefined> {
    await log.fresh();
    const agent = this.#host.agent(log.identity.agent);
    if (agent === undefined || log.view.epoch !== epoch || isTerminal(log.view.state)) return undefined;
    const start = { log, agent, epoch };
    try {
      const ending = this.#endingOf(start, isNext);
      if (ending !== undefined) {
        await log.append((draft) => failWith(draft, this.#host.newId(), ending), { epoch });
        return undefined;
      }
      if (isWithWorker(log.view.run) && !(await this.#lapse(start))) return undefined;
      const { run } = log.view;
      if (!run.open) this.#beginTurn(start);
      else if (run.afresh === true || (!isNext && isCutOff(run) && agent.recovery === "restart")) {
        await this.#restart(start);
      }
      return log.view.run.open ? await this.#frameOf(start) : undefined;
    } catch (failed) {
      if (failed instanceof LeaseLost) return undefined;
      if (!(failed instanceof RunHeld)) throw failed;
      await this.#hold(start, failed);
      return undefined;
    }
  }

  #run(frame: Frame, agent: AgentRunner, incoming: Incoming): void {
    this.#handle(frame, agent, incoming).catch((error) =>
      this.#host.log("error", "turn.lost", { taskId: frame.log.id, error }),
    );
  }

  async #handle(frame: Frame, agent: AgentRunner, incoming: Incoming): Promise<void> {
    let ending: Ending | undefined;
    try {
      ending = await agent.run(turnOfFrame(frame, this.#host.blobs), incoming);
    } catch (thrown) {
      if (!(thrown instanceof Ending)) return frame.fail(thrown);
      return frame.end(thrown);
    }
    try {
      await frame.end(ending);
    } catch (thrown) {
      await frame.fail(thrown);
    }
  }

  /** Why the task ends here, unseen by its handler. */
  #endingOf({ log, agent }: Start, isNext: boolean): string | undefined {
    const { settings, clock } = this.#host;
    const { attempts, run } = log.view;
    if (attempts > settings.maxAttempts) {
      this.#host.log("error", "task.gave-up", { taskId: log.id, attempts });
      return `the agent was stopped ${settings.maxAttempts} times while it worked on this task`;
    }
    const isLate = settings.totalMs > 0 && clock.now() >= log.identity.createdAt + settings.totalMs;
    if (isLate) return `the task ${outOfTime(settings.totalMs)}`;
    return isCutOff(run) && !isNext && agent.recovery === "fail"
      ? "the agent was stopped while it worked on this task"
      : undefined;
  }

  /** The deadline of a worker: true when it has passed, and the handler is to look for another. */
  async #lapse({ log, epoch }: Start): Promise<boolean> {
    const { settings, clock } = this.#host;
    let lapsed = false;
    await log.append(
      (draft) => {
        const { wait, deferral } = draft.view.run;
        // A report may have come in just before the claim.
        lapsed = wait?.until !== undefined && clock.now() + EARLY_MS >= wait.until;
        if (!lapsed || wait === null || deferral === undefined) {
          draft.set({ holder: null, leaseUntil: 0, due: dueOfDeferral(draft, settings.totalMs), attempts: 0 });
        } else if (deferral.issues >= deferral.attempts) {
          failWith(
            draft,
            this.#host.newId(),
            `nothing was heard for ${deferral.heartbeatMs} ms of who works on this task`,
          );
        } else draft.run({ wait: { ...wait, handed: undefined, lapsed: true } });
      },
      { epoch },
    );
    if (lapsed) this.#host.log("warn", "deferral.lapsed", { taskId: log.id, issues: log.view.run.deferral?.issues });
    return lapsed && !isTerminal(log.view.state);
  }

  #beginTurn({ log, agent, epoch }: Start): void {
    log.emit(
      (draft) => {
        if (draft.view.run.mailbox.length > 0) draftTurn(draft, agent.version, undefined);
        else draft.set({ holder: null, leaseUntil: 0, due: null });
      },
      { epoch },
    );
  }

  /** Begins the same turn afresh: what is recorded of it is not used again, but no message that it took is lost. */
  async #restart({ log, agent, epoch }: Start): Promise<void> {
    const { run } = log.view;
    const received = takenBy(await log.read(run.turnSeq, Number.POSITIVE_INFINITY));
    await log.append((draft) => draftAfresh(draft, agent.version, received), { epoch });
  }

  async #frameOf({ log, agent, epoch }: Start): Promise<Started | undefined> {
    // A message that is still on its way may come to stand elsewhere, and the turn that takes it with it.
    while (log.view.run.message > log.seq && log.isBusy) await log.flushed();
    const { run } = log.view;
    if (log.view.epoch !== epoch || !run.open) return undefined;
    // A turn that has just begun has its own entry and the status WORKING, and nothing to be replayed.
    const isNew = log.seq <= run.turnSeq + 1;
    const entries = isNew ? [] : ofHandler(await log.read(run.turnSeq, Number.POSITIVE_INFINITY));
    const before = Emissions.continuesEarlier(entries) ? (await log.taskAsOf(run.turnSeq))?.artifacts : undefined;
    const incoming = await log.message(run.message);
    // Others may have taken the lease while this was read.
    if (log.view.epoch !== epoch || isTerminal(log.view.state)) return undefined;
    return this.#startedOf({ log, agent, epoch }, { incoming, entries, before });
  }

  #startedOf({ log, agent, epoch }: Start, { incoming, entries, before }: TurnRecord): Started {
    const replay = new Replay(entries);
    const emissions = new Emissions(entries, this.#newId, new TaskArtifacts(log, before));
    const turn = { number: log.view.run.turn, agentVersion: agent.version, epoch, replay, emissions };
    const frame = new Frame(this.#frames, log, turn);
    return { frame, run: () => this.#run(frame, agent, incoming) };
  }

  async #hold({ log, agent, epoch }: Start, reason: RunHeld): Promise<void> {
    this.#host.log("warn", "run.held", { taskId: log.id, reason: reason.message });
    await log.append((draft) => draftHold(draft, reason, agent.version), { epoch });
  }
}

/** True when an outside worker has the turn. */
function isWithWorker({ open, wait, afresh }: RunState): boolean {
  return open && wait?.kind === "defer" && wait.handed === true && afresh !== true;
}

/** A turn that waits was not cut off: it goes on from its journal, whatever is done with the others. */
function isCutOff({ open, wait, afresh }: RunState): boolean {
  const isAtWork = wait === null || (wait.kind === "defer" && wait.lapsed !== true);
  return open && isAtWork && afresh !== true;
}

/** Seqs of the messages that decisions took beside the one that the turn began with. */
function takenBy(entries: readonly EventRow[]): readonly number[] {
  const taken: number[] = [];
  for (const entry of entries) {
    if (entry.kind !== "decision" || entry.payload === "") continue;
    const { kind, message } = JSON.parse(entry.payload) as Decision;
    if (kind === "receive" && message !== undefined) taken.push(message);
  }
  return taken;
}
