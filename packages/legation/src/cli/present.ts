/** Shows the result of a command about a task, in either format, with what comes next. */
import type { Message, Task } from "../model/gen/types.ts";
import type { Payload } from "../operations/payload.ts";
import type { CommandContext } from "./command.ts";
import { nextCommand } from "./next-command.ts";
import type { OpenAgent } from "./open-agent.ts";
import { factsOf, renderReply, renderTask, type TaskFacts } from "./render-task.ts";
import { isSettled, shortState } from "./task-states.ts";
import { formatField } from "./text-output.ts";

/** How a task is shown. */
export interface PresentOptions {
  /** `send` answers with the wrapper `{"task":…}`, the other commands with the bare Task. */
  readonly isWrapped: boolean;
  readonly withHistory: boolean;
}

/** Shows a task. */
export async function presentTask(
  context: CommandContext,
  agent: OpenAgent,
  task: Payload<Task>,
  options: PresentOptions,
): Promise<void> {
  const { report } = context;
  const facts = factsOf(task.value);
  if (report.isJson) await report.json(options.isWrapped ? `{"task":${task.json}}` : task.json);
  else {
    const { verbose } = report.options;
    await report.text(renderTask(task.value, { isVerbose: verbose, withHistory: options.withHistory || verbose }));
    await presentNext(context, agent, facts);
  }
  warnOfOutcome(context, facts);
}

/** The command that goes on from here, as the last field. */
export async function presentNext(context: CommandContext, agent: OpenAgent, facts: TaskFacts): Promise<void> {
  await context.report.text(formatField("Next", nextCommand(agent.caller, facts)));
}

/** Names an outcome that is no success, and a task that waits for the caller, on stderr. */
export function warnOfOutcome({ report, messages }: CommandContext, { taskId, state }: TaskFacts): void {
  if (isSettled(state) && shortState(state) !== "COMPLETED") report.warn(messages.outcome(taskId, shortState(state)));
}

/** Shows a reply that needed no task. */
export async function presentReply({ report }: CommandContext, reply: Payload<Message>): Promise<void> {
  if (report.isJson) await report.json(`{"message":${reply.json}}`);
  else await report.text(renderReply(reply.value, report.options.verbose));
}
