/**
 * Parts that are too large for an event. Their bytes are kept once per tenant, owner and content; what is stored of
 * the part has a reference in the place of its content, `{"$blob":{"sha256":…,"arm":"text","bytes":n}}`. Only stored
 * JSON has references: subscribers, answers and handlers see the content. A Part has no field of that name, so that
 * nothing that a caller sends can be taken for one.
 */
import { decodeBase64, encodeBase64 } from "../model/bytes.ts";
import type { Part } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { sha256Hex } from "./digest.ts";
import { type BlobWrite, type EventRow, type Store, StoreCorrupt } from "./store.ts";

/** Who owns what is stored. */
interface BlobOwner {
  readonly tenant: string;
  readonly owner: string;
}

interface BlobReference {
  readonly sha256: string;
  /** Which content it is. */
  readonly arm: Arm;
  readonly bytes: number;
}

/** A part as it is stored. */
interface StoredPart {
  readonly $blob?: BlobReference;
}

interface DigestedBytes {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** Of parts that are on their way into a blob. */
const digested = new WeakMap<Part, Promise<DigestedBytes>>();

/** The bytes of a part and their digest. Who asks before the part is held has them made for {@link Blobs.hold} too. */
export function digestPart(part: Part, arm: Arm): Promise<DigestedBytes> {
  const known = digested.get(part);
  if (known !== undefined) return known;
  const bytes = bytesOf(part, arm);
  const made = sha256Hex(bytes).then((sha256) => ({ bytes, sha256 }));
  digested.set(part, made);
  return made;
}

/** As it stands in stored JSON; elsewhere it may only be a key of somebody's data. */
const MARKER = '"$blob":';
/** What of it is looked for first: JSON is full of quotes, and a search stops at each. */
const RARE = "$blob";
const REFERENCED_BYTES = /"\$blob":\{[^}]*"bytes":(\d+)/g;
type Arm = "text" | "raw" | "data";

export class Blobs {
  readonly #store: Store;
  readonly #limit: number;
  /** The stored form of parts that went into a blob. */
  readonly #stored = new WeakMap<Part, object>();

  constructor(store: Store, limitBytes: number) {
    this.#store = store;
    this.#limit = limitBytes;
  }

  /** True when one of the parts belongs into a blob. A `data` part is measured only when it may be. */
  isLarge(parts: readonly Part[]): boolean {
    return parts.some((part) => armOf(part, this.#limit) !== undefined);
  }

  /** True when a part of that text alone belongs into a blob. */
  isLargeText(text: string): boolean {
    return text.length > this.#limit;
  }

  /** Prepares large parts: gives the bytes to be written with the entry, and remembers how the parts are stored. */
  async hold(owner: BlobOwner, parts: readonly Part[]): Promise<readonly BlobWrite[]> {
    const writes: BlobWrite[] = [];
    for (const part of parts) {
      const arm = armOf(part, this.#limit);
      if (arm === undefined) continue;
      const { bytes, sha256 } = await digestPart(part, arm);
      digested.delete(part);
      writes.push({ tenant: owner.tenant, owner: owner.owner, sha256, bytes });
      const $blob: BlobReference = { sha256, arm, bytes: bytes.length };
      this.#stored.set(part, { ...part, [arm]: undefined, $blob } satisfies StoredPart);
    }
    return writes;
  }

  /** JSON for the store: references in the place of what is held. */
  stringify(value: object): string {
    return JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === "object" && inner !== null ? (this.#stored.get(inner as Part) ?? inner) : inner,
    );
  }

  /** True when stored JSON may hold references. */
  hasReferences(json: string): boolean {
    return json.includes(RARE) && json.includes(MARKER);
  }

  /** Bytes of the parts that stored JSON refers to. */
  bytesIn(json: string): number {
    if (!this.hasReferences(json)) return 0;
    let sum = 0;
    for (const [, bytes] of json.matchAll(REFERENCED_BYTES)) sum += Number(bytes);
    return sum;
  }

  /** A row with its content in place. */
  async expandRow(owner: BlobOwner, row: EventRow): Promise<EventRow> {
    return { ...row, payload: JSON.stringify(await this.expand(owner, JSON.parse(row.payload) as object)) };
  }

  /** Puts the content back in the place of every reference, in place; such parts are held again. */
  async expand<T extends object>(owner: BlobOwner, value: T): Promise<T> {
    for (const part of partsIn(value)) {
      const { $blob } = part as StoredPart;
      if ($blob !== undefined) await this.#restore(owner, part as Part & { $blob?: BlobReference }, $blob);
    }
    return value;
  }

  async #restore(owner: BlobOwner, part: Part & { $blob?: BlobReference }, reference: BlobReference): Promise<void> {
    const bytes = await this.#store.blob(owner.tenant, owner.owner, reference.sha256);
    if (bytes === undefined) throw new StoreCorrupt(`blob ${reference.sha256} is missing`);
    const stored = { ...part };
    delete part.$blob;
    Object.assign(part, { [reference.arm]: contentOf(bytes, reference.arm) });
    this.#stored.set(part, stored);
  }
}

function armOf(part: Part, limit: number): Arm | undefined {
  if (part.text !== undefined) return part.text.length > limit ? "text" : undefined;
  if (part.raw !== undefined) return part.raw.length > limit ? "raw" : undefined;
  if (typeof part.data !== "object" || part.data === null) return undefined;
  return JSON.stringify(part.data).length > limit ? "data" : undefined;
}

function bytesOf(part: Part, arm: Arm): Uint8Array {
  if (arm === "raw") return decodeBase64(part.raw as string);
  return new TextEncoder().encode(arm === "text" ? (part.text as string) : JSON.stringify(part.data));
}

function contentOf(bytes: Uint8Array, arm: Arm): JsonValue {
  if (arm === "raw") return encodeBase64(bytes);
  const text = new TextDecoder().decode(bytes);
  return arm === "text" ? text : (JSON.parse(text) as JsonValue);
}

/** Every part of what is stored: a Task, a message entry, a StreamResponse, or the change that one means. */
function* partsIn(value: object): Generator<Part, void, undefined> {
  const { parts, status, statusUpdate, artifactUpdate, update, artifact, message, artifacts, history } =
    value as Holder;
  if (Array.isArray(parts)) yield* parts;
  for (const inner of [status, statusUpdate, artifactUpdate, update, artifact, message]) {
    if (typeof inner === "object" && inner !== null) yield* partsIn(inner);
  }
  for (const inner of [...(artifacts ?? []), ...(history ?? [])]) yield* partsIn(inner);
}

/** Where parts are, in any of the shapes that are stored. */
interface Holder {
  readonly parts?: readonly Part[];
  readonly status?: object;
  readonly statusUpdate?: object;
  readonly artifactUpdate?: object;
  readonly update?: object;
  readonly artifact?: object;
  readonly message?: object;
  readonly artifacts?: readonly object[];
  readonly history?: readonly object[];
}
