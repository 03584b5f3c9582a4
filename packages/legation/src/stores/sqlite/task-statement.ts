import { TASK_COLUMNS } from "../sql/task-columns.ts";

/** Gives the statement that reads one task by a condition on `t`. */
export function taskStatement(condition: string): string {
  return `SELECT ${TASK_COLUMNS} FROM tasks t LEFT JOIN snapshots s ON s.task = t.key WHERE ${condition}`;
}

/** Gives the same without the snapshot, which is long where the history is: it is not read from the file then. */
export function rowStatement(condition: string): string {
  return `SELECT ${TASK_COLUMNS} FROM tasks t, (SELECT NULL AS json, NULL AS seq) s WHERE ${condition}`;
}
