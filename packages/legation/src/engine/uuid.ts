/**
 * A UUIDv7 (RFC 9562): sortable by the time it was made. Several of one millisecond are in no order among themselves.
 *
 * @param now - Wall time in ms since the epoch.
 */
export function newUuidV7(now: number): string {
  if (now !== leadMs) setLead(now);
  if (next + DIGITS > pool.length) {
    crypto.getRandomValues(pool);
    next = 0;
  }
  const at = next;
  next += DIGITS;
  // In one go, as ids are keys of maps: a text that is put together of pieces is copied when it is looked at.
  return String.fromCharCode(
    lead[0] as number,
    lead[1] as number,
    lead[2] as number,
    lead[3] as number,
    lead[4] as number,
    lead[5] as number,
    lead[6] as number,
    lead[7] as number,
    lead[8] as number,
    lead[9] as number,
    lead[10] as number,
    lead[11] as number,
    lead[12] as number,
    lead[13] as number,
    lead[14] as number,
    digit(at),
    digit(at + 1),
    digit(at + 2),
    HYPHEN,
    VARIANT[(pool[at + 3] as number) & 3] as number,
    digit(at + 4),
    digit(at + 5),
    digit(at + 6),
    HYPHEN,
    digit(at + 7),
    digit(at + 8),
    digit(at + 9),
    digit(at + 10),
    digit(at + 11),
    digit(at + 12),
    digit(at + 13),
    digit(at + 14),
    digit(at + 15),
    digit(at + 16),
    digit(at + 17),
    digit(at + 18),
  );
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
let leadMs = Number.NaN;
/** Codes of the characters that all ids of a millisecond begin with. */
const lead: Uint8Array = new Uint8Array(15);

function setLead(ms: number): void {
  leadMs = ms;
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  const text = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
  for (let at = 0; at < lead.length; at++) lead[at] = text.charCodeAt(at);
}

function digit(at: number): number {
  return HEX[(pool[at] as number) & 15] as number;
}
