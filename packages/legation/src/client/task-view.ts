/**
 * What a run knows of its task: the projection of everything that came, and the events that its consumer gets of it.
 *
 * Every snapshot is compared with what was already given out, and only the difference is yielded: so the first Task,
 * a Task in mid-stream, the Task of a new subscription after a break and the Task of a poll are one case.
 */
import { applyStreamResponse } from "../model/apply-stream-response.ts";
import type { Artifact, Message, StreamResponse, Task, TaskStatus } from "../model/gen/types.ts";
import { textOf } from "../model/part.ts";
import { differenceOfArtifacts } from "./artifact-difference.ts";
import { createArtifactHandle } from "./artifact-handle.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { createMessageHandle, createTaskHandle, type HandleActions, type Reply, type TaskHandle } from "./reply.ts";
import type { RunEvent } from "./run-event.ts";
import { isInterruptedState, isTerminalState, readTaskState, type TaskStateName } from "./task-state.ts";

/** What a view needs from outside. */
export interface TaskViewContext {
  readonly actions: HandleActions;
  readonly warn: (sentence: string) => void;
}

/** See the head of the file. */
export class TaskView {
  readonly #context: TaskViewContext;
  #task: Task | undefined;
  #message: Message | undefined;
  #lastSeq: number | undefined;
  #awaitingFirst = true;
  #progress = 0;
  #hasGap = false;

  constructor(context: TaskViewContext) {
    this.#context = context;
  }

  get taskId(): string | undefined {
    return this.#task?.id;
  }

  /** Undefined before the first event. */
  get state(): TaskStateName | undefined {
    return this.#task && readTaskState(this.#task.status.state).name;
  }

  get status(): TaskStatus | undefined {
    return this.#task?.status;
  }

  /** True when the agent answered with a message. */
  get isMessage(): boolean {
    return this.#message !== undefined;
  }

  /** Seq of the last event that was applied, for `Last-Event-ID`. */
  get lastSeq(): number | undefined {
    return this.#lastSeq;
  }

  /** Grows with everything that was new; equal means that nothing came. */
  get progress(): number {
    return this.#progress;
  }

  /** True when a peer went on without a snapshot after a break: only reading the task can close the gap. */
  get hasGap(): boolean {
    return this.#hasGap;
  }

  /** The reply as it stands; a copy that nothing changes. Undefined before the first event. */
  reply(): Reply | undefined {
    if (this.#message !== undefined) return createMessageHandle(frozenCopy(this.#message), this.#context.actions);
    return this.#task === undefined ? undefined : this.#snapshot(this.#task);
  }

  /** The task as it stands, said from the beginning: the task, then each artifact anew. Nothing before the first event. */
  restate(seq: number | undefined = this.#lastSeq): RunEvent[] {
    if (this.#task === undefined) return [];
    const handle = this.#snapshot(this.#task);
    const task = handle.raw;
    const events: RunEvent[] = [{ kind: "task", task: handle, seq, raw: { task } }];
    const lastChunk = handle.isTerminal;
    for (const artifact of task.artifacts ?? []) {
      const artifactUpdate = { taskId: task.id, contextId: task.contextId ?? "", artifact, append: false, lastChunk };
      events.push(this.#artifactEvent({ artifactUpdate }, undefined));
    }
    return events;
  }

  /** To be called when a new connection begins: its first event may say again what is known. */
  connected(): void {
    this.#awaitingFirst = true;
  }

  /** Takes one event of a stream and gives what is new in it, mostly one event, sometimes none. */
  absorb(received: StreamResponse, seq: number | undefined): RunEvent[] {
    const isFirst = this.#awaitingFirst;
    this.#awaitingFirst = false;
    if (received.task !== undefined) {
      // A snapshot says where the stream goes on, also when a peer counts each connection anew.
      if (isFirst || (seq !== undefined && seq > (this.#lastSeq ?? -1))) this.#lastSeq = seq;
      return this.#compare(received.task, seq);
    }
    if (received.message !== undefined) return this.#absorbMessage(received.message, received, seq);
    if (seq !== undefined && this.#lastSeq !== undefined && seq <= this.#lastSeq) return [];
    if (
      isFirst &&
      this.#task !== undefined &&
      (seq === undefined || this.#lastSeq === undefined || seq > this.#lastSeq + 1)
    ) {
      this.#hasGap = true;
    }
    if (seq !== undefined) this.#lastSeq = seq;
    return this.#absorbUpdate(received, seq);
  }

  /**
   * Takes a task that was read and gives what of it is new.
   *
   * @param task as it came; not changed
   */
  reconcile(task: Task): RunEvent[] {
    // It stands somewhere behind the last event, nobody says where: to go on from that event would repeat what it has.
    this.#lastSeq = undefined;
    this.#hasGap = false;
    return this.#compare(task, undefined);
  }

  #compare(snapshot: Task, seq: number | undefined): RunEvent[] {
    const status = this.#fold(snapshot.status);
    const task = this.#task;
    if (task === undefined) return this.#begin({ ...snapshot, status }, seq);
    const events: RunEvent[] = [];
    const contextId = snapshot.contextId ?? task.contextId ?? "";
    for (const difference of differenceOfArtifacts(task.artifacts ?? [], snapshot.artifacts ?? [])) {
      const lastChunk = isTerminalState(readTaskState(status.state).name);
      const artifactUpdate = { taskId: task.id, contextId, ...difference, lastChunk };
      events.push(this.#artifactEvent({ artifactUpdate }, undefined));
    }
    const isNewStatus = !isSameStatus(task.status, status);
    if (isNewStatus)
      events.push(this.#statusEvent({ statusUpdate: { taskId: task.id, contextId, status } }, undefined));
    applyStreamResponse(task, { task: { ...copyTask(snapshot), status } });
    if (events.length > 0) this.#progress++;
    return events;
  }

  #begin(first: Task, seq: number | undefined): RunEvent[] {
    this.#task = applyStreamResponse(undefined, { task: copyTask(first) });
    this.#progress++;
    return this.restate(seq);
  }

  #absorbMessage(message: Message, raw: StreamResponse, seq: number | undefined): RunEvent[] {
    if (this.#task !== undefined) {
      this.#context.warn(`the agent sent message ${message.messageId} in the stream of task ${this.#task.id}; ignored`);
      return [];
    }
    this.#message = message;
    this.#progress++;
    const handle = createMessageHandle(frozenCopy(message), this.#context.actions);
    return [{ kind: "message", message: handle, text: handle.text, seq, raw }];
  }

  #absorbUpdate(update: StreamResponse, seq: number | undefined): RunEvent[] {
    const taskId = update.statusUpdate?.taskId ?? update.artifactUpdate?.taskId ?? "";
    const task = this.#task ?? this.#inferTask(update, taskId);
    if (taskId !== "" && taskId !== task.id) {
      this.#context.warn(`the agent sent an event of task ${taskId} in the stream of task ${task.id}; ignored`);
      return [];
    }
    this.#progress++;
    if (update.statusUpdate !== undefined) {
      const folded = { statusUpdate: { ...update.statusUpdate, status: this.#fold(update.statusUpdate.status) } };
      applyStreamResponse(task, folded);
      return [this.#statusEvent(folded, seq)];
    }
    if (update.artifactUpdate === undefined) return [];
    const { artifact, append } = update.artifactUpdate;
    // A piece that goes on behind something that is not there begins it, for whoever watches.
    const isKnown = task.artifacts?.some((known) => known.artifactId === artifact.artifactId) === true;
    const taken = { artifactUpdate: { ...update.artifactUpdate, append: append === true && isKnown } };
    const event = this.#artifactEvent(taken, seq);
    applyStreamResponse(task, { artifactUpdate: { ...taken.artifactUpdate, artifact: copyArtifact(artifact) } });
    return [event];
  }

  // §3.1.2 wants the Task first. A peer that begins with an update has still told which task it is about.
  #inferTask(update: StreamResponse, taskId: string): Task {
    this.#context.warn(
      `the agent began the stream of task ${taskId} without the task; specification section 3.1.2 wants it first`,
    );
    const contextId = update.statusUpdate?.contextId ?? update.artifactUpdate?.contextId;
    const task: Task = { id: taskId, status: { state: "TASK_STATE_SUBMITTED" } };
    if (contextId !== undefined) task.contextId = contextId;
    this.#task = task;
    return task;
  }

  #fold(status: TaskStatus): TaskStatus {
    const { canonical, folded } = readTaskState(status.state);
    if (canonical === undefined)
      this.#context.warn(`the agent sent the unknown state ${JSON.stringify(status.state)}; treated as in flight`);
    if (!folded || canonical === undefined) return status;
    this.#context.warn(`the agent sent the state ${JSON.stringify(status.state)}; read as ${canonical}`);
    return { ...status, state: canonical };
  }

  #snapshot(task: Task): TaskHandle {
    return createTaskHandle(frozenCopy(task), this.#context.actions);
  }

  #statusEvent(raw: StreamResponse & { statusUpdate: object }, seq: number | undefined): RunEvent {
    const { taskId, contextId, status, metadata } = raw.statusUpdate;
    const state = readTaskState(status.state).name;
    const message = status.message && createMessageHandle(frozenCopy(status.message), this.#context.actions);
    const [isTerminal, isInterrupted] = [isTerminalState(state), isInterruptedState(state)];
    return {
      kind: "status",
      taskId,
      contextId,
      state,
      isTerminal,
      isInterrupted,
      text: message?.text ?? "",
      message,
      metadata,
      seq,
      raw,
    };
  }

  #artifactEvent(raw: StreamResponse & { artifactUpdate: object }, seq: number | undefined): RunEvent {
    const { taskId, artifact, append, lastChunk, metadata } = raw.artifactUpdate;
    const { artifactId } = artifact;
    const known =
      artifact.name === undefined ? this.#task?.artifacts?.findLast((one) => one.artifactId === artifactId) : artifact;
    return {
      kind: "artifact",
      taskId,
      artifactId,
      name: known?.name ?? artifactId,
      text: textOf(artifact),
      append: append === true,
      lastChunk: lastChunk === true,
      artifact: createArtifactHandle(artifact),
      metadata,
      seq,
      raw,
    };
  }
}

function isSameStatus(a: TaskStatus, b: TaskStatus): boolean {
  if (a.state !== b.state || a.message?.messageId !== b.message?.messageId) return false;
  return a.timestamp === undefined || b.timestamp === undefined || Date.parse(a.timestamp) === Date.parse(b.timestamp);
}

// The projection changes tasks in place and appends to part lists; what was received stays as it is.
function copyTask(task: Task): Task {
  const copy = { ...task };
  if (task.artifacts !== undefined) copy.artifacts = task.artifacts.map(copyArtifact);
  if (task.history !== undefined) copy.history = [...task.history];
  return copy;
}

function copyArtifact(artifact: Artifact): Artifact {
  return { ...artifact, parts: [...artifact.parts] };
}
