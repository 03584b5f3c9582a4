/**
 * HMAC-SHA-256 with one key. Where the runtime has it without a promise (Node, Bun, Deno) that one is used: WebCrypto
 * makes it on another thread, and handing it over costs ten times the hash of a short text.
 */

/** Gives the bytes of the MAC of a text. */
export type KeyedHash = (text: string) => Uint8Array | Promise<Uint8Array>;

interface Hmac {
  update(text: string): Hmac;
  digest(): Uint8Array;
}

interface Builtins {
  getBuiltinModule?(name: string): { createHmac?: (hash: string, key: Uint8Array) => Hmac } | undefined;
}

const createHmac = (globalThis as { process?: Builtins }).process?.getBuiltinModule?.("node:crypto")?.createHmac;

const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;

/** Makes the hash of a key. */
export function createKeyedHash(key: Uint8Array<ArrayBuffer>): KeyedHash {
  if (createHmac !== undefined) return (text) => createHmac("sha256", key).update(text).digest();
  return webHash(key);
}

/** The same on WebCrypto, which every runtime has. */
export function webHash(key: Uint8Array<ArrayBuffer>): KeyedHash {
  let imported: Promise<CryptoKey> | undefined;
  return async (text) => {
    imported ??= crypto.subtle.importKey("raw", key, ALGORITHM, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign(ALGORITHM.name, await imported, new TextEncoder().encode(text)));
  };
}
