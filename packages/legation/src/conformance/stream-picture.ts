/**
 * What a stream has told of its task when it is over. A Task snapshot at the beginning may already hold what a fast
 * agent has done, so a check that counts events would judge speed; the picture is the same for fast and slow agents.
 */
import type { JsonObject } from "../model/json.ts";
import { objectsAt, textAt, valueAt } from "./json-path.ts";
import type { Frame } from "./wire-stream.ts";

/** The task at the end of a stream. */
export interface StreamPicture {
  /** The last state, `COMPLETED`; `""` where none was told. */
  readonly state: string;
  /** The text of each artifact by its name, its chunks joined, in the order in which they first came. */
  readonly artifacts: Readonly<Record<string, string>>;
}

/** Puts the picture together: the snapshot, then the updates in their order. */
export function pictureOf(frames: readonly Frame[]): StreamPicture {
  let state = "";
  const names = new Map<string, string>();
  const texts = new Map<string, string>();
  const take = (artifact: unknown, append: boolean): void => {
    const id = textAt(artifact, "artifactId") ?? "";
    names.set(id, textAt(artifact, "name") ?? names.get(id) ?? id);
    texts.set(id, (append ? (texts.get(id) ?? "") : "") + textOf(artifact));
  };
  for (const { payload } of frames) {
    state = textAt(payload, "task.status.state") ?? textAt(payload, "statusUpdate.status.state") ?? state;
    for (const artifact of objectsAt(payload, "task.artifacts")) take(artifact, false);
    const update = valueAt(payload, "artifactUpdate");
    if (update !== undefined) take(valueAt(update, "artifact"), valueAt(update, "append") === true);
  }
  const artifacts = Object.fromEntries([...texts].map(([id, text]) => [names.get(id) ?? id, text]));
  return { state: state.replace("TASK_STATE_", ""), artifacts };
}

function textOf(artifact: unknown): string {
  return objectsAt(artifact, "parts")
    .map((part: JsonObject) => textAt(part, "text") ?? "")
    .join("");
}
