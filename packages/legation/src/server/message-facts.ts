import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../operations/call.ts";
import { decodeMessageMeta, type MessageMeta } from "./message-meta.ts";

/** What a handler is told of the request that carried its message; read when it first asks for any of it. */
export abstract class MessageFacts implements MessageMeta {
  readonly #encoded: JsonObject;
  #meta: MessageMeta | undefined;

  /** @param encoded as the admission encoded it */
  constructor(encoded: JsonObject) {
    this.#encoded = encoded;
  }

  get principal(): Principal {
    return this.#read().principal;
  }

  get acceptedOutputModes(): readonly string[] {
    return this.#read().acceptedOutputModes;
  }

  get extensions(): readonly string[] {
    return this.#read().extensions;
  }

  get requestMetadata(): JsonObject {
    return this.#read().requestMetadata;
  }

  #read(): MessageMeta {
    this.#meta ??= decodeMessageMeta(this.#encoded);
    return this.#meta;
  }
}
