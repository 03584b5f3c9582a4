import type { Part } from "./gen/types.ts";

/**
 * The media type of a part: its own, or the default of its kind.
 *
 * @param part - A canonical part.
 * @returns `text/plain` for text, `application/json` for data, `application/octet-stream` for raw when the part has none
 *   of its own; undefined for a URL without one, which is not checked.
 */
export function mediaTypeOf(part: Part): string | undefined {
  if (part.mediaType !== undefined) return part.mediaType;
  if (part.text !== undefined) return "text/plain";
  if (part.raw !== undefined) return "application/octet-stream";
  return part.url !== undefined ? undefined : "application/json";
}

/**
 * Tells whether a media type fits one of several modes. Parameters and case are ignored; `*` stands for anything on
 * either side of the slash of either, and alone for everything.
 *
 * @param mediaType - Such as `text/plain; charset=utf-8`.
 * @param modes - Such as `["text/*", "application/json"]`; an empty list fits nothing.
 */
export function fitsModes(mediaType: string, modes: readonly string[]): boolean {
  return modes.some((mode) => fits(mediaType, mode));
}

/**
 * Chooses the mode to answer in: the first that the caller accepts and the agent offers.
 *
 * @param accepted - What the caller accepts, in its order; empty or undefined accepts everything.
 * @param offered - What the agent can write, in its order of preference.
 * @returns The offered mode, or undefined when none is accepted.
 */
export function chooseMode(accepted: readonly string[] | undefined, offered: readonly string[]): string | undefined {
  if (accepted === undefined || accepted.length === 0) return offered[0];
  for (const wish of accepted) {
    const found = offered.find((mode) => fits(mode, wish));
    if (found !== undefined) return found;
  }
  return undefined;
}

function fits(one: string, other: string): boolean {
  const [type, subtype] = halves(one);
  const [otherType, otherSubtype] = halves(other);
  return halfFits(type, otherType) && halfFits(subtype, otherSubtype);
}

function halfFits(one: string, other: string): boolean {
  return one === "*" || other === "*" || one === other;
}

function halves(mediaType: string): [type: string, subtype: string] {
  const bare = (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (bare === "*") return ["*", "*"];
  const slash = bare.indexOf("/");
  return slash === -1 ? [bare, ""] : [bare.slice(0, slash), bare.slice(slash + 1)];
}
