import type { Artifact, Part } from "../model/gen/types.ts";

/** What has to be said of one artifact so that a consumer has it as a snapshot shows it. */
export interface ArtifactDifference {
  /** The missing parts, or the whole artifact. */
  readonly artifact: Artifact;
  /** True: the parts go behind what is there. */
  readonly append: boolean;
}

/**
 * Compares what was given out with a snapshot. Where the snapshot begins with what is there, only the rest is missing,
 * even where the peer has joined pieces of text; otherwise the artifact is given anew. Artifacts that the snapshot does
 * not carry are no difference.
 */
export function differenceOfArtifacts(known: readonly Artifact[], snapshot: readonly Artifact[]): ArtifactDifference[] {
  const differences: ArtifactDifference[] = [];
  const byId = new Map(known.map((artifact) => [artifact.artifactId, artifact]));
  for (const artifact of snapshot) {
    const before = byId.get(artifact.artifactId);
    if (before === undefined) {
      differences.push({ artifact, append: false });
      continue;
    }
    const rest = restOf(before.parts, artifact.parts);
    if (rest === undefined) differences.push({ artifact, append: false });
    else if (rest.length > 0) differences.push({ artifact: { ...artifact, parts: rest }, append: true });
  }
  return differences;
}

/** The parts that `after` has behind all of `before`; undefined where it does not begin with them. */
function restOf(before: readonly Part[], after: readonly Part[]): Part[] | undefined {
  let same = 0;
  while (same < before.length && same < after.length && isSamePart(before[same], after[same])) same++;
  if (same === before.length) return after.slice(same);
  return restOfText(before.slice(same), after.slice(same));
}

function restOfText(before: readonly Part[], after: readonly Part[]): Part[] | undefined {
  const shown = joinPlainText(before);
  const whole = joinPlainText(after);
  if (shown === undefined || whole === undefined || !whole.startsWith(shown)) return undefined;
  const missing = whole.slice(shown.length);
  const last = after.at(-1);
  return missing === "" || last === undefined ? [] : [{ ...last, text: missing } as Part];
}

/** The text of parts that are nothing but text of one kind; undefined for anything else. */
function joinPlainText(parts: readonly Part[]): string | undefined {
  let text = "";
  for (const part of parts) {
    if (part.text === undefined || part.metadata !== undefined || part.filename !== undefined) return undefined;
    if (part.mediaType !== parts[0]?.mediaType) return undefined;
    text += part.text;
  }
  return text;
}

function isSamePart(a: Part | undefined, b: Part | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  if (a.text !== b.text || a.raw !== b.raw || a.url !== b.url) return false;
  if (a.mediaType !== b.mediaType || a.filename !== b.filename) return false;
  // The common case, thousands of plain chunks, is decided without serialising anything.
  if (a.data === undefined && b.data === undefined && a.metadata === undefined && b.metadata === undefined) return true;
  return canonical(a) === canonical(b);
}

/** JSON with sorted keys: peers may print the members of an object in any order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
