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

interface NodeCrypto {
  createHmac(hash: string, key: object): Hmac;
  createSecretKey(key: Uint8Array): object;
}

interface Builtins {
  getBuiltinModule?(name: string): NodeCrypto | undefined;
}

const nodeCrypto = (globalThis as { process?: Builtins }).process?.getBuiltinModule?.("node:crypto");

const ALGORITHM = { name: "HMAC", hash: "SHA-256" } as const;

/** Makes the hash of a key. */
export function createKeyedHash(key: Uint8Array<ArrayBuffer>): KeyedHash {
  if (nodeCrypto === undefined) return webHash(key);
  // Made once: of a hash with bare bytes most is the making of the key.
  const secret = nodeCrypto.createSecretKey(key);
  return (text) => nodeCrypto.createHmac("sha256", secret).update(text).digest();
}

/** The same on WebCrypto, which every runtime has. */
export function webHash(key: Uint8Array<ArrayBuffer>): KeyedHash {
  let imported: Promise<CryptoKey> | undefined;
  return async (text) => {
    imported ??= crypto.subtle.importKey("raw", key, ALGORITHM, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign(ALGORITHM.name, await imported, new TextEncoder().encode(text)));
  };
}
