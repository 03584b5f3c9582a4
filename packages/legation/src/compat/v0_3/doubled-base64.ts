import { decodeBase64 } from "../../model/bytes.ts";

/** Types of which no file consists of the letters of base64 alone: each begins with, or soon holds, another byte. */
const NEVER_LETTERS = /^(?:(?:image|audio|video)\/|application\/(?:pdf|zip|gzip)\b)/i;

/** How much is looked at before all of it is: what is no text ends it here, however long it is. */
const GLANCE_CHARS = 64;

/**
 * The bytes of a file of `a2a.v1`. The SDKs of Python and Go put the text of their base64 there, where the proto says
 * bytes; that is undone where it is beyond doubt, which is where no file of that type could look so.
 *
 * @param raw base64, as it came; anything
 * @param mediaType as it came; without one nothing is undone
 */
export function undoDoubledBase64(raw: unknown, mediaType: unknown): unknown {
  if (typeof raw !== "string" || typeof mediaType !== "string" || !NEVER_LETTERS.test(mediaType)) return raw;
  try {
    if (!LETTERS.test(textOf(raw.slice(0, GLANCE_CHARS)))) return raw;
    const text = textOf(raw);
    return text !== "" && text.length % 4 === 0 && LETTERS.test(text) ? text : raw;
  } catch {
    // No base64 at all: the validator says so.
    return raw;
  }
}

const LETTERS = /^[A-Za-z0-9+/]*={0,2}$/;

function textOf(base64: string): string {
  return new TextDecoder().decode(decodeBase64(base64));
}
