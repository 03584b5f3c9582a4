/** How an agent with `onMessage` answers: by a stored reply, or as a hybrid by a task. */
import type { Accepted, Engine } from "../engine/engine.ts";
import type { Message } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import type { Admitted } from "./admission.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createStamps, pluginsOf } from "./extension-stamps.ts";
import { createMessageHandle } from "./message-handle.ts";
import { createMessageTurn, replyOf, StartedTask } from "./message-turn.ts";
import type { ServerLog } from "./server-log.ts";

/** What is needed to answer. */
export interface MessageAnswerParts {
  readonly engine: Engine;
  readonly options: AgentOptions;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  readonly log: ServerLog;
}

/**
 * Runs `onMessage` at most once at a time per request; a repeated request gets what the first one got.
 *
 * @throws what `onMessage` throws, as long as no task was started
 */
export function answerMessage(parts: MessageAnswerParts, admitted: Admitted): Promise<Accepted> {
  const { engine, options, newId } = parts;
  const plugins = pluginsOf(options.extensions);
  const contextId = admitted.message.contextId ?? newId();
  const message: Message = { ...admitted.message, contextId };
  return engine.answerOnce(admitted.dedupe, admitted.scope, async () => {
    let starting: Promise<Accepted> | undefined;
    const turn = createMessageTurn(
      {
        engine,
        scope: admitted.scope,
        contextId,
        message,
        meta: admitted.meta,
        signal: parts.signal,
      },
      async () => {
        starting ??= startTask(parts, admitted, contextId);
        return new StartedTask((await starting).taskId);
      },
    );
    const active = plugins.length === 0 ? [] : turn.extensions;
    const stamps = createStamps(plugins, active, () => ({ turn, message }));
    try {
      const result = await options.onMessage?.(createMessageHandle(message), turn);
      if (starting === undefined) {
        const reply = replyOf(result, { messageId: newId(), contextId });
        if (stamps !== undefined) return { reply: JSON.stringify(stamps.message(reply)) };
        return { reply: JSON.stringify(reply), message: reply };
      }
    } catch (thrown) {
      if (starting === undefined) throw thrown;
      // Once there is a task only the task answers (§3.1.1): what went wrong afterwards is the operator's to know.
      parts.log({ level: "warn", event: "message.failed-after-start", error: thrown });
    }
    return starting;
  });
}

function startTask({ engine, options }: MessageAnswerParts, admitted: Admitted, contextId: string): Promise<Accepted> {
  if (options.onTask === undefined) {
    throw new LocalError("CONFIGURATION", `agent ${options.name} called startTask() but has no onTask; give it one`);
  }
  const { scope, message, meta, hook, dedupe } = admitted;
  return engine.createTask({ scope, contextId, incoming: { message, meta }, hook, dedupe });
}
