import type { Artifact, Part } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import { textOf } from "../model/part.ts";
import { bytesOfParts, dataOfParts, type FileContent, filesOfParts, type LoadUrl } from "./part-content.ts";

/** An artifact as it stood when its task was read. Immutable. */
export interface ArtifactHandle {
  readonly artifactId: string;
  /** The name; the id where the agent gave no name. */
  readonly name: string;
  readonly description: string | undefined;
  /** Media type of the first part that says one. */
  readonly mediaType: string | undefined;
  readonly metadata: Readonly<JsonObject> | undefined;
  readonly parts: readonly Part[];
  /** Raw and url parts. */
  readonly files: readonly FileContent[];
  /** The wire form, frozen. */
  readonly raw: Readonly<Artifact>;
  /** All text parts, joined; where there is none, the bytes of raw parts read as UTF-8. */
  text(): Promise<string>;
  /** The first data part; undefined where there is none. Not validated: `T` is what the caller expects. */
  data<T extends JsonValue = JsonValue>(): Promise<T | undefined>;
  /**
   * All parts as bytes: text as UTF-8, data as JSON.
   *
   * @param options `load` fetches the url parts
   * @throws LocalError CONFIGURATION when a part is a link and no `load` was given
   */
  bytes(options?: { readonly load?: LoadUrl | undefined }): Promise<Uint8Array>;
}

/**
 * Wraps an artifact.
 *
 * @param artifact canonical and frozen, or never changed again
 */
export function createArtifactHandle(artifact: Artifact): ArtifactHandle {
  const { parts } = artifact;
  const handle: ArtifactHandle = {
    artifactId: artifact.artifactId,
    name: artifact.name ?? artifact.artifactId,
    description: artifact.description,
    mediaType: parts.find((part) => part.mediaType !== undefined)?.mediaType,
    metadata: artifact.metadata,
    parts,
    get files() {
      return filesOfParts(parts);
    },
    raw: artifact,
    text: async () => {
      if (parts.some((part) => part.text !== undefined)) return textOf({ parts });
      return new TextDecoder().decode(await bytesOfParts(parts.filter((part) => part.raw !== undefined)));
    },
    data: async <T extends JsonValue>() => dataOfParts(parts) as T | undefined,
    bytes: (options = {}) => bytesOfParts(parts, options.load),
  };
  return Object.freeze(handle);
}
