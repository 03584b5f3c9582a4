/** What gives the content of a streamed artifact, and the check of what it gives. */
import type { Chunk } from "../engine/turn.ts";
import type { Part } from "../model/gen/types.ts";
import { partsOrThrow } from "./content.ts";

/** Content at once or piece by piece. */
export type ArtifactPieces = Chunk | AsyncIterable<Chunk> | Iterable<Chunk>;

/** Gives the content of an artifact; called only when it is needed. */
export type ArtifactSource = (signal: AbortSignal) => ArtifactPieces | Promise<ArtifactPieces>;

/** The pieces of a source; one that is neither text nor valid parts throws INVALID_AGENT_RESPONSE. */
export function checkedSource(source: ArtifactSource): (signal: AbortSignal) => Chunk | AsyncIterable<Chunk> {
  return (signal) => {
    const given = source(signal);
    return typeof given === "string" ? given : checkedPieces(given);
  };
}

async function* checkedPieces(given: ArtifactPieces | Promise<ArtifactPieces>): AsyncGenerator<Chunk, void, undefined> {
  const pieces = await given;
  if (typeof pieces === "string") yield pieces;
  else if (Symbol.asyncIterator in pieces || Symbol.iterator in pieces) {
    for await (const piece of pieces) yield checkedChunk(piece as Chunk);
  } else yield checkedChunk(pieces as Part);
}

function checkedChunk(chunk: Chunk): Chunk {
  if (typeof chunk === "string") return chunk;
  return partsOrThrow(Array.isArray(chunk) ? (chunk as readonly Part[]) : [chunk as Part]);
}
