/**
 * A UUIDv7 (RFC 9562): sortable by the time it was made. Several of one millisecond are in no order among themselves.
 *
 * @param now - Wall time in ms since the epoch.
 */
export function newUuidV7(now: number): string {
  const random = pool();
  const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-7${random.slice(0, 3)}-${VARIANT[Number.parseInt(random.slice(3, 4), 16) & 3]}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

const VARIANT = ["8", "9", "a", "b"];
/** Random bytes are drawn for that many ids at once: one call of the system's generator costs more than an id. */
const IDS = 256;
const BYTES = 10;
let bytes = new Uint8Array(0);
let next = 0;

function pool(): string {
  if (next >= bytes.length) {
    bytes = crypto.getRandomValues(new Uint8Array(IDS * BYTES));
    next = 0;
  }
  let text = "";
  for (const end = next + BYTES; next < end; next++) text += HEX[bytes[next] as number];
  return text;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
