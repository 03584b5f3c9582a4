/**
 * Follows a run of the client to where a command ends: the task is terminal, or it needs the caller. Live, every event
 * is shown as it comes; otherwise the task is shown once, as it is in the end.
 */
import type { Run } from "../client/run.ts";
import type { RunEvent } from "../client/run-event.ts";
import type { Message, StreamResponse, Task } from "../model/gen/types.ts";
import { isA2AError, isLocalError } from "../operations/errors.ts";
import { type Payload, payloadOfValue } from "../operations/payload.ts";
import type { CommandContext } from "./command.ts";
import type { OpenAgent } from "./open-agent.ts";
import { type PollOptions, pollTask } from "./poll-task.ts";
import { presentNext, presentReply, presentTask, warnOfOutcome } from "./present.ts";
import { factsOf, renderEvent, renderFacts, type TaskFacts } from "./render-task.ts";
import { isInterrupted, isSettled, isTerminal } from "./task-states.ts";

/** What is followed, and how it is shown. */
export interface FollowOptions {
  readonly run: Run;
  readonly isLive: boolean;
  /** The first Task of an answer to a question still shows the question. */
  readonly isFollowUp: boolean;
  readonly isWrapped: boolean;
  readonly polling: PollOptions;
}

interface Followed {
  facts: TaskFacts | undefined;
  reply: Message | undefined;
  /** Whether the last event shown restates task, context and state. */
  isRestated: boolean;
}

/**
 * @throws What the agent answers before there is a task; afterwards a broken stream is made up for by asking for the
 * task at intervals.
 */
export async function followRun(context: CommandContext, agent: OpenAgent, options: FollowOptions): Promise<void> {
  const { report } = context;
  const followed: Followed = { facts: undefined, reply: undefined, isRestated: false };
  let failure: unknown;
  try {
    await readEvents(context, agent, options, followed);
  } catch (thrown) {
    if (!canPoll(thrown, followed, agent)) throw thrown;
    failure = thrown;
    report.warn(context.messages.polling(thrown instanceof Error ? thrown.message : String(thrown)));
  }
  if (followed.reply !== undefined) {
    if (!options.isLive) await presentReply(context, payloadOfValue(followed.reply));
    return;
  }
  const { facts } = followed;
  if (facts === undefined) return;
  const isOver = isSettled(facts.state);
  if (!options.isLive || !isOver) {
    const task = await finalTask(agent, facts.taskId, isOver, options.polling);
    await present(context, agent, task, options);
    return;
  }
  if (!report.isJson) {
    if (!followed.isRestated || failure !== undefined) await report.text(renderFacts(facts));
    await presentNext(context, agent, facts);
  }
  warnOfOutcome(context, facts);
}

async function finalTask(
  agent: OpenAgent,
  taskId: string,
  isOver: boolean,
  polling: PollOptions,
): Promise<Payload<Task>> {
  if (!isOver) return pollTask(agent, taskId, polling);
  const { historyLength } = polling;
  const request = { id: taskId, ...(historyLength === undefined ? {} : { historyLength }) };
  const task = await agent.service.getTask(request, agent.call());
  agent.saw(factsOf(task.value));
  return task;
}

/** Live JSON lines are stream responses to their end, so that a task that was polled for comes as one, too. */
async function present(
  context: CommandContext,
  agent: OpenAgent,
  task: Payload<Task>,
  { isLive, isWrapped, polling }: FollowOptions,
): Promise<void> {
  await presentTask(context, agent, task, {
    isWrapped: isWrapped || isLive,
    withHistory: polling.historyLength !== undefined,
  });
}

async function readEvents(
  context: CommandContext,
  agent: OpenAgent,
  { run, isLive, isFollowUp }: FollowOptions,
  followed: Followed,
): Promise<void> {
  let isFirst = true;
  for await (const event of run) {
    note(event, followed);
    if (followed.facts !== undefined) agent.saw(followed.facts);
    if (isLive) await show(context, event.raw);
    if (isOver(event, followed, isFirst && isFollowUp)) return;
    isFirst = false;
  }
}

function note(event: RunEvent, followed: Followed): void {
  const { raw } = event;
  followed.isRestated = raw.task !== undefined || raw.statusUpdate !== undefined || raw.message !== undefined;
  if (raw.task !== undefined) followed.facts = factsOf(raw.task as Task);
  if (raw.message !== undefined) followed.reply = raw.message as Message;
  if (raw.statusUpdate !== undefined) {
    const { taskId, contextId, status } = raw.statusUpdate;
    followed.facts = { taskId, contextId, state: status.state };
  }
}

/** The run ends by itself in most places; AUTH_REQUIRED ends a command, though not a stream (A2A §7.6.1). */
function isOver(event: RunEvent, { facts }: Followed, isOldNews: boolean): boolean {
  if (facts === undefined || isOldNews) return false;
  return isTerminal(facts.state) || (event.kind === "status" && isInterrupted(facts.state));
}

async function show({ report }: CommandContext, event: StreamResponse): Promise<void> {
  if (report.isJson) await report.json(JSON.stringify(event));
  else await report.text(renderEvent(event, report.options.verbose));
}

/** A break says nothing of the task, and what a peer does not stream can still be asked for. */
function canPoll(thrown: unknown, { facts }: Followed, agent: OpenAgent): boolean {
  if (facts === undefined || agent.signal.aborted) return false;
  if (isLocalError(thrown)) return thrown.code === "STREAM_TRUNCATED" || thrown.code === "UNREACHABLE";
  return (
    isA2AError(thrown, "UNSUPPORTED_OPERATION") ||
    isA2AError(thrown, "METHOD_NOT_FOUND") ||
    isA2AError(thrown, "UNAVAILABLE")
  );
}
