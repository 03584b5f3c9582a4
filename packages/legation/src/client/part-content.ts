/** What parts hold, in the form that a program wants: text, data, bytes, files. */
import { decodeBase64 } from "../model/bytes.ts";
import type { Part } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";

/** A part that carries a file: its bytes, or where they are. */
export interface FileContent {
  readonly filename: string | undefined;
  readonly mediaType: string | undefined;
  /** The bytes; undefined for a file that is only linked. */
  readonly bytes: Uint8Array | undefined;
  /** Where the bytes are, as the agent says. An untrusted address: look at it before it is fetched. */
  readonly url: string | undefined;
}

/** The value of the first data part; undefined where there is none (a data part may hold null). */
export function dataOfParts(parts: readonly Part[]): JsonValue | undefined {
  for (const part of parts) if (part.data !== undefined) return part.data;
  return undefined;
}

/** The raw and url parts of a list, in order. */
export function filesOfParts(parts: readonly Part[]): readonly FileContent[] {
  const files: FileContent[] = [];
  for (const { raw, url, filename, mediaType } of parts) {
    if (raw === undefined && url === undefined) continue;
    files.push({ filename, mediaType, bytes: raw === undefined ? undefined : decodeBase64(raw), url });
  }
  return files;
}

/** Fetches the bytes of a url part; the caller decides which addresses it trusts. */
export type LoadUrl = (url: string) => Promise<Uint8Array>;

/**
 * All parts of a list as one run of bytes: text as UTF-8, raw as it is, data as JSON.
 *
 * @param load fetches url parts
 * @throws LocalError CONFIGURATION when there is a url part and no `load`: the address comes from the agent, and
 *   fetching whatever it names would let it reach into the caller's network
 */
export async function bytesOfParts(parts: readonly Part[], load?: LoadUrl): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (const part of parts) pieces.push(await bytesOfPart(part, load));
  const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

async function bytesOfPart(part: Part, load: LoadUrl | undefined): Promise<Uint8Array> {
  if (part.text !== undefined) return new TextEncoder().encode(part.text);
  if (part.raw !== undefined) return decodeBase64(part.raw);
  if (part.url === undefined) return new TextEncoder().encode(JSON.stringify(part.data));
  if (load !== undefined) return load(part.url);
  throw new LocalError(
    "CONFIGURATION",
    `part is a link to ${part.url}; pass { load } to fetch it, after checking the address`,
    {
      metadata: { url: part.url },
    },
  );
}
