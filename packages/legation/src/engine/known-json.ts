/**
 * JSON that was made of parts of a Task when they were written into its log. What is answered is put together from it,
 * as long as everything in the Task is known: nothing of a short task is written as JSON twice.
 */
import type { Task, TaskStatus } from "../model/gen/types.ts";
import type { Change } from "./projection.ts";

/** A task with more in it is written as a whole: to look for each part would cost as much. */
const MOST = 12;
const NOTHING: (object | string)[] = [];

export class KnownJson {
  /** Messages and artifacts as they stand in the Task, the JSON of each behind it. */
  #known: (object | string)[] = NOTHING;
  #status: TaskStatus | undefined;
  #statusText = "";
  #isOver = false;

  /** Takes note of a change that the Task has taken over. */
  note(change: Change): void {
    if (this.#isOver) return;
    const { json } = change;
    // What is appended to an artifact changes it.
    const isAppend = change.kind === "artifact" && change.update.append === true;
    if (json === undefined || isAppend || this.#known.length >= 2 * MOST) this.end();
    else if (change.kind === "created") this.#keepStatus(change.task.status, json);
    else if (change.kind === "message") this.#keep(change.message, json);
    else if (change.kind === "artifact") this.#keep(change.update.artifact, json);
    else {
      const { message } = change.status;
      if (message !== undefined && change.said !== undefined) this.#keep(message, change.said);
      this.#keepStatus(change.status, json);
    }
  }

  /** Nothing is known from now on. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#status = undefined;
    this.#known = NOTHING;
  }

  /** The JSON of the whole task, as {@link ./projection.ts shapeTask} gives it; undefined where not all of it is known. */
  json({ id, contextId, status, artifacts, history, metadata }: Task, historyCap: number): string | undefined {
    if (this.#status !== status || contextId === undefined || (history?.length ?? 0) > historyCap) return undefined;
    const list = ['{"id":', JSON.stringify(id), ',"contextId":', JSON.stringify(contextId)];
    list.push(',"status":', this.#statusText);
    if (!this.#list(list, ',"artifacts":[', artifacts) || !this.#list(list, ',"history":[', history)) return undefined;
    if (metadata !== undefined) list.push(',"metadata":', JSON.stringify(metadata));
    list.push("}");
    // One flat text: it is kept for as long as the task is.
    return list.join("");
  }

  /** Adds a list of a task; false when something of it is not known. */
  #list(list: string[], start: string, objects: readonly object[] | undefined): boolean {
    if (objects === undefined || objects.length === 0) return true;
    let before = start;
    for (const object of objects) {
      const text = this.#of(object);
      if (text === undefined) return false;
      list.push(before, text);
      before = ",";
    }
    list.push("]");
    return true;
  }

  #keepStatus(status: TaskStatus, text: string): void {
    this.#status = status;
    this.#statusText = text;
  }

  #keep(object: object, text: string): void {
    if (this.#known === NOTHING) this.#known = [object, text];
    else this.#known.push(object, text);
  }

  #of(object: object): string | undefined {
    const at = this.#known.lastIndexOf(object);
    return at === -1 ? undefined : (this.#known[at + 1] as string);
  }
}
