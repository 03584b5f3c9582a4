/** Commands to paste: what a caller does next, with every id that it needs (a2a-cli specification §8.2). */
import { isTerminal, shortState } from "./task-states.ts";

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** How this invocation names program and agent. */
export interface Caller {
  readonly program: string;
  readonly agentCard: string;
}

/** The command that goes on from a task in some state. */
export function nextCommand(
  { program, agentCard }: Caller,
  task: { readonly taskId: string; readonly contextId: string; readonly state: string },
): string {
  const agent = `-a ${shellWord(agentCard)}`;
  if (isTerminal(task.state)) {
    return `${program} send ${agent} --context-id ${shellWord(task.contextId)} "<message>"`;
  }
  if (shortState(task.state) === "INPUT_REQUIRED") {
    return `${program} send ${agent} --task-id ${shellWord(task.taskId)} "<reply>"`;
  }
  return `${program} task get ${agent} --wait ${shellWord(task.taskId)}`;
}
