/** A message of the caller as a handler reads it. */
import { decodeBase64 } from "../model/bytes.ts";
import type { Message, Part } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { SKILL_EXTENSION } from "../operations/extension-uris.ts";
import { partMediaType } from "../operations/media-type.ts";

/** A part of a message that is a file: bytes that came along, or a URL. */
export interface MessageFile {
  /** `filename` of the part. */
  readonly name: string | undefined;
  /** `application/octet-stream` for bytes without a type; undefined for a URL without one. */
  readonly mediaType: string | undefined;
  /** Where the content is, for a file by reference. Untrusted: do not fetch it without looking at it. */
  readonly url: string | undefined;
  /** The bytes that came along; undefined for a file by reference. Decoded at each call. */
  bytes(): Uint8Array | undefined;
  /** The part as it came. */
  readonly raw: Part;
}

/** What a caller said. All members are read from {@link MessageHandle.raw}, nothing is fetched. */
export interface MessageHandle {
  readonly id: string;
  /** All text parts, joined by line feeds; `""` where there is none. */
  readonly text: string;
  /** The value of the first data part; undefined where there is none. */
  readonly data: JsonValue | undefined;
  /** The parts that are bytes or URLs, in order. */
  readonly files: readonly MessageFile[];
  /** Metadata of the message. */
  readonly metadata: JsonObject;
  /** The skill that the caller names by the skill extension; one of the card. */
  readonly skillId: string | undefined;
  /** The Message as it stands in the history. */
  readonly raw: Message;
}

/** Wraps a message of the protocol. */
export function createMessageHandle(message: Message): MessageHandle {
  return new ReceivedMessage(message);
}

/** Nothing is read before a handler asks for it. */
class ReceivedMessage implements MessageHandle {
  readonly raw: Message;

  constructor(message: Message) {
    this.raw = message;
  }

  get id(): string {
    return this.raw.messageId;
  }

  get text(): string {
    return textOfParts(this.raw.parts);
  }

  get data(): JsonValue | undefined {
    return dataOfParts(this.raw.parts);
  }

  get files(): readonly MessageFile[] {
    return this.raw.parts.filter((part) => part.raw !== undefined || part.url !== undefined).map(createMessageFile);
  }

  get metadata(): JsonObject {
    return this.raw.metadata ?? {};
  }

  get skillId(): string | undefined {
    return skillIdOf(this.raw);
  }
}

/** All text parts, joined by line feeds. */
export function textOfParts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n");
}

/** The value of the first data part; undefined where there is none. */
export function dataOfParts(parts: readonly Part[]): JsonValue | undefined {
  return parts.find((part) => part.data !== undefined)?.data;
}

/** The skill that a message names in the metadata of the skill extension. */
export function skillIdOf(message: Message): string | undefined {
  const named = message.metadata?.[SKILL_EXTENSION];
  const skillId = isJsonObject(named) ? named["skillId"] : undefined;
  return typeof skillId === "string" && skillId !== "" ? skillId : undefined;
}

function createMessageFile(part: Part): MessageFile {
  return {
    name: part.filename,
    mediaType: partMediaType(part),
    url: part.url,
    bytes: () => (part.raw === undefined ? undefined : decodeBase64(part.raw)),
    raw: part,
  };
}
