/**
 * Artifacts and statuses of a turn, written once although the turn may run again.
 *
 * A turn that runs again emits again. What equals the log is not written again; at the first difference, or when the
 * turn ends with less than the log has, ONE replacement of the artifact is written and from then on everything is
 * live. So subscribers see a clean artifact, never a splice of two runs. Statuses are only counted.
 */
import type { Artifact, Part } from "../model/gen/types.ts";
import { A2AError } from "../operations/errors.ts";
import {
  consume,
  type Head,
  headOf,
  isAtEnd,
  isOfEngine,
  type LoggedVersion,
  loggedArtifacts,
  type Position,
} from "./logged-artifact.ts";
import type { EventRow } from "./store.ts";
import type { ArtifactDraft } from "./turn.ts";

/** What a turn really writes for one emission. */
export interface ArtifactWrite {
  readonly artifactId: string;
  readonly parts: readonly Part[];
  readonly append: boolean;
  /** Of a replacement: what the artifact had beside its parts. */
  readonly head?: Head | undefined;
}

/** What the task has beside what this turn wrote. */
export interface KnownArtifacts {
  /** The id of an artifact by that name, from this turn or one before. */
  idOf(name: string): string | undefined;
  has(artifactId: string): boolean;
  /** The artifacts as they were when the turn began; needed when {@link Emissions.continuesEarlier}. */
  readonly before?: readonly Artifact[] | undefined;
}

interface ArtifactState extends Position {
  readonly artifactId: string;
  name: string;
  /** Versions in the log that the turn has not come to yet. */
  logged: LoggedVersion[];
  /** The version that is being compared; undefined when this artifact is live. */
  current: LoggedVersion | undefined;
  /** What this run has emitted of the version that is being compared, with what it continues. */
  emitted: Part[];
  head: Head;
}

/** Counts of what a step emitted: recorded with it, because it is skipped with it. */
export interface Emitted {
  statuses: number;
  /** By name of the artifact: how many versions it began; 0 when it only appended. */
  artifacts: Record<string, number>;
}

export class Emissions {
  /** By id. */
  readonly #artifacts = new Map<string, ArtifactState>();
  /** Ids by name, as this run came to them. */
  readonly #ids = new Map<string, string>();
  readonly #newId: () => string;
  readonly #known: KnownArtifacts;
  /** Statuses of the handler that the log has and this run has not come to. */
  #statuses = 0;

  /** Raised by whatever may change which artifact is live: who has asked for {@link liveId} need not ask again until then. */
  version = 1;

  /** @param rows the log after the entry that began the turn */
  constructor(rows: readonly EventRow[], newId: () => string, known: KnownArtifacts) {
    this.#newId = newId;
    this.#known = known;
    // Most turns begin with nothing behind them.
    if (rows.length === 0) return;
    let before: EventRow | undefined;
    for (const row of rows) {
      if (row.kind === "status" && !isOfEngine(before)) this.#statuses += 1;
      before = row;
    }
    for (const [artifactId, { name, versions }] of loggedArtifacts(rows)) {
      this.#artifacts.set(artifactId, { ...newState(artifactId, name), logged: versions });
    }
  }

  /** True when the turn appended to an artifact that was there before it: then what was there is needed. */
  static continuesEarlier(rows: readonly EventRow[]): boolean {
    if (rows.length === 0) return false;
    for (const { versions } of loggedArtifacts(rows).values()) if (versions[0]?.continues === true) return true;
    return false;
  }

  /** True when a status is in the log already. */
  skipsStatus(): boolean {
    if (this.#statuses === 0) return false;
    this.#statuses -= 1;
    return true;
  }

  /** A unit recorded at `seq` is skipped, and with it what it emitted: the run goes on from what the log had then. */
  skip(emitted: Emitted, seq: number): void {
    this.version += 1;
    this.#statuses = Math.max(0, this.#statuses - emitted.statuses);
    for (const name of Object.keys(emitted.artifacts)) {
      const state = this.#byName(name);
      if (state === undefined) continue;
      this.#ids.set(name, state.artifactId);
      while (state.logged[0] !== undefined && state.logged[0].seq < seq) this.#enter(state, state.logged.shift());
      if (state.current === undefined) continue;
      const skipped = state.current.parts.filter((logged) => logged.seq < seq);
      if (skipped.length < state.part) continue;
      state.part = skipped.length;
      state.offset = 0;
      state.emitted = [...this.#base(state), ...skipped.map(({ part }) => part)];
      state.head = { ...state.head, ...state.current.head };
    }
  }

  /**
   * What has to be written for an emission: nothing while it equals the log.
   *
   * @throws A2AError INVALID_AGENT_RESPONSE for an append to an artifact that was never begun
   */
  artifact(draft: ArtifactDraft): ArtifactWrite | undefined {
    this.version += 1;
    const append = draft.append === true;
    const state = this.#state(draft, append);
    if (!append) {
      this.#enter(state, state.logged.shift());
      state.head = headOf(draft);
    } else {
      if (state.current === undefined && state.logged[0]?.continues === true) this.#enter(state, state.logged.shift());
      state.head = { ...state.head, ...headOf(draft) };
    }
    if (state.current === undefined) return { artifactId: state.artifactId, parts: draft.parts, append };
    return this.#compare(state, state.current, draft.parts);
  }

  /** The id of an artifact of this run to which appends are only written: there is nothing to compare them with. */
  liveId(name: string): string | undefined {
    const id = this.#ids.get(name);
    const state = id === undefined ? undefined : this.#artifacts.get(id);
    return state?.name === name && state.current === undefined && state.logged.length === 0 ? id : undefined;
  }

  /** Begins an artifact that is written as one unit: whatever the log has of it is replaced. */
  fresh(name: string, artifactId: string | undefined): void {
    this.version += 1;
    const state = this.#state({ name, artifactId, parts: [] }, false);
    state.logged = [];
    state.current = undefined;
  }

  /** At the end of the turn: replacements of what the log has more of than this run emitted. */
  finish(): readonly { readonly name: string; readonly write: ArtifactWrite }[] {
    const writes = [];
    for (const state of this.#artifacts.values()) {
      const { current } = state;
      if (current === undefined || state.emitted.length === 0) continue;
      if (isAtEnd(state, current) && state.logged.length === 0) continue;
      writes.push({ name: state.name, write: this.#replacement(state, []) });
    }
    return writes;
  }

  #byName(name: string): ArtifactState | undefined {
    const id = this.#ids.get(name);
    if (id !== undefined) return this.#artifacts.get(id);
    for (const state of this.#artifacts.values()) if (state.name === name) return state;
    return undefined;
  }

  #state(draft: ArtifactDraft, append: boolean): ArtifactState {
    const { name } = draft;
    const known = draft.artifactId ?? this.#byName(name)?.artifactId ?? this.#known.idOf(name);
    const exists = known !== undefined && (this.#artifacts.has(known) || this.#known.has(known));
    if (append && !exists) {
      throw new A2AError(
        "INVALID_AGENT_RESPONSE",
        `artifact "${name}" has nothing to append to: write it once without append first`,
      );
    }
    const artifactId = known ?? this.#newId();
    this.#ids.set(name, artifactId);
    let state = this.#artifacts.get(artifactId);
    if (state === undefined) {
      state = newState(artifactId, name);
      this.#artifacts.set(artifactId, state);
    }
    state.name = name;
    return state;
  }

  /** The run has come to a version that the log has, or to one that it has not. */
  #enter(state: ArtifactState, version: LoggedVersion | undefined): void {
    state.current = version;
    state.part = 0;
    state.offset = 0;
    state.emitted = [...this.#base(state)];
  }

  /** What was there before the turn, when the version goes on from it. */
  #base(state: ArtifactState): readonly Part[] {
    if (state.current?.continues !== true) return [];
    return this.#known.before?.find((artifact) => artifact.artifactId === state.artifactId)?.parts ?? [];
  }

  #compare(state: ArtifactState, current: LoggedVersion, parts: readonly Part[]): ArtifactWrite | undefined {
    for (const [index, part] of parts.entries()) {
      const rest = consume(state, current, part);
      if (rest === "equal") {
        state.emitted.push(part);
        continue;
      }
      // An append goes to what the log has last: where that is a later version, this one has to be written whole.
      if (rest === "different" || state.logged.length > 0) return this.#replacement(state, parts.slice(index));
      state.current = undefined;
      const more = rest === "beyond" ? parts.slice(index) : [rest, ...parts.slice(index + 1)];
      return { artifactId: state.artifactId, parts: more, append: true };
    }
    return undefined;
  }

  /** The artifact as this run has it; from then on it is live. */
  #replacement(state: ArtifactState, more: readonly Part[]): ArtifactWrite {
    const { artifactId, emitted, head } = state;
    const earlier = state.current?.continues === true ? this.#known.before : undefined;
    const before = earlier?.find((artifact) => artifact.artifactId === artifactId);
    state.logged = [];
    state.current = undefined;
    return { artifactId, parts: [...emitted, ...more], append: false, head: { ...headOf(before ?? {}), ...head } };
  }
}

function newState(artifactId: string, name: string): ArtifactState {
  return { artifactId, name, logged: [], current: undefined, part: 0, offset: 0, emitted: [], head: {} };
}
