/** What the engine runs for an agent: the user's handler, with handles around the turn and its result made an ending. */
import type { AgentRunner, Engine } from "../engine/engine.ts";
import { Ending, type Turn } from "../engine/turn.ts";
import { A2AError } from "../operations/errors.ts";
import type { AgentOptions, TaskResult } from "./agent-options.ts";
import { jsonOrThrow } from "./content.ts";
import { createMessageHandle } from "./message-handle.ts";
import { createTaskContext } from "./task-context.ts";

/** The artifact that a returned object becomes. */
const RESULT_ARTIFACT = "result";

/**
 * Makes the runner of an agent.
 *
 * @param engine gives the engine that will run it, which is made after its runners
 */
export function createAgentRunner(options: AgentOptions, engine: () => Engine): AgentRunner {
  const { name, version, recovery, onCancel } = options;
  return {
    name,
    version,
    ...(recovery === undefined ? {} : { recovery }),
    ...(onCancel === undefined ? {} : { onCancel: ({ taskId }, metadata) => onCancel({ id: taskId }, metadata) }),
    async run(turn, incoming) {
      // Tasks of an earlier version of the agent that had onTask.
      if (options.onTask === undefined)
        throw new A2AError("UNSUPPORTED_OPERATION", "this agent no longer works on tasks");
      const task = createTaskContext({ turn, incoming, agent: name, engine: engine() });
      return endingOf(turn, await options.onTask(task, createMessageHandle(incoming.message)));
    },
  };
}

async function endingOf(turn: Turn, result: TaskResult): Promise<Ending | undefined> {
  if (result === undefined || result === "") return undefined;
  if (result instanceof Ending) return result;
  if (typeof result === "string") return new Ending("return", { parts: [{ text: result }] });
  const data = jsonOrThrow(result);
  await turn.artifact({ name: RESULT_ARTIFACT, parts: [{ data }], lastChunk: true });
  return undefined;
}
