/**
 * Media types: of parts against what an agent reads, of answers against what a caller reads.
 *
 * @see specification §3.3.2 (ContentTypeNotSupportedError), §4.1.6, §3.2.2 (acceptedOutputModes)
 */
import type { Message, Part } from "../model/gen/types.ts";
import { A2AError } from "./errors.ts";

/**
 * The type and subtype of a media type in lower case, without its parameters.
 *
 * @param text a Content-Type header or a mediaType field, `Application/JSON; charset=utf-8`
 * @returns `application/json`; whatever stands before the first semicolon, so garbage stays recognisable
 */
export function bareMediaType(text: string): string {
  const end = text.indexOf(";");
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
}

/**
 * True when a media type is one of those that a pattern means. Parameters are ignored on both sides.
 *
 * @param pattern `text/plain`, `image/*`, `*` or `*\/*`
 * @param mediaType what is compared with it
 */
export function matchesMediaType(pattern: string, mediaType: string): boolean {
  const wanted = bareMediaType(pattern);
  if (wanted === "*" || wanted === "*/*") return true;
  const given = bareMediaType(mediaType);
  return wanted.endsWith("/*") ? given.startsWith(wanted.slice(0, -1)) : given === wanted;
}

/**
 * The media type of a part: its own, else the default of its kind.
 *
 * @returns undefined for a url part that names none: what is behind the URL is not known yet
 */
export function partMediaType(part: Part): string | undefined {
  if (part.mediaType !== undefined && part.mediaType !== "") return part.mediaType;
  if (part.text !== undefined) return "text/plain";
  if (part.raw !== undefined) return "application/octet-stream";
  if (part.url !== undefined) return undefined;
  return "application/json";
}

/** True when every part of a message is of one of the input modes, as {@link requireInputModes} wants it. */
export function hasInputModes(message: Message, inputModes: readonly string[]): boolean {
  return inputModes.length === 0 || message.parts.every((part) => isRead(partMediaType(part), inputModes));
}

function isRead(mediaType: string | undefined, inputModes: readonly string[]): boolean {
  if (mediaType === undefined || inputModes.includes(mediaType)) return true;
  return inputModes.some((mode) => matchesMediaType(mode, mediaType));
}

/**
 * Refuses a message with a part that the agent cannot read.
 *
 * @param message what came
 * @param inputModes the media types of the card or of the skill, wildcards allowed; empty accepts everything
 * @throws CONTENT_TYPE_NOT_SUPPORTED that names the part, its type and the accepted ones
 */
export function requireInputModes(message: Message, inputModes: readonly string[]): void {
  if (inputModes.length === 0) return;
  for (const [index, part] of message.parts.entries()) {
    const mediaType = partMediaType(part);
    if (mediaType === undefined || isRead(mediaType, inputModes)) continue;
    const accepted = inputModes.join(", ");
    throw new A2AError(
      "CONTENT_TYPE_NOT_SUPPORTED",
      `message.parts[${index}].mediaType: ${mediaType} is not read by this agent; it reads ${accepted}`,
      { metadata: { field: `message.parts[${index}].mediaType`, mediaType, accepted } },
    );
  }
}

/**
 * Chooses the media type of an answer: the first of the caller's that can be made, as the caller's order is a preference.
 *
 * @param accepted the caller's `acceptedOutputModes`; undefined or empty accepts everything
 * @param offered what can be made, best first, without wildcards
 * @returns one of `offered`, or undefined when none is accepted
 */
export function chooseOutputMode(
  accepted: readonly string[] | undefined,
  offered: readonly string[],
): string | undefined {
  if (accepted === undefined || accepted.length === 0) return offered[0];
  for (const pattern of accepted) {
    const found = offered.find((mode) => matchesMediaType(pattern, mode));
    if (found !== undefined) return found;
  }
  return undefined;
}
