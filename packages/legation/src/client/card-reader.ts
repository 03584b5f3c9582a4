import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";

/** Reads members of a card in either spelling (`defaultInputModes`, `default_input_modes`) and notes what is odd. */
export class CardReader {
  readonly #json: JsonObject;
  readonly #warnings: string[];

  constructor(json: JsonObject, warnings: string[] = []) {
    this.#json = json;
    this.#warnings = warnings;
  }

  /** What was odd, each sentence once. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** Notes an oddity. */
  warn(sentence: string): void {
    if (!this.#warnings.includes(sentence)) this.#warnings.push(sentence);
  }

  /** A member in camelCase or snake_case; null counts as absent. */
  get(key: string): JsonValue | undefined {
    const found = own(this.#json, key) ?? own(this.#json, toSnakeCase(key));
    return found ?? undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** A string; undefined where it is absent, empty or no string. */
  text(key: string): string | undefined {
    const value = this.get(key);
    return typeof value === "string" && value !== "" ? value : undefined;
  }

  /** A string that the specification requires; `""` and a warning where it is missing. */
  requiredText(key: string): string {
    const value = this.get(key);
    if (typeof value === "string") return value;
    this.warn(`card has no ${key}`);
    return "";
  }

  flag(key: string): boolean | undefined {
    const value = this.get(key);
    return typeof value === "boolean" ? value : undefined;
  }

  /** The strings of a list; undefined where there is no list. */
  texts(key: string): string[] | undefined {
    const value = this.get(key);
    if (!Array.isArray(value)) return undefined;
    return value.filter((item): item is string => typeof item === "string");
  }

  /** A list of strings that the specification requires; empty and a warning where it is missing. */
  requiredTexts(key: string): string[] {
    const value = this.texts(key);
    if (value === undefined) this.warn(`card has no ${key}; read as empty`);
    return value ?? [];
  }

  object(key: string): CardReader | undefined {
    const value = this.get(key);
    return isJsonObject(value) ? new CardReader(value, this.#warnings) : undefined;
  }

  /** The objects of a list, each readable in the same way; empty where there is no list. */
  objects(key: string): CardReader[] {
    const value = this.get(key);
    if (!Array.isArray(value)) return [];
    return value.filter(isJsonObject).map((item) => new CardReader(item, this.#warnings));
  }

  /** Own members that are objects, by key. */
  entries(): [string, CardReader][] {
    return Object.entries(this.#json).flatMap(([key, value]) =>
      isJsonObject(value) ? [[key, new CardReader(value, this.#warnings)] as [string, CardReader]] : [],
    );
  }
}

function own(json: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
