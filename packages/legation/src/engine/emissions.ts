/**
 * Artifacts and statuses of a turn, written once although the turn may run again.
 *
 * A turn that runs again emits again. What equals the log is not written again; at the first difference, or when the
 * turn ends with less than the log has, ONE replacement of the artifact is written and from then on everything is
 * live. So subscribers see a clean artifact, never a splice of two runs. Statuses are only counted.
 */
import type { Part, StreamResponse, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import { A2AError } from "../operations/errors.ts";
import type { EventRow } from "./store.ts";
import type { ArtifactDraft } from "./turn.ts";

/** What a turn really writes for one emission. */
export interface ArtifactWrite {
  readonly artifactId: string;
  readonly parts: readonly Part[];
  readonly append: boolean;
}

/** What the log has of one artifact since it was last replaced within the turn. */
interface LoggedVersion {
  readonly parts: Part[];
}

interface ArtifactState {
  readonly artifactId: string;
  /** Versions in the log that the turn has not come to yet. */
  readonly logged: LoggedVersion[];
  /** The version that is being compared; undefined when this artifact is live. */
  current: LoggedVersion | undefined;
  /** Place in `current`: part, and characters within a text part. */
  part: number;
  offset: number;
  /** What this run has emitted of the version that is being compared. */
  emitted: Part[];
}

/** Counts of what a step emitted: recorded with it, because it is skipped with it. */
export interface Emitted {
  statuses: number;
  /** By name of the artifact: how many versions it began. */
  artifacts: Record<string, number>;
}

export class Emissions {
  readonly #artifacts = new Map<string, ArtifactState>();
  readonly #newId: () => string;
  readonly #idOf: (name: string) => string | undefined;
  /** Statuses of the handler that the log has and this run has not come to. */
  #statuses = 0;

  /**
   * @param rows the log after the entry that began the turn
   * @param idOf the id of an artifact that the task has by that name, from this turn or one before
   */
  constructor(rows: readonly EventRow[], newId: () => string, idOf: (name: string) => string | undefined) {
    this.#newId = newId;
    this.#idOf = idOf;
    let before: EventRow | undefined;
    for (const row of rows) {
      if (row.kind === "status" && !isOfEngine(before)) this.#statuses += 1;
      if (row.kind === "artifact" && row.payload !== "") this.#log(row.payload);
      before = row;
    }
  }

  /** True when a status is in the log already. */
  skipsStatus(): boolean {
    if (this.#statuses === 0) return false;
    this.#statuses -= 1;
    return true;
  }

  /** A recorded step is skipped, and with it what it emitted. */
  skip(emitted: Emitted): void {
    this.#statuses = Math.max(0, this.#statuses - emitted.statuses);
    for (const [name, versions] of Object.entries(emitted.artifacts)) {
      const state = this.#artifacts.get(name);
      if (state === undefined) continue;
      state.logged.splice(0, versions);
      state.current = undefined;
    }
  }

  /**
   * What has to be written for an emission: nothing while it equals the log.
   *
   * @throws A2AError INVALID_AGENT_RESPONSE for an append to an artifact that was never begun
   */
  artifact(draft: ArtifactDraft): ArtifactWrite | undefined {
    const append = draft.append === true;
    const state = this.#state(draft, append);
    if (!append) {
      state.current = state.logged.shift();
      state.part = 0;
      state.offset = 0;
      state.emitted = [];
    }
    if (state.current === undefined) return { artifactId: state.artifactId, parts: draft.parts, append };
    return this.#compare(state, state.current, draft.parts);
  }

  /** Begins an artifact that is written as one unit: whatever the log has of it is replaced. */
  fresh(name: string, artifactId: string | undefined): void {
    const state = this.#artifacts.get(name);
    if (state === undefined) {
      this.#artifacts.set(name, newState(artifactId ?? this.#idOf(name) ?? this.#newId()));
      return;
    }
    state.logged.length = 0;
    state.current = undefined;
  }

  /** At the end of the turn: replacements of what the log has more of than this run emitted. */
  finish(): readonly { readonly name: string; readonly write: ArtifactWrite }[] {
    const writes = [];
    for (const [name, state] of this.#artifacts) {
      const { current } = state;
      if (current === undefined || state.emitted.length === 0 || isAtEnd(state, current)) continue;
      state.current = undefined;
      writes.push({ name, write: { artifactId: state.artifactId, parts: state.emitted, append: false } });
    }
    return writes;
  }

  #state(draft: ArtifactDraft, append: boolean): ArtifactState {
    const known = this.#artifacts.get(draft.name);
    if (known !== undefined && (draft.artifactId === undefined || draft.artifactId === known.artifactId)) return known;
    const artifactId = draft.artifactId ?? this.#idOf(draft.name);
    if (append && artifactId === undefined) {
      throw new A2AError(
        "INVALID_AGENT_RESPONSE",
        `artifact "${draft.name}" has nothing to append to: write it once without append first`,
      );
    }
    const state = newState(artifactId ?? this.#newId());
    this.#artifacts.set(draft.name, state);
    return state;
  }

  #log(payload: string): void {
    const update = (JSON.parse(payload) as StreamResponse).artifactUpdate as TaskArtifactUpdateEvent;
    const name = update.artifact.name ?? update.artifact.artifactId;
    let state = this.#artifacts.get(name);
    if (state === undefined) {
      state = newState(update.artifact.artifactId);
      this.#artifacts.set(name, state);
    }
    const last = state.logged[state.logged.length - 1];
    if (update.append === true && last !== undefined) last.parts.push(...update.artifact.parts);
    else state.logged.push({ parts: [...update.artifact.parts] });
  }

  #compare(state: ArtifactState, current: LoggedVersion, parts: readonly Part[]): ArtifactWrite | undefined {
    for (const [index, part] of parts.entries()) {
      const rest = consume(state, current, part);
      if (rest === "equal") {
        state.emitted.push(part);
        continue;
      }
      state.current = undefined;
      if (rest === "different") {
        return { artifactId: state.artifactId, parts: [...state.emitted, ...parts.slice(index)], append: false };
      }
      const more = rest === "beyond" ? parts.slice(index) : [rest, ...parts.slice(index + 1)];
      return { artifactId: state.artifactId, parts: more, append: true };
    }
    return undefined;
  }
}

function newState(artifactId: string): ArtifactState {
  return { artifactId, logged: [], current: undefined, part: 0, offset: 0, emitted: [] };
}

/** The engine writes a status right after the journal entry that it belongs to. */
function isOfEngine(before: EventRow | undefined): boolean {
  return before === undefined || before.kind === "turn" || before.kind === "decision" || before.kind === "opened";
}

function isAtEnd(state: ArtifactState, current: LoggedVersion): boolean {
  return state.part >= current.parts.length;
}

/**
 * Moves over what a part has in common with the log. `equal`: all of it is there. A part: the log ends within a text,
 * this is the rest. `beyond`: the log has ended before it. `different`: it is not what the log has.
 */
function consume(state: ArtifactState, current: LoggedVersion, part: Part): "equal" | "beyond" | "different" | Part {
  if (isAtEnd(state, current)) return "beyond";
  if (part.text === undefined) {
    if (state.offset !== 0 || JSON.stringify(current.parts[state.part]) !== JSON.stringify(part)) return "different";
    state.part += 1;
    return "equal";
  }
  let text = part.text;
  while (text.length > 0) {
    const logged = current.parts[state.part];
    if (logged === undefined) return { ...part, text };
    if (logged.text === undefined || !isSameKind(logged, part)) return "different";
    const length = Math.min(text.length, logged.text.length - state.offset);
    if (text.slice(0, length) !== logged.text.slice(state.offset, state.offset + length)) return "different";
    text = text.slice(length);
    state.offset += length;
    if (state.offset === logged.text.length) {
      state.part += 1;
      state.offset = 0;
    }
  }
  return "equal";
}

function isSameKind(a: Part, b: Part): boolean {
  return (
    a.mediaType === b.mediaType &&
    a.filename === b.filename &&
    JSON.stringify(a.metadata) === JSON.stringify(b.metadata)
  );
}
