import type { HookRow } from "../../engine/push-hook.ts";
import { StoreCorrupt } from "../../engine/store.ts";
import { stateOf } from "./codes.ts";

/** What is selected of a webhook, in the order that {@link mapHookRow} reads. */
const COLUMNS =
  "h.task, h.id, h.config, h.version, h.cursor, h.due, h.attempts, h.epoch, h.holder, h.lease_until, h.dead, h.error, " +
  "h.created_at, t.id, t.context_id, t.seq, t.state, l.tenant, c.owner, l.agent";

/**
 * Gives the statement that reads webhooks; the caller adds conditions.
 *
 * @param prefix what stands before the name of every table, with its dot.
 * @param from the rows of webhooks, named `h`; the table by default.
 */
export function hookStatement(prefix: string, from: string = `${prefix}hooks`): string {
  return (
    `SELECT ${COLUMNS} FROM ${from} h JOIN ${prefix}tasks t ON t.key = h.task ` +
    `JOIN ${prefix}scopes c ON c.id = t.scope JOIN ${prefix}lanes l ON l.id = c.lane`
  );
}

/**
 * Reads a row of {@link hookStatement}.
 *
 * @param values the columns as the driver gives them, integers as numbers.
 * @throws StoreCorrupt naming the webhook when a value is not what was ever written there.
 */
export function mapHookRow(values: readonly unknown[]): HookRow {
  const state = stateOf(values[16]);
  const places = [0, 4, 6, 7, 9, 12, 15].map((at) => values[at]);
  const texts = [1, 2, 3, 13, 14, 17, 18, 19].map((at) => values[at]);
  if (
    state === undefined ||
    !places.every(Number.isSafeInteger) ||
    !texts.every((value) => typeof value === "string")
  ) {
    throw new StoreCorrupt(
      `webhook ${String(values[1])} of task ${String(values[13])} cannot be read; remove it, or restore its row from a backup`,
    );
  }
  const [key, cursor, attempts, epoch, leaseUntil, createdAt, seq] = places as readonly number[] as Integers;
  const [id, config, version, taskId, contextId, tenant, owner, agent] = texts as readonly string[] as Texts;
  const task = { key, taskId, contextId, tenant, owner, agent, seq, state };
  const due = values[5] === null ? null : Number(values[5]);
  const holder = values[8] === null ? null : String(values[8]);
  const error = values[11] === null ? null : String(values[11]);
  const dead = values[10] === true || values[10] === 1;
  return { ...task, id, config, version, cursor, due, attempts, epoch, holder, leaseUntil, dead, error, createdAt };
}

type Integers = readonly [number, number, number, number, number, number, number];
type Texts = readonly [string, string, string, string, string, string, string, string];
