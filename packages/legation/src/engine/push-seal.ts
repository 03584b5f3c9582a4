/**
 * Secrets of webhooks at rest: AES-256-GCM, with the task and the id of the webhook as associated data, so that a sealed
 * secret is of no use in another row.
 */
import { decodeBase64, encodeBase64 } from "../model/bytes.ts";
import { LocalError } from "../operations/errors.ts";

/** Seals and opens texts. */
export interface PushSealer {
  seal(plain: string, place: string): Promise<string>;
  /** @throws LocalError CONFIGURATION when it was sealed with a key that is not among ours, or for another place */
  open(sealed: string, place: string): Promise<string>;
}

const IV_BYTES = 12;
/** A shorter key text is a mistake, not a key. */
const SHORTEST_KEY = 16;

interface Key {
  readonly id: string;
  readonly key: CryptoKey;
}

/**
 * Makes a sealer.
 *
 * @param keys texts of at least 16 characters, random ones: the first seals, all open. Put a new one in front to rotate.
 * @throws LocalError CONFIGURATION for no key or one that is too short
 */
export function createPushSealer(keys: readonly string[]): PushSealer {
  const short = keys.find((key) => key.length < SHORTEST_KEY);
  if (keys.length === 0 || short !== undefined) {
    throw new LocalError("CONFIGURATION", `an encryption key needs ${SHORTEST_KEY} characters; give a random text`);
  }
  const made = Promise.all(keys.map(makeKey));
  return {
    async seal(plain, place) {
      const [first] = (await made) as [Key];
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(algorithm(iv, place), first.key, new TextEncoder().encode(plain));
      return `${first.id}.${encodeBase64(iv)}.${encodeBase64(new Uint8Array(sealed))}`;
    },
    async open(sealed, place) {
      const [id, iv = "", text = ""] = sealed.split(".");
      const found = (await made).find((key) => key.id === id);
      if (found === undefined) {
        throw new LocalError("CONFIGURATION", `secret is sealed with key ${id}, which is not configured; add it`);
      }
      try {
        const plain = await crypto.subtle.decrypt(algorithm(bytesOf(iv), place), found.key, bytesOf(text));
        return new TextDecoder().decode(plain);
      } catch (cause) {
        throw new LocalError("CONFIGURATION", `secret of ${place} was not sealed for it; register it again`, { cause });
      }
    },
  };
}

/** In a buffer of its own, as WebCrypto wants it. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(decodeBase64(base64));
}

function algorithm(iv: Uint8Array<ArrayBuffer>, place: string): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(place) };
}

async function makeKey(text: string): Promise<Key> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`legation webhook secrets ${text}`));
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  const id = await crypto.subtle.digest("SHA-256", bytes);
  return { id: encodeBase64(new Uint8Array(id)).slice(0, 8), key };
}
