import { decodeBase64, encodeBase64 } from "./bytes.ts";
import type { Artifact, Message, Part } from "./gen/types.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** What a part can hold; exactly one of them. */
export type PartKind = "text" | "raw" | "url" | "data";

/** What may stand beside the content of a part. */
export interface PartOptions {
  /** The media type, such as `text/markdown`. */
  readonly mediaType?: string;
  /** A name for the content as a file. */
  readonly filename?: string;
  /** Free key-value data; kept by reference. */
  readonly metadata?: JsonObject;
}

/**
 * Makes a part of text.
 *
 * @param text - Any text; an empty one is a part too.
 * @param options - Media type (text/plain when left out), filename, metadata.
 */
export function textPart(text: string, options?: PartOptions): Part {
  return { text, ...beside(options) };
}

/**
 * Makes a part of structured data.
 *
 * @param data - Any JSON value, null included; kept by reference.
 * @param options - Media type (application/json when left out), filename, metadata.
 */
export function dataPart(data: JsonValue, options?: PartOptions): Part {
  return { data, ...beside(options) };
}

/**
 * Makes a part of bytes.
 *
 * @param bytes - The bytes, or their base64 text (standard alphabet, padded).
 * @param options - Media type (application/octet-stream when left out), filename, metadata.
 */
export function rawPart(bytes: Uint8Array | string, options?: PartOptions): Part {
  return { raw: typeof bytes === "string" ? bytes : encodeBase64(bytes), ...beside(options) };
}

/**
 * Makes a part whose content is fetched elsewhere.
 *
 * @param url - Where the content is.
 * @param options - Media type, filename, metadata.
 */
export function urlPart(url: string, options?: PartOptions): Part {
  return { url, ...beside(options) };
}

function beside(options: PartOptions | undefined): { mediaType?: string; filename?: string; metadata?: JsonObject } {
  if (options === undefined) return {};
  const { mediaType, filename, metadata } = options;
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
    ...(metadata !== undefined && { metadata }),
  };
}

/**
 * Says what a part holds.
 *
 * @param part - A canonical part.
 */
export function partKind(part: Part): PartKind {
  if (part.text !== undefined) return "text";
  if (part.raw !== undefined) return "raw";
  return part.url !== undefined ? "url" : "data";
}

/**
 * The bytes of a raw part.
 *
 * @param part - A canonical part.
 * @returns A new array, or undefined when the part holds something else.
 */
export function bytesOf(part: Part): Uint8Array | undefined {
  return part.raw === undefined ? undefined : decodeBase64(part.raw);
}

/**
 * The text of a message or an artifact: its text parts in order, joined without anything between, so that the chunks of
 * a stream give the text that was streamed.
 *
 * @param holder - A message, an artifact, or undefined.
 * @returns The text; empty when there is no text part.
 */
export function textOf(holder: Pick<Message | Artifact, "parts"> | undefined): string {
  let text = "";
  if (holder !== undefined) for (const part of holder.parts) if (part.text !== undefined) text += part.text;
  return text;
}
