/** What a log has of the artifacts of a turn, and how an emission is compared with it. */
import type { Artifact, Part, StreamResponse, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import type { DecisionIdentity } from "./journal.ts";
import type { EventRow } from "./store.ts";

/** What an artifact has beside its parts. */
export type Head = Partial<Pick<Artifact, "description" | "metadata" | "extensions">>;

/** One version of an artifact: what was written without append, and the appends that followed. */
export interface LoggedVersion {
  /** Seq of the entry that began it. */
  readonly seq: number;
  /** True when it began by an append to what was there before the turn. */
  readonly continues: boolean;
  readonly head: Head;
  readonly parts: { readonly seq: number; readonly part: Part }[];
}

/** A place in a version: part, and characters within a text part. */
export interface Position {
  part: number;
  offset: number;
}

/** The versions of every artifact that entries write, by its id. */
export function loggedArtifacts(
  rows: readonly EventRow[],
): ReadonlyMap<string, { readonly name: string; readonly versions: LoggedVersion[] }> {
  const artifacts = new Map<string, { readonly name: string; readonly versions: LoggedVersion[] }>();
  for (const row of rows) {
    if (row.kind !== "artifact" || row.payload === "") continue;
    const update = (JSON.parse(row.payload) as StreamResponse).artifactUpdate as TaskArtifactUpdateEvent;
    const { artifact } = update;
    let known = artifacts.get(artifact.artifactId);
    if (known === undefined) {
      known = { name: artifact.name ?? artifact.artifactId, versions: [] };
      artifacts.set(artifact.artifactId, known);
    }
    let version = known.versions[known.versions.length - 1];
    if (update.append !== true || version === undefined) {
      version = { seq: row.seq, continues: update.append === true, head: headOf(artifact), parts: [] };
      known.versions.push(version);
    }
    for (const part of artifact.parts) version.parts.push({ seq: row.seq, part });
  }
  return artifacts;
}

/** What of an artifact or of a draft is not its parts. */
export function headOf(from: Head | { readonly [name in keyof Head]?: unknown }): Head {
  const { description, metadata, extensions } = from as Head;
  const head: Head = {};
  if (description !== undefined) head.description = description;
  if (metadata !== undefined) head.metadata = metadata;
  if (extensions !== undefined) head.extensions = [...extensions];
  return head;
}

/** The engine writes a status right after the entry of the journal that it belongs to; other entries bring none. */
export function isOfEngine(before: EventRow | undefined): boolean {
  if (before === undefined || before.kind === "turn") return true;
  if (before.kind !== "decision" && before.kind !== "opened") return false;
  const { kind } = JSON.parse(before.payload || "{}") as Partial<DecisionIdentity>;
  return kind === "ask" || kind === "auth";
}

/** True when nothing of a version is left. */
export function isAtEnd(position: Position, version: LoggedVersion): boolean {
  skipEmpty(position, version);
  return position.part >= version.parts.length;
}

/**
 * Moves over what a part has in common with the log. `equal`: all of it is there. A part: the log ends within a text,
 * this is the rest. `beyond`: the log has ended before it. `different`: it is not what the log has.
 */
export function consume(
  position: Position,
  version: LoggedVersion,
  part: Part,
): "equal" | "beyond" | "different" | Part {
  if (part.text === "") return "equal";
  if (isAtEnd(position, version)) return "beyond";
  if (part.text === undefined) {
    const logged = version.parts[position.part]?.part;
    if (position.offset !== 0 || logged === undefined || !isSamePart(logged, part)) return "different";
    position.part += 1;
    return "equal";
  }
  return consumeText(position, version, part, part.text);
}

function consumeText(
  position: Position,
  version: LoggedVersion,
  part: Part,
  text: string,
): "equal" | "different" | Part {
  let rest = text;
  while (rest.length > 0) {
    skipEmpty(position, version);
    const logged = version.parts[position.part]?.part;
    if (logged === undefined) return { ...part, text: rest } as Part;
    if (logged.text === undefined || !isSameKind(logged, part)) return "different";
    const length = Math.min(rest.length, logged.text.length - position.offset);
    if (!logged.text.startsWith(rest.slice(0, length), position.offset)) return "different";
    rest = rest.slice(length);
    position.offset += length;
    if (position.offset === logged.text.length) {
      position.part += 1;
      position.offset = 0;
    }
  }
  return "equal";
}

/** A text without a character says nothing: it is neither there nor missing. */
function skipEmpty(position: Position, version: LoggedVersion): void {
  while (version.parts[position.part]?.part.text === "") position.part += 1;
}

/** In whatever order the fields stand: a part that was a blob has them in another. */
function isSamePart(a: Part, b: Part): boolean {
  const isSameContent = a.text === b.text && a.raw === b.raw && a.url === b.url;
  return isSameContent && JSON.stringify(a.data) === JSON.stringify(b.data) && isSameKind(a, b);
}

function isSameKind(a: Part, b: Part): boolean {
  return (
    a.mediaType === b.mediaType &&
    a.filename === b.filename &&
    JSON.stringify(a.metadata) === JSON.stringify(b.metadata)
  );
}
