import { digestPart } from "../engine/blobs.ts";
import { afterThisTurn } from "../engine/clock.ts";
import type { Message, Part } from "../model/gen/types.ts";

/** A text of more characters is not hashed in one go: every other caller would wait for it. */
const LONG = 262_144;

/** True when a message has a part whose text or bytes are that long. */
export function hasLongTexts(message: Message): boolean {
  return message.parts.some((part) => contentOf(part).length > LONG);
}

/**
 * The message as it is told from others, with a digest in the place of every long text: those are made beside the loop.
 *
 * @param message is left as it is
 */
export async function digestLongTexts(message: Message): Promise<object> {
  const parts: object[] = [];
  for (const part of message.parts) {
    if (contentOf(part).length <= LONG) {
      parts.push(part);
      continue;
    }
    await new Promise<void>(afterThisTurn);
    const arm = part.text === undefined ? "raw" : "text";
    const { sha256 } = await digestPart(part, arm);
    // No part has an object there: what stands for a text is never taken for one.
    parts.push({ ...part, [arm]: { sha256 } });
  }
  return { ...message, parts };
}

function contentOf({ text, raw }: Part): string {
  return text ?? raw ?? "";
}
