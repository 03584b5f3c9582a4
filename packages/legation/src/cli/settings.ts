/**
 * The value of every option and where it came from, in one fixed order: flag, environment, local file, global file,
 * built-in default.
 *
 * @see a2a-cli specification §6.5, §8.3
 */
import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { usageError } from "./cli-error.ts";
import { type EnvFile, parseEnvFile } from "./dotenv.ts";
import { parseDuration } from "./duration.ts";
import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";
import { envName, OPTIONS, type OptionName } from "./options.ts";

/** One flag as it was given; an on/off flag has no value. */
export interface GivenFlag {
  readonly name: OptionName;
  readonly value: string | undefined;
}

/** Where a value came from: `flag`, `env`, `default`, or the path of a file. */
export type Source = "flag" | "env" | "default" | (string & {});

/** A value as text, with its source. */
export interface Resolved {
  readonly values: readonly string[];
  readonly source: Source;
}

interface SourceFile {
  readonly path: string;
  readonly values: EnvFile;
}

const TRUE = new Set(["1", "true", "yes", "on"]);
const FALSE = new Set(["0", "false", "no", "off", ""]);

/** The options of one invocation. Its readers throw a usage error that names the source of a value that is wrong. */
export class Settings {
  readonly given: readonly GivenFlag[];
  readonly #io: Io;
  readonly #messages: Messages;
  readonly #formats: readonly string[];
  readonly #files: readonly SourceFile[];

  constructor(
    given: readonly GivenFlag[],
    around: { readonly io: Io; readonly messages: Messages; readonly formats: readonly string[] },
  ) {
    this.given = given;
    this.#io = around.io;
    this.#messages = around.messages;
    this.#formats = around.formats;
    this.#files = this.#readFiles();
  }

  /** Every value of an option, or undefined where nobody set it and it has no default. */
  resolve(name: OptionName): Resolved | undefined {
    const flags = this.given.filter((flag) => flag.name === name);
    if (flags.length > 0) return { values: flags.map((flag) => flag.value ?? "true"), source: "flag" };
    const key = envName(name);
    if (key !== undefined) {
      const inEnvironment = this.#io.env[key];
      if (inEnvironment !== undefined) return { values: split(name, inEnvironment), source: "env" };
      for (const file of this.#files) {
        const value = file.values.get(key);
        if (value !== undefined) return { values: split(name, value), source: file.path };
      }
    }
    const { fallback } = OPTIONS[name];
    return fallback === undefined ? undefined : { values: [fallback], source: "default" };
  }

  /** True when the flag itself was given. */
  isGiven(name: OptionName): boolean {
    return this.given.some((flag) => flag.name === name);
  }

  /** A text; the last one where a flag was given twice. An empty value counts as unset. */
  text(name: OptionName): string | undefined {
    const resolved = this.resolve(name);
    const value = resolved?.values.at(-1);
    if (resolved === undefined || value === undefined || value === "") return undefined;
    const choices = this.choices(name);
    if (choices !== undefined && !choices.includes(value)) {
      throw this.#wrong(name, resolved, this.#messages.oneOf(choices));
    }
    return value;
  }

  /** The only values of an option for this command; undefined where it takes any. */
  choices(name: OptionName): readonly string[] | undefined {
    const { choices } = OPTIONS[name];
    return name === "output" ? [...(choices ?? []), ...this.#formats] : choices;
  }

  /** All values of a repeatable option. */
  list(name: OptionName): readonly string[] {
    return (this.resolve(name)?.values ?? []).filter((value) => value !== "");
  }

  /** Whether an on/off option is on. */
  flag(name: OptionName): boolean {
    const resolved = this.resolve(name);
    if (resolved === undefined) return false;
    const value = (resolved.values.at(-1) ?? "").toLowerCase();
    if (TRUE.has(value)) return true;
    if (FALSE.has(value)) return false;
    throw this.#wrong(name, resolved, this.#messages.trueOrFalse);
  }

  /** Milliseconds. */
  duration(name: OptionName): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const ms = parseDuration(text);
    if (ms === undefined) throw this.#wrong(name, this.resolve(name), this.#messages.aDuration);
    return ms;
  }

  /** A whole number from `min` to `max`. */
  count(name: OptionName, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw this.#wrong(name, this.resolve(name), this.#messages.aNumber(min, max));
    }
    return value;
  }

  /** A JSON object. */
  object(name: OptionName): JsonObject | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      value = undefined;
    }
    if (!isJsonObject(value)) throw this.#wrong(name, this.resolve(name), this.#messages.aJsonObject);
    return value;
  }

  #wrong(name: OptionName, resolved: Resolved | undefined, wanted: string): Error {
    const shown = OPTIONS[name].secret === true ? "***" : (resolved?.values.at(-1) ?? "");
    const source = resolved?.source ?? "flag";
    const where = source === "flag" ? "" : ` (${source === "env" ? envName(name) : source})`;
    return usageError(this.#messages.wrongValue(`--${name}`, shown, wanted) + where);
  }

  #readFiles(): readonly SourceFile[] {
    const explicit = this.given.findLast((flag) => flag.name === "config")?.value ?? this.#io.env["A2ACLI_CONFIG"];
    const local =
      explicit === undefined || explicit === ""
        ? findUpwards(this.#io.cwd, ".env")
        : path.resolve(this.#io.cwd, explicit);
    const files: SourceFile[] = [];
    for (const file of [local, path.join(this.#io.home, ".config", "a2a-cli", ".env")]) {
      if (file === undefined) continue;
      const text = readIfThere(file);
      if (text === undefined) {
        if (file === local && explicit !== undefined) throw usageError(this.#messages.noConfigFile(file));
        continue;
      }
      const values = parseEnvFile(text);
      if (hasSecret(values) && isReadableByOthers(file)) this.#io.err(`${this.#messages.openSecrets(file)}\n`);
      files.push({ path: file, values });
    }
    return files;
  }
}

/** Several values of one variable are separated by commas; a service parameter may hold one, so there it is a newline. */
function split(name: OptionName, value: string): string[] {
  if (OPTIONS[name].repeat !== true) return [value];
  return value.split(name === "svc-param" ? "\n" : /[,\n]/).map((entry) => entry.trim());
}

function findUpwards(folder: string, name: string): string | undefined {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    const file = path.join(at, name);
    if (readIfThere(file) !== undefined) return file;
    if (path.dirname(at) === at) return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function hasSecret(values: EnvFile): boolean {
  return [...values.keys()].some((key) => /_(BEARER|API_KEY|SVC_PARAM)$/.test(key));
}

function isReadableByOthers(file: string): boolean {
  return process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0;
}
