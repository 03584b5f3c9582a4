/**
 * Message ids that are used for more than one request. It is legal and mostly a client's mistake: with
 * `dedupe: "strict"` it is refused, else the operator is told.
 */
import type { Engine } from "../engine/engine.ts";
import type { DedupeKey } from "../engine/store.ts";
import { invalidField } from "../operations/errors.ts";
import type { Admitted } from "./admission.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { ServerLog } from "./server-log.ts";

/** Watches over message ids. */
export interface ReuseWatch {
  /**
   * A promise only where something has to be read.
   *
   * @throws INVALID_PARAMS on `message.messageId` when the agent is strict and the id belongs to another request
   */
  check(admitted: Admitted): Promise<void> | undefined;
}

/** How many ids a process remembers at least for the warning; a hint needs no more. */
const REMEMBERED = 256;

/** Stands where the hash of a request stands: one row per message id, whatever the request. */
const STRICT_ROW = "strict";

/** Makes the watch of one agent. */
export function createReuseWatch(engine: Engine, options: AgentOptions, log: ServerLog): ReuseWatch {
  return options.dedupe === "strict" ? strictWatch(engine, options) : lenientWatch(log);
}

function strictWatch(engine: Engine, options: AgentOptions): ReuseWatch {
  return {
    async check({ dedupe, scope, message }) {
      if (dedupe === undefined) return;
      // Of a message to a task that is not there nothing may stay, not even its id.
      if (message.taskId !== undefined)
        await engine.getTask(scope, message.taskId, { historyLength: 0, artifacts: false });
      const key = { ...dedupe, hash: `${STRICT_ROW} ${options.name}` };
      const first = await engine.answerOnce(key, scope, async () => ({ reply: JSON.stringify(dedupe.hash) }));
      if (first.reply !== undefined && JSON.parse(first.reply) !== dedupe.hash) {
        throw invalidField(
          "message.messageId",
          `${message.messageId} was used for another message; make a new id for every message`,
        );
      }
    },
  };
}

function lenientWatch(log: ServerLog): ReuseWatch {
  let recent = new Map<string, DedupeKey>();
  let older = new Map<string, DedupeKey>();
  return {
    check({ dedupe }) {
      if (dedupe === undefined) return undefined;
      const { tenant, owner, messageId, hash } = dedupe;
      const before = recent.get(messageId) ?? older.get(messageId);
      // Of several callers with the same id the last one is remembered: it is a hint.
      if (before !== undefined && before.tenant === tenant && before.owner === owner) {
        if (before.hash === hash) return undefined;
        log({ level: "warn", event: "message.id-reused", messageId });
      }
      recent.set(messageId, dedupe);
      // Forgetting by the hundred costs nothing per message; forgetting the oldest one each time would.
      if (recent.size >= REMEMBERED) {
        older = recent;
        recent = new Map();
      }
      return undefined;
    },
  };
}
