/**
 * The artifact of a task that grows by chunks. Their JSON is kept until somebody looks into the task: most tasks are only
 * ever answered as JSON, and then no part of them is made an object and written out again.
 */
import type { Artifact, Part, Task } from "../model/gen/types.ts";
import type { Chunk } from "./chunk.ts";
import { shapedTask } from "./projection.ts";

export class ArtifactGrowth {
  #artifact: Artifact | undefined;
  /** JSON of the parts that the artifact has beside those that stand in it. */
  #parts: string[] = [];

  /** Takes in a chunk; false when it does not go to the newest artifact. */
  take({ form, content }: Chunk, task: Task | undefined): boolean {
    const artifact = task?.artifacts?.at(-1);
    if (artifact?.artifactId !== form.artifactId || artifact.name !== form.name) return false;
    if (artifact !== this.#artifact) {
      this.settle();
      this.#artifact = artifact;
    }
    this.#parts.push(content.json);
    return true;
  }

  /** Puts the parts into the artifact: what follows looks at it. */
  settle(): void {
    const artifact = this.#artifact;
    if (artifact === undefined) return;
    for (const part of JSON.parse(`[${this.#parts.join()}]`) as Part[]) artifact.parts.push(part);
    this.#artifact = undefined;
    this.#parts = [];
  }

  /** The JSON of the whole task, as {@link shapeTask} gives it; undefined when nothing of it is kept here. */
  json(task: Task, historyCap: number): string | undefined {
    const artifacts = task.artifacts ?? [];
    if (this.#artifact === undefined || artifacts.at(-1) !== this.#artifact) return undefined;
    const { id, contextId, status } = task;
    const start = JSON.stringify({ id, contextId, status }).slice(0, -1);
    const others = artifacts.slice(0, -1).map((artifact) => `${JSON.stringify(artifact)},`);
    const { history, metadata } = shapedTask(task, {}, historyCap);
    const end = JSON.stringify({ history, metadata }).slice(1);
    const list = [start, ',"artifacts":[', ...others, this.#grown(this.#artifact), end === "}" ? "]" : "],", end];
    return list.join("");
  }

  #grown({ parts, ...head }: Artifact): string {
    const known = JSON.stringify({ ...head, parts }).slice(0, -2);
    return [known, parts.length === 0 ? "" : ",", this.#parts.join(), "]}"].join("");
  }
}
