/**
 * The versions of artifacts: an agent that refines something gives the new artifact the same name and another id, in
 * another task of the same context, and leaves it to the client to know which one counts (§3.4.3, "Life of a task").
 */
import type { Task } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import { type ArtifactHandle, createArtifactHandle } from "./artifact-handle.ts";
import { frozenCopy } from "./frozen-copy.ts";

/** What the caller decided about a version. */
export type VersionDecision = "undecided" | "accepted" | "rejected";

/** One version as it is stored: plain JSON. */
export interface VersionRecord {
  readonly taskId: string;
  /** The wire artifact. */
  readonly artifact: ArtifactHandle["raw"];
  readonly decision: VersionDecision;
  /** When it was first seen, in ms. */
  readonly seenAt: number;
}

/** Keeps the versions of a context beyond this process. */
export interface ArtifactHistoryStore {
  /** What was saved last; undefined for an unknown context. */
  load(contextId: string): Promise<readonly VersionRecord[] | undefined>;
  /** Replaces what was saved. Called in order, one call at a time per context. */
  save(contextId: string, versions: readonly VersionRecord[]): Promise<void>;
}

/** One version of an artifact. Immutable: a decision gives a new one. */
export interface ArtifactVersion {
  /** 1 for the first version of its name in the context. */
  readonly number: number;
  readonly taskId: string;
  readonly artifactId: string;
  readonly decision: VersionDecision;
  readonly seenAt: Date;
  readonly artifact: ArtifactHandle;
}

/** The versions of one name in one context, oldest first. */
export interface ArtifactVersions {
  readonly name: string;
  readonly versions: readonly ArtifactVersion[];
  /** The newest version; undefined when there is none yet. */
  readonly latest: ArtifactVersion | undefined;
  /** The newest version that was accepted: the one that counts. */
  readonly accepted: ArtifactVersion | undefined;
  /**
   * Accepts a version.
   *
   * @param version its number or its artifactId; default the latest
   * @throws LocalError CONFIGURATION when there is no such version
   */
  accept(version?: number | string): ArtifactVersion;
  /** Rejects a version; see {@link accept}. */
  reject(version?: number | string): ArtifactVersion;
}

/** Bounds and storage of the history. */
export interface ArtifactHistoryOptions {
  readonly store?: ArtifactHistoryStore | undefined;
  /** Contexts kept in memory, the least recently used leaving first; default 200. */
  readonly maxContexts?: number | undefined;
  /** Versions kept per context, undecided and rejected ones leaving before accepted ones; default 200. */
  readonly maxVersions?: number | undefined;
}

/** The versions of all contexts that a client has seen. */
export class ArtifactHistory {
  readonly #store: ArtifactHistoryStore | undefined;
  readonly #maxContexts: number;
  readonly #maxVersions: number;
  readonly #now: () => number;
  readonly #warn: (sentence: string) => void;
  readonly #contexts = new Map<string, VersionRecord[]>();
  readonly #saving = new Map<string, Promise<void>>();

  constructor(options: ArtifactHistoryOptions, now: () => number, warn: (sentence: string) => void) {
    this.#store = options.store;
    this.#maxContexts = options.maxContexts ?? 200;
    this.#maxVersions = options.maxVersions ?? 200;
    this.#now = now;
    this.#warn = warn;
  }

  /** Reads what the store knows of a context, and joins it with what was seen meanwhile. */
  async load(contextId: string): Promise<void> {
    const stored = await this.#store?.load(contextId);
    if (stored === undefined) return;
    const seen = this.#contexts.get(contextId) ?? [];
    this.#put(contextId, [
      ...stored,
      ...seen.filter((record) => !stored.some((known) => isSameVersion(known, record))),
    ]);
  }

  /** Resolves when everything that was seen and decided is in the store. */
  async saved(contextId: string): Promise<void> {
    await this.#saving.get(contextId);
  }

  /** Notes the artifacts of a task that was read. Tasks without context have no versions. */
  record(task: Readonly<Task>): void {
    if (task.contextId === undefined || task.artifacts === undefined || task.artifacts.length === 0) return;
    const records = [...(this.#contexts.get(task.contextId) ?? [])];
    let isChanged = false;
    for (const artifact of task.artifacts) {
      const seen = {
        taskId: task.id,
        artifact: frozenCopy(artifact),
        decision: "undecided",
        seenAt: this.#now(),
      } as const;
      const at = records.findIndex((known) => isSameVersion(known, seen));
      const known = records[at];
      if (known === undefined) records.push(seen);
      else if (JSON.stringify(known.artifact) === JSON.stringify(artifact)) continue;
      else records[at] = { ...known, artifact: seen.artifact };
      isChanged = true;
    }
    if (isChanged) this.#change(task.contextId, records);
  }

  /** The names of a context, in the order in which they were first seen. */
  names(contextId: string): readonly string[] {
    return [...new Set((this.#contexts.get(contextId) ?? []).map(nameOf))];
  }

  /** The versions of one name, as they are now. */
  versions(contextId: string, name: string): readonly ArtifactVersion[] {
    const records = (this.#contexts.get(contextId) ?? []).filter((record) => nameOf(record) === name);
    return Object.freeze(records.map((record, index) => toVersion(record, index + 1)));
  }

  /** Decides about a version; see {@link ArtifactVersions.accept}. */
  decide(
    contextId: string,
    name: string,
    which: number | string | undefined,
    decision: VersionDecision,
  ): ArtifactVersion {
    const versions = this.versions(contextId, name);
    const chosen =
      which === undefined ? versions.at(-1) : versions.find((one) => one.number === which || one.artifactId === which);
    if (chosen === undefined) {
      throw new LocalError(
        "CONFIGURATION",
        `artifact ${name} has no version ${which ?? ""} in context ${contextId}; it has ${versions.length}`,
      );
    }
    const records = (this.#contexts.get(contextId) ?? []).map((record) =>
      record.taskId === chosen.taskId && record.artifact.artifactId === chosen.artifactId
        ? { ...record, decision }
        : record,
    );
    this.#change(contextId, records);
    return Object.freeze({ ...chosen, decision });
  }

  #change(contextId: string, records: VersionRecord[]): void {
    this.#put(contextId, records);
    const kept = this.#contexts.get(contextId) ?? [];
    const store = this.#store;
    if (store === undefined) return;
    const before = this.#saving.get(contextId) ?? Promise.resolve();
    const saving = before
      .then(() => store.save(contextId, kept))
      .catch((error: unknown) =>
        this.#warn(`the artifact history of context ${contextId} was not saved: ${String(error)}`),
      );
    this.#saving.set(contextId, saving);
    void saving.then(() => {
      if (this.#saving.get(contextId) === saving) this.#saving.delete(contextId);
    });
  }

  #put(contextId: string, records: VersionRecord[]): void {
    const kept = records;
    while (kept.length > this.#maxVersions) {
      const victim = kept.findIndex((record) => record.decision !== "accepted");
      kept.splice(Math.max(0, victim), 1);
    }
    this.#contexts.delete(contextId);
    this.#contexts.set(contextId, kept);
    for (const oldest of this.#contexts.keys()) {
      if (this.#contexts.size <= this.#maxContexts) break;
      this.#contexts.delete(oldest);
    }
  }
}

function nameOf(record: VersionRecord): string {
  return record.artifact.name ?? record.artifact.artifactId;
}

function isSameVersion(a: VersionRecord, b: VersionRecord): boolean {
  return a.taskId === b.taskId && a.artifact.artifactId === b.artifact.artifactId;
}

function toVersion({ taskId, artifact, decision, seenAt }: VersionRecord, number: number): ArtifactVersion {
  const handle = createArtifactHandle(artifact);
  return Object.freeze({
    number,
    taskId,
    artifactId: artifact.artifactId,
    decision,
    seenAt: new Date(seenAt),
    artifact: handle,
  });
}
