/**
 * Cancelling: the first terminal write wins, whoever writes it. A running turn of an agent with `onCancel` is asked
 * first, wherever it runs; when it does not answer in time, the task is CANCELED all the same.
 */
import type { JsonObject } from "../model/json.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError } from "../operations/errors.ts";
import type { AgentRunner } from "./agent-runner.ts";
import type { Clock } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import type { Draft } from "./draft.ts";
import type { Frame } from "./frame.ts";
import type { TaskLog } from "./task-log.ts";

export interface CancelsHost {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  agent(name: string): AgentRunner | undefined;
  log(level: "warn", event: string, details: object): void;
}

export class Cancels {
  readonly #host: CancelsHost;

  constructor(host: CancelsHost) {
    this.#host = host;
  }

  /** Resolves when the task is CANCELED. @throws A2AError TASK_NOT_CANCELABLE */
  async cancel(log: TaskLog, metadata: JsonObject | undefined): Promise<void> {
    const asks = this.#host.agent(log.identity.agent)?.onCancel !== undefined;
    let asked = 0;
    await log.append((draft) => {
      asked = 0;
      if (refuseCancel(draft)) return;
      const isRunning = draft.view.holder !== null && draft.view.leaseUntil >= draft.now;
      if (!asks || !isRunning) {
        draft.status("TASK_STATE_CANCELED", undefined);
        return;
      }
      asked = draft.view.run.cancel;
      // The agent is asked once: whoever cancels meanwhile gets the same answer.
      if (asked > 0) return;
      draft.journal("cancel.requested", metadata === undefined ? {} : { metadata });
      asked = draft.view.seq;
      draft.run({ cancel: asked });
    });
    if (asked > 0) await this.#verdict(log, asked);
  }

  /** Puts a request that is not answered yet to the agent whose turn runs here. */
  async ask(frame: Frame): Promise<void> {
    const { log } = frame;
    const { cancel } = log.stored.run;
    if (cancel === 0 || cancel <= frame.cancelSeen || frame.isOver) return;
    frame.cancelSeen = cancel;
    const verdict = await this.#askAgent(log, cancel);
    await log
      .append((draft) => {
        if (draft.isTerminal || draft.view.run.cancel !== cancel) return;
        if (verdict === "cancel") draft.status("TASK_STATE_CANCELED", undefined);
        else {
          draft.journal("cancel.requested", { refused: cancel });
          draft.run({ cancel: 0 });
        }
      })
      .catch((error) => this.#host.log("warn", "cancel.failed", { taskId: log.id, error }));
  }

  async #askAgent(log: TaskLog, seq: number): Promise<"cancel" | "refuse"> {
    const onCancel = this.#host.agent(log.identity.agent)?.onCancel;
    if (onCancel === undefined) return "cancel";
    try {
      const [row] = await log.read(seq - 1, 1);
      const { metadata } = JSON.parse(row?.payload || "{}") as { metadata?: JsonObject };
      return (await onCancel({ taskId: log.id }, metadata)) === "refuse" ? "refuse" : "cancel";
    } catch (error) {
      this.#host.log("warn", "cancel.failed", { taskId: log.id, error });
      return "cancel";
    }
  }

  async #verdict(log: TaskLog, asked: number): Promise<void> {
    const limit = new AbortController();
    const timer = this.#host.clock.setTimeout(() => limit.abort(), this.#host.settings.cancelWaitMs);
    try {
      await log.until(({ state, run }) => isTerminal(state) || run.cancel !== asked, limit.signal);
    } catch (waited) {
      if (!limit.signal.aborted) throw waited;
      await log.append((draft) => {
        if (!refuseCancel(draft)) draft.status("TASK_STATE_CANCELED", undefined);
      });
    } finally {
      timer.cancel();
    }
    const { state } = log.stored;
    if (state === "TASK_STATE_CANCELED") return;
    throw notCancelable(log.id, state, isTerminal(state) ? "it has ended" : "the agent refuses to cancel it");
  }
}

/** True when it is canceled already; throws when it has ended otherwise. */
function refuseCancel(draft: Draft): boolean {
  const { state } = draft.view;
  if (state === "TASK_STATE_CANCELED") return true;
  if (isTerminal(state)) throw notCancelable(draft.identity.id, state, "it has ended");
  return false;
}

function notCancelable(taskId: string, state: string, why: string): A2AError {
  return new A2AError("TASK_NOT_CANCELABLE", `task ${taskId} is ${state} and cannot be canceled: ${why}`, {
    metadata: { taskId, state },
  });
}
