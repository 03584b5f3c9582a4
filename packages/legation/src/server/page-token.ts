/**
 * Page tokens of ListTasks: opaque to the caller, and worth nothing to another one, under another filter, or changed.
 *
 * A token is the place where a page ended and an HMAC over the place, the filter and the caller.
 */
import type { Scope } from "../engine/engine.ts";
import type { ListQuery } from "../engine/store.ts";
import { invalidField } from "../operations/errors.ts";
import { createKeyedHash, type KeyedHash } from "./keyed-hash.ts";
import { canonicalJson } from "./request-hash.ts";

/** The place where a page ended. */
export type PagePlace = NonNullable<ListQuery["after"]>;

/** Makes and reads page tokens with one key. */
export interface PageTokens {
  encode(place: PagePlace, scope: Scope, filter: object): Promise<string>;
  /** @throws INVALID_PARAMS on `pageToken` for a token that was not made for this caller and filter */
  decode(token: string, scope: Scope, filter: object): Promise<PagePlace>;
}

/** Far above any token of ours; guards the decoder against a request that is one long token. */
const MAX_TOKEN_LENGTH = 1_024;
const MAC_BYTES = 16;

/**
 * Makes page tokens.
 *
 * @param secret what all replicas of a host share, so that a token of one is good on another and after a restart;
 * without it a key is made up, and tokens end with the process
 */
export function createPageTokens(secret?: string | undefined): PageTokens {
  let hash: KeyedHash | undefined;

  async function sign(place: string, scope: Scope, filter: object): Promise<string> {
    hash ??= createKeyedHash(keyOf(secret));
    const text = canonicalJson(["legation list", place, scope.tenant, scope.owner, scope.agent, canonicalJson(filter)]);
    const mac = hash(text);
    return encodeBytes((mac instanceof Promise ? await mac : mac).subarray(0, MAC_BYTES));
  }

  return {
    async encode({ statusTime, id, asOf }, scope, filter) {
      const place = encodeBytes(new TextEncoder().encode(JSON.stringify([statusTime, id, asOf])));
      return `${place}.${await sign(place, scope, filter)}`;
    },
    async decode(token, scope, filter) {
      const [place = "", mac = "", ...more] = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
      if (more.length > 0 || !isSame(mac, await sign(place, scope, filter))) {
        throw invalidField(
          "pageToken",
          "is not a token of this list; send the nextPageToken of the same filter, or none",
        );
      }
      const [statusTime, id, asOf] = JSON.parse(atob(place.replaceAll("-", "+").replaceAll("_", "/"))) as [
        number,
        string,
        number,
      ];
      return { statusTime, id, asOf };
    },
  };
}

function keyOf(secret: string | undefined): Uint8Array<ArrayBuffer> {
  if (secret === undefined) return crypto.getRandomValues(new Uint8Array(32));
  return new TextEncoder().encode(`page-token ${secret}`);
}

function encodeBytes(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Compares in a time that does not tell where two MACs differ. */
function isSame(given: string, right: string): boolean {
  let difference = given.length ^ right.length;
  for (let index = 0; index < right.length; index++) difference |= given.charCodeAt(index) ^ right.charCodeAt(index);
  return difference === 0;
}
