/** From `--agent-card` to a card (a2a-cli specification §7.2, §10.1). */
import { existsSync, readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { CliError } from "./cli-error.ts";
import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";

/** A card that was read from a file. */
export interface CardFile {
  readonly path: string;
  readonly text: string;
  readonly json: unknown;
}

/** The path that a reference means, or undefined when it means a host or a URL. */
export function pathOfReference(reference: string, io: Io): string | undefined {
  if (/^file:/i.test(reference)) return fileURLToPath(reference);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(reference)) return undefined;
  const expanded = /^~(?=$|[/\\])/.test(reference) ? os.homedir() + reference.slice(1) : reference;
  const file = path.resolve(io.cwd, expanded);
  const looksLikePath =
    /^(\.{1,2}|~)?[/\\]/.test(reference) || (!reference.includes(":") && /\.json$/i.test(reference));
  return looksLikePath || existsSync(file) ? file : undefined;
}

/**
 * Reads a card file.
 *
 * @throws A2ACLI_ERR_CARD_NOT_FOUND when it cannot be read, A2ACLI_ERR_CARD_INVALID when it is no JSON.
 */
export function readCardFile(file: string, messages: Messages): CardFile {
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    throw new CliError("A2ACLI_ERR_CARD_NOT_FOUND", messages.unreadableFile(file, code), {
      hint: messages.checkCard,
      cause,
    });
  }
  try {
    return { path: file, text, json: JSON.parse(text) as unknown };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "";
    throw new CliError("A2ACLI_ERR_CARD_INVALID", messages.notJson(file, reason), { cause });
  }
}
