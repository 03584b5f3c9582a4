/**
 * A UUIDv7 (RFC 9562): sortable by the time it was made. Several of one millisecond are in no order among themselves.
 *
 * @param now - Wall time in ms since the epoch.
 */
export function newUuidV7(now: number): string {
  if (now !== lastMs) {
    lastMs = now;
    const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, "0");
    lead = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
  }
  if (next + DIGITS > pool.length) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  // In one go, so that what is random is one flat string: pieces put together are copied again when it is looked at.
  const random = String.fromCharCode(
    ...[digit(), digit(), digit(), HYPHEN, VARIANT[(pool[next++] as number) & 3] as number, digit(), digit(), digit()],
    ...[HYPHEN, digit(), digit(), digit(), digit(), digit(), digit()],
    ...[digit(), digit(), digit(), digit(), digit(), digit()],
  );
  return lead + random;
}

/** Random digits of one id. */
const DIGITS = 19;
/** Random bytes are drawn for that many ids at once: one call of the system's generator costs more than an id. */
const IDS = 256;
const HYPHEN = 0x2d;
const HEX: Uint8Array = new TextEncoder().encode("0123456789abcdef");
const VARIANT: Uint8Array = HEX.subarray(8, 12);

const pool: Uint8Array<ArrayBuffer> = new Uint8Array(IDS * DIGITS);
let next = pool.length;
let lastMs = Number.NaN;
let lead = "";

function digit(): number {
  return HEX[(pool[next++] as number) & 15] as number;
}
