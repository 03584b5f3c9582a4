/** What the engine runs for an agent: the user's handler, with handles around the turn and its result made an ending. */
import type { AgentRunner, Engine } from "../engine/engine.ts";
import { Ending, type Turn } from "../engine/turn.ts";
import type { JsonValue } from "../model/json.ts";
import { A2AError } from "../operations/errors.ts";
import type { AgentOptions, TaskResult } from "./agent-options.ts";
import { jsonOrThrow } from "./content.ts";
import { createStamps, pluginsOf } from "./extension-stamps.ts";
import { createMessageHandle } from "./message-handle.ts";
import { decodeMessageMeta } from "./message-meta.ts";
import { stampedTurn } from "./stamped-turn.ts";
import { createTaskContext, type TaskContext } from "./task-context.ts";

/** The artifact that a returned object becomes. */
const RESULT_ARTIFACT = "result";

/**
 * Makes the runner of an agent.
 *
 * @param engine gives the engine that will run it, which is made after its runners
 */
export function createAgentRunner(options: AgentOptions, engine: () => Engine): AgentRunner {
  const { name, version, recovery, onCancel } = options;
  const plugins = pluginsOf(options.extensions);
  return {
    name,
    version,
    ...(recovery === undefined ? {} : { recovery }),
    ...(onCancel === undefined ? {} : { onCancel: ({ taskId }, metadata) => onCancel({ id: taskId }, metadata) }),
    async run(turn, incoming) {
      // Tasks of an earlier version of the agent that had onTask.
      if (options.onTask === undefined)
        throw new A2AError("UNSUPPORTED_OPERATION", "this agent no longer works on tasks");
      const message = createMessageHandle(incoming.message);
      if (plugins.length === 0) {
        const ending = endingOf(
          turn,
          await options.onTask(createTaskContext({ turn, incoming, agent: name, engine: engine() }), message),
        );
        return ending instanceof Promise ? await ending : ending;
      }
      const active = decodeMessageMeta(incoming.meta).extensions;
      let task: TaskContext;
      const stamps = createStamps(plugins, active, () => ({ turn: task, message: incoming.message }));
      const stamped = stamps === undefined ? turn : stampedTurn(turn, stamps);
      task = createTaskContext({ turn: stamped, incoming, agent: name, engine: engine() });
      if (stamps === undefined) {
        const ending = endingOf(turn, await options.onTask(task, message));
        return ending instanceof Promise ? await ending : ending;
      }
      try {
        const ending = await endingOf(stamped, await options.onTask(task, message));
        return ending === undefined ? undefined : stamps.ending(ending);
      } catch (thrown) {
        throw thrown instanceof Ending ? stamps.ending(thrown) : thrown;
      }
    },
  };
}

/** What a handler gave as the end of its turn; an object is written as an artifact before, else nothing is waited for. */
function endingOf(turn: Turn, result: TaskResult): Promise<undefined> | Ending | undefined {
  if (result === undefined || result === "") return undefined;
  if (result instanceof Ending) return result;
  if (typeof result === "string") return new Ending("return", { parts: [{ text: result }] });
  return writeResult(turn, jsonOrThrow(result));
}

async function writeResult(turn: Turn, data: JsonValue): Promise<undefined> {
  await turn.artifact({ name: RESULT_ARTIFACT, parts: [{ data }], lastChunk: true });
}
