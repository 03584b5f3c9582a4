/** Reads the JSON that a command is to look at: an argument, a file, or stdin; of an event stream its first event. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { JsonValue } from "../model/json.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";

/**
 * Reads it.
 *
 * @param given JSON, the path of a file, or `-` for stdin, which is also meant by nothing
 * @throws A usage error for what is no JSON.
 */
export async function readValue({ io, messages }: CommandContext, given: string | undefined): Promise<JsonValue> {
  const { text, name } = await textOf();
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  const events = /^(?:[a-z]+: ?.*\n)*data: ?(.*)/.exec(trimmed);
  try {
    return JSON.parse(events?.[1] ?? trimmed) as JsonValue;
  } catch (thrown) {
    throw usageError(messages.notJson(name, thrown instanceof Error ? thrown.message : ""), messages.howToExplain);
  }

  async function textOf(): Promise<{ readonly text: string; readonly name: string }> {
    if (given === undefined || given === "-") return { text: await io.stdin(), name: "stdin" };
    const file = path.resolve(io.cwd, given);
    const isJson = /^\s*[{["]/.test(given);
    if (!isJson && existsSync(file)) return { text: readFileSync(file, "utf8"), name: file };
    return { text: given, name: JSON.stringify(given.slice(0, 40)) };
  }
}
