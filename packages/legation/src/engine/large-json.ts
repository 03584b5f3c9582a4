import { afterThisTurn } from "./clock.ts";

/** Characters of a text that are written as JSON in one turn of the loop, and from which on a text is cut at all. */
const PIECE = 524_288;

/**
 * JSON text of a value that holds texts of megabytes, made in several turns of the loop, so that every other caller
 * waits for a piece and not for the whole.
 *
 * @param value is read in the first turn: what changes of it later is not in the text
 */
export async function stringifyInPieces(value: object): Promise<string> {
  const texts: string[] = [];
  // Nobody can have written it into a text of theirs.
  const mark = `\u0001${crypto.randomUUID()}`;
  const frame = JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "string" || inner.length <= PIECE) return inner;
    texts.push(inner);
    return mark;
  });
  const [first = "", ...rest] = frame.split(JSON.stringify(mark).slice(1, -1));
  let json = first;
  for (const [index, text] of texts.entries()) {
    for (let from = 0; from < text.length; ) {
      const to = pieceEnd(text, from);
      json += JSON.stringify(text.slice(from, to)).slice(1, -1);
      from = to;
      await new Promise<void>(afterThisTurn);
    }
    json += rest[index] ?? "";
  }
  return json;
}

/** Not between the two halves of a character: JSON would write each as broken. */
function pieceEnd(text: string, from: number): number {
  const to = Math.min(text.length, from + PIECE);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to + 1 : to;
}
