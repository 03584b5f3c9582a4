/** What the extensions of an agent add to what it says, for the callers that asked for them. */
import { Ending, type Utterance } from "../engine/turn.ts";
import type { AgentExtension, Message } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue, whyNotJson } from "../model/json.ts";
import { A2AError, invalidField } from "../operations/errors.ts";
import { type ActivatedTurn, type Extension, type ExtensionHooks, isExtension } from "../operations/extension.ts";

/** Metadata to add, and the URIs that it is of. */
export interface Stamp {
  readonly metadata: JsonObject;
  readonly extensions: readonly string[];
}

/** The stamps of one turn. */
export interface Stamps {
  utterance<T extends Utterance>(utterance: T): T;
  /** What is added to an artifact that begins; undefined for nothing. */
  artifact(name: string): Stamp | undefined;
  ending(ending: Ending): Ending;
  message(message: Message): Message;
}

/** The plug-ins among the extensions of an agent. */
export function pluginsOf(extensions: readonly AgentExtension[] | undefined): readonly Extension[] {
  return (extensions ?? []).filter(isExtension);
}

/**
 * Makes the stamps of a turn; undefined where no active extension has any, which costs nothing then.
 *
 * @param plugins of the agent
 * @param active URIs of the extensions that are active for the message
 * @param turn gives what the handler is given; asked when the agent first says something
 */
export function createStamps(
  plugins: readonly Extension[],
  active: readonly string[],
  turn: () => { readonly turn: ActivatedTurn; readonly message: Message },
): Stamps | undefined {
  const stamping = plugins.filter(({ uri, activate }) => activate !== undefined && active.includes(uri));
  if (stamping.length === 0) return undefined;
  return new ActiveStamps(stamping, turn);
}

class ActiveStamps implements Stamps {
  readonly #plugins: readonly Extension[];
  readonly #turn: Parameters<typeof createStamps>[2];
  #hooks: readonly (readonly [Extension, ExtensionHooks<JsonValue>])[] | undefined;

  constructor(plugins: readonly Extension[], turn: Parameters<typeof createStamps>[2]) {
    this.#plugins = plugins;
    this.#turn = turn;
  }

  utterance<T extends Utterance>(utterance: T): T {
    const stamp = this.#collect(({ onMessage }) => onMessage?.());
    return stamp === undefined ? utterance : { ...utterance, ...added(utterance, stamp) };
  }

  artifact(name: string): Stamp | undefined {
    return this.#collect(({ onArtifact }) => onArtifact?.(name));
  }

  ending(ending: Ending): Ending {
    const { kind, utterance } = ending;
    return utterance === undefined ? ending : new Ending(kind, this.utterance(utterance));
  }

  message(message: Message): Message {
    const stamp = this.#collect(({ onMessage }) => onMessage?.());
    return stamp === undefined ? message : { ...message, ...added(message, stamp) };
  }

  #collect(ask: (hooks: ExtensionHooks<JsonValue>) => JsonValue | undefined): Stamp | undefined {
    if (this.#hooks === undefined) {
      const { turn, message } = this.#turn();
      this.#hooks = this.#plugins.map((plugin) => [plugin, plugin.activate?.(turn, message) ?? {}]);
    }
    const metadata: JsonObject = {};
    const extensions: string[] = [];
    for (const [plugin, hooks] of this.#hooks) {
      const value = ask(hooks);
      if (value === undefined) continue;
      Object.assign(metadata, plugin.write(jsonOf(plugin, value)));
      extensions.push(plugin.uri);
    }
    return extensions.length === 0 ? undefined : { metadata, extensions };
  }
}

function jsonOf({ uri }: Extension, value: JsonValue): JsonValue {
  const why = whyNotJson(value);
  if (why === undefined) return value;
  throw new A2AError("INVALID_AGENT_RESPONSE", `what the extension ${uri} says cannot be sent: ${why}`);
}

/** What the handler says itself counts before what an extension adds. */
function added(
  own: { readonly metadata?: JsonObject | undefined; readonly extensions?: readonly string[] | undefined },
  { metadata, extensions }: Stamp,
): { metadata: JsonObject; extensions: string[] } {
  return {
    metadata: { ...metadata, ...own.metadata },
    extensions: [...new Set([...(own.extensions ?? []), ...extensions])],
  };
}

/**
 * Refuses a message in which an active extension says what it may not.
 *
 * @throws INVALID_PARAMS on the metadata of the message
 */
export function admitMetadata(plugins: readonly Extension[], active: readonly string[], message: Message): void {
  const { metadata } = message;
  if (metadata === undefined || !isJsonObject(metadata)) return;
  for (const { uri, key, check } of plugins) {
    if (check === undefined || !active.includes(uri) || !Object.hasOwn(metadata, key)) continue;
    const why = check(metadata[key] as JsonValue);
    if (why !== undefined) throw invalidField(`message.metadata[${JSON.stringify(key)}]`, `${why} (extension ${uri})`);
  }
}
