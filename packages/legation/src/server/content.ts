/** What a handler gives as content, and the parts that it becomes. */
import { canonicalBase64 } from "../model/base64.ts";
import { encodeBase64 } from "../model/bytes.ts";
import type { Part } from "../model/gen/types.ts";
import { type JsonObject, type JsonValue, whyNotJson } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import { parseArtifact } from "../model/parse-task.ts";
import { A2AError } from "../operations/errors.ts";

/** Content of one part: exactly one of `text`, `data`, `raw` and `url`. */
export type Content = ContentKind & {
  /** `text/plain`, `application/json` or `application/octet-stream` when absent; a url has none by default. */
  readonly mediaType?: string | undefined;
  /** A name for the content as a file. */
  readonly filename?: string | undefined;
};

type ContentKind =
  | { readonly text: string; readonly data?: undefined; readonly raw?: undefined; readonly url?: undefined }
  /** Anything that JSON can carry. */
  | { readonly data: JsonValue | object; readonly text?: undefined; readonly raw?: undefined; readonly url?: undefined }
  /** Bytes, or base64 of them. */
  | {
      readonly raw: Uint8Array | string;
      readonly text?: undefined;
      readonly data?: undefined;
      readonly url?: undefined;
    }
  | { readonly url: string; readonly text?: undefined; readonly data?: undefined; readonly raw?: undefined };

/** What can be said: a text, or content with metadata. */
export type Says = string | { readonly parts: readonly Part[]; readonly metadata?: JsonObject | undefined };

/**
 * The part that some content becomes.
 *
 * @throws INVALID_AGENT_RESPONSE for data that JSON cannot carry and for content without any kind
 */
export function partOfContent(content: Content): Part {
  const { mediaType, filename } = content;
  // The chunk of a model, many times a second.
  if (content.text !== undefined && mediaType === undefined && filename === undefined) return { text: content.text };
  const rest = {
    ...(filename === undefined ? {} : { filename }),
    ...(mediaType === undefined ? {} : { mediaType }),
  };
  if (content.text !== undefined) return { text: content.text, ...rest };
  if (content.url !== undefined) return { url: content.url, ...rest };
  if (content.raw !== undefined) {
    return { raw: typeof content.raw === "string" ? base64OrThrow(content.raw) : encodeBase64(content.raw), ...rest };
  }
  if (content.data !== undefined) return { data: jsonCopyOrThrow(content.data), ...rest };
  throw new A2AError("INVALID_AGENT_RESPONSE", "content has none of text, data, raw and url; give exactly one");
}

/** A copy of what JSON can carry: whatever its owner does with the value afterwards, what was said stays as it was. */
export function jsonCopyOrThrow<T>(value: T): T & JsonValue {
  return JSON.parse(JSON.stringify(jsonOrThrow(value))) as T & JsonValue;
}

/** The value itself when JSON can carry it. */
export function jsonOrThrow(value: unknown): JsonValue {
  const why = whyNotJson(value);
  if (why === undefined) return value as JsonValue;
  throw new A2AError("INVALID_AGENT_RESPONSE", `data of the agent cannot be sent: ${why}`);
}

/** The utterance that a text or some parts become. */
export function utteranceOf(says: Says): { parts: readonly Part[]; metadata?: JsonObject | undefined } {
  if (typeof says === "string") return { parts: [{ text: says }] };
  const metadata = says.metadata === undefined ? undefined : jsonCopyOrThrow(says.metadata);
  return { parts: partsOrThrow(says.parts), metadata };
}

/**
 * The parts in canonical form, as a copy; the handler's own objects are not touched.
 *
 * @throws INVALID_AGENT_RESPONSE for what is no list of parts, and for an empty one
 */
export function partsOrThrow(parts: readonly Part[]): readonly Part[] {
  const draft = { artifactId: "draft", parts: jsonOrThrow(parts) };
  try {
    return parseArtifact(JSON.parse(JSON.stringify(draft))).parts;
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new A2AError("INVALID_AGENT_RESPONSE", `parts of the agent cannot be sent: ${thrown.message}`);
  }
}

function base64OrThrow(text: string): string {
  const canonical = canonicalBase64(text);
  if (canonical !== undefined) return canonical;
  throw new A2AError("INVALID_AGENT_RESPONSE", "raw is a string that is not base64; give the bytes as a Uint8Array");
}
