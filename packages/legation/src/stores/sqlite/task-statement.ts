import { TASK_COLUMNS } from "../sql/task-columns.ts";

/** Gives the statement that reads one task by a condition on `t`. */
export function taskStatement(condition: string): string {
  return `SELECT ${TASK_COLUMNS} FROM tasks t LEFT JOIN snapshots s ON s.task = t.key WHERE ${condition}`;
}
