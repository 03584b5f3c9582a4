/** From the part flags of `send`, in the order given, to the parts of a message. */
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Part } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { usageError } from "./cli-error.ts";
import type { Io } from "./io.ts";
import { mediaTypeOfName } from "./media-types.ts";
import type { Messages } from "./messages/en.ts";
import type { GivenFlag } from "./settings.ts";

const PART_FLAGS = new Set(["text", "file", "data"]);

interface PartFlag {
  readonly name: string;
  readonly value: string;
  mediaType?: string;
}

/**
 * Makes the parts. The word that is no option comes first, then the flags in their order; a media type belongs to the
 * part flag before it.
 *
 * @throws A usage error for a media type without a part, for a file that cannot be read, for data that is no JSON,
 * for a text that says nothing, and when there is no part at all.
 */
export async function readParts(
  word: string | undefined,
  given: readonly GivenFlag[],
  io: Io,
  messages: Messages,
): Promise<Part[]> {
  const flags = bindMediaTypes(given, messages);
  if (word?.trim() === "") throw usageError(messages.emptyText, messages.howToSend);
  const parts: Part[] = word === undefined ? [] : [{ text: word }];
  for (const flag of flags) parts.push(await readPart(flag, io, messages));
  if (parts.length === 0) throw usageError(messages.nothingToSend, messages.howToSend);
  return parts;
}

function bindMediaTypes(given: readonly GivenFlag[], messages: Messages): PartFlag[] {
  const flags: PartFlag[] = [];
  let isOpen = false;
  for (const { name, value } of given) {
    if (PART_FLAGS.has(name)) flags.push({ name, value: value ?? "" });
    if (name === "media-type") {
      const last = flags.at(-1);
      if (last === undefined || !isOpen) throw usageError(messages.looseMediaType(value ?? ""));
      last.mediaType = value ?? "";
    }
    isOpen = PART_FLAGS.has(name);
  }
  return flags;
}

async function readPart({ name, value, mediaType }: PartFlag, io: Io, messages: Messages): Promise<Part> {
  const type = mediaType === undefined ? {} : { mediaType };
  if (name === "text") {
    if (value.trim() === "") throw usageError(messages.emptyText, messages.howToSend);
    return { text: value, ...type };
  }
  if (name === "file") return filePart(value, type, io, messages);
  return { data: await readData(value, io, messages), ...type };
}

function filePart(value: string, type: { mediaType?: string }, io: Io, messages: Messages): Part {
  if (/^https?:\/\//i.test(value) && URL.canParse(value)) {
    const name = path.posix.basename(new URL(value).pathname);
    return { url: value, ...(name === "" ? {} : { filename: name }), ...guessed(name, type) };
  }
  const filename = path.basename(value);
  const raw = readBytes(value, io, messages).toString("base64");
  return { raw, filename, ...guessed(filename, type) };
}

function guessed(name: string, type: { mediaType?: string }): { mediaType?: string } {
  const mediaType = type.mediaType ?? mediaTypeOfName(name);
  return mediaType === undefined ? {} : { mediaType };
}

async function readData(value: string, io: Io, messages: Messages): Promise<JsonValue> {
  const isInline = /^\s*[[{]/.test(value);
  let text = value;
  if (value === "-") text = await io.stdin();
  else if (!isInline) text = readBytes(value, io, messages).toString("utf8");
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as JsonValue;
  } catch (cause) {
    const where = value === "-" ? "stdin" : isInline ? "--data" : value;
    throw usageError(messages.notJson(where, cause instanceof Error ? cause.message : ""), messages.dataForms);
  }
}

function readBytes(file: string, io: Io, messages: Messages): Buffer {
  try {
    return readFileSync(path.resolve(io.cwd, file));
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    throw usageError(messages.unreadableFile(file, code));
  }
}
