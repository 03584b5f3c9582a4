/**
 * The artifact of a task that grows by chunks. What they bring is kept as it came until somebody looks into the task:
 * most tasks are only ever answered as JSON, and then no object stands for each of thousands of texts.
 */
import type { Artifact, Part, Task } from "../model/gen/types.ts";
import type { Chunk, ChunkContent, ChunkForm } from "./chunk.ts";
import { shapedTask } from "./projection.ts";

export class ArtifactGrowth {
  #artifact: Artifact | undefined;
  /** Of the last chunk: the next one of the same form goes where that went. */
  #form: ChunkForm | undefined;
  /** What the artifact has beside the parts that stand in it. */
  #contents: ChunkContent[] = [];

  /** Takes in a chunk; false when it does not go to the newest artifact. */
  take({ form, content }: Chunk, task: Task | undefined): boolean {
    if (form === this.#form) {
      this.#contents.push(content);
      return true;
    }
    const artifact = task?.artifacts?.at(-1);
    if (artifact?.artifactId !== form.artifactId || artifact.name !== form.name) return false;
    if (artifact !== this.#artifact) {
      this.settle();
      this.#artifact = artifact;
    }
    this.#form = form;
    this.#contents.push(content);
    return true;
  }

  /** Puts the parts into the artifact: what follows looks at it. */
  settle(): void {
    const artifact = this.#artifact;
    if (artifact === undefined) return;
    for (const part of this.#parts()) artifact.parts.push(part);
    this.#artifact = undefined;
    this.#form = undefined;
    this.#contents = [];
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
    const { parts, ...head } = this.#artifact;
    const known = JSON.stringify({ ...head, parts }).slice(0, -2);
    const grown = JSON.stringify(this.#parts()).slice(1);
    const comma = parts.length === 0 || grown === "]" ? "" : ",";
    // Joined once: the text is long, and is kept as it is.
    return [start, ',"artifacts":[', ...others, known, comma, grown, end === "}" ? "}]" : "}],", end].join("");
  }

  #parts(): Part[] {
    const parts: Part[] = [];
    for (const content of this.#contents) {
      if (typeof content === "string") parts.push({ text: content });
      else parts.push(...content);
    }
    return parts;
  }
}
