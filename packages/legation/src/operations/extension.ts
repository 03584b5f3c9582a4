/**
 * An extension as a typed plug-in: what a card says of it, what it keeps in the metadata of messages, artifacts and
 * events, and methods of its own. The same value serves both sides: an agent is given it, a client reads with it.
 *
 * @see specification §4.6, §4.4.4
 */
import type { AgentExtension, Message, StreamResponse } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Call, Principal } from "./call.ts";
import type { Service } from "./service.ts";

/** Anything with metadata: a message, an artifact, a part, a task, an event, or a handle of one. */
export interface MetadataHolder {
  readonly metadata?: JsonObject | undefined;
}

/** What is common to the handles that handlers are given: `task` of onTask, `turn` of onMessage. */
export interface ActivatedTurn {
  readonly principal: Principal;
  readonly signal: AbortSignal;
  /** URIs of the extensions that are active for the message. */
  readonly extensions: readonly string[];
  readonly requestMetadata: JsonObject;
}

/** What an extension adds to what an agent says in one turn. A turn that runs again after a crash says it again. */
export interface ExtensionHooks<Value> {
  /** For each message of the agent: status texts, questions, replies. Undefined adds nothing. */
  readonly onMessage?: (() => Value | undefined) | undefined;
  /** For each artifact that is begun or replaced, not for chunks that are appended. Undefined adds nothing. */
  readonly onArtifact?: ((name: string) => Value | undefined) | undefined;
}

/** What a method of an extension is given beside its params. */
export interface ExtensionMethodContext {
  /** Who calls and what was asked for: authenticated as every call is. */
  readonly call: Call;
  /** The operations of the agent, for what the caller may see. */
  readonly service: Service;
}

/** A method that an extension adds to JSON-RPC. Its params are unchecked; what it throws is answered as an error. */
export type ExtensionMethod = (params: JsonObject, context: ExtensionMethodContext) => Promise<JsonValue>;

/** What {@link defineExtension} is given. */
export interface ExtensionSpec<Value extends JsonValue | object> {
  /** Names the extension and its version; compared exactly. A change that breaks readers needs another one. */
  readonly uri: string;
  readonly description: string;
  /** True refuses callers that do not ask for it. Default false. */
  readonly required?: boolean | undefined;
  /** What the card says beside. */
  readonly params?: JsonObject | undefined;
  /** The key in metadata; the URI by default. */
  readonly key?: string | undefined;
  /**
   * Says what is wrong with a value that a caller sent, before anything is stored; undefined when it is right. By
   * default every value is taken.
   */
  readonly check?: ((value: JsonValue) => string | undefined) | undefined;
  /** Called for each turn for which the extension is active, when the agent first says something in it. */
  readonly activate?: ((turn: ActivatedTurn, message: Message) => ExtensionHooks<Value>) | undefined;
  /**
   * What goes into the metadata of status and artifact updates, on streams of callers that asked for the extension, and
   * in what webhooks get that were registered with it. `call` is that of the stream; a webhook has none.
   */
  readonly onEvent?: ((event: StreamResponse, call: Call | undefined) => Value | undefined) | undefined;
  /** Methods by their JSON-RPC name, none of which may be one of the protocol's. */
  readonly methods?: Readonly<Record<string, ExtensionMethod>> | undefined;
}

/** What a client adds to a message that uses an extension. */
export interface ExtensionSendOptions {
  readonly extensions: readonly string[];
  readonly messageMetadata: JsonObject;
  readonly messageExtensions: readonly string[];
}

/** An extension, made by {@link defineExtension}. */
export interface Extension<Value extends JsonValue | object = JsonValue> extends AgentExtension, ExtensionSpec<Value> {
  readonly uri: string;
  readonly description: string;
  readonly required: boolean;
  readonly params: JsonObject;
  readonly key: string;
  /** What the card says. */
  declare(): AgentExtension;
  /** What the extension says there; undefined where it says nothing, or what `check` refuses. */
  read(holder: MetadataHolder): Value | undefined;
  /** The metadata that says it, to be spread into others. */
  write(value: Value): JsonObject;
  /** Options of `client.send` and `client.stream` that ask for the extension and say it with the message. */
  sendOptions(value: Value): ExtensionSendOptions;
}

/**
 * Makes an extension. Give it to `createAgent({ extensions })`; on the other side ask for its `uri`
 * (`connect(url, { extensions: [it.uri] })`) and `read` what comes.
 *
 * @param spec what it is; `Value` is what it keeps in metadata, which must be JSON
 * @see specification §4.6
 */
export function defineExtension<Value extends JsonValue | object>(spec: ExtensionSpec<Value>): Extension<Value> {
  const { uri, description, required = false, params = {}, key = uri, check } = spec;
  const card: AgentExtension = {
    uri,
    description,
    ...(required ? { required } : {}),
    ...(Object.keys(params).length === 0 ? {} : { params }),
  };
  return Object.freeze({
    ...spec,
    required,
    params,
    key,
    declare: () => card,
    read({ metadata }: MetadataHolder) {
      if (metadata === undefined || !Object.hasOwn(metadata, key)) return undefined;
      const value = metadata[key] as JsonValue;
      return check?.(value) === undefined ? (value as Value) : undefined;
    },
    write: (value: Value) => ({ [key]: value as JsonValue }),
    sendOptions: (value: Value) => ({
      extensions: [uri],
      messageMetadata: { [key]: value as JsonValue },
      messageExtensions: [uri],
    }),
  });
}

/** Tells a plug-in from a mere line of a card. */
export function isExtension(extension: AgentExtension): extension is Extension {
  return typeof (extension as Partial<Extension>).declare === "function";
}
