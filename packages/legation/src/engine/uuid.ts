/**
 * A UUIDv7 (RFC 9562): sortable by the time it was made. Several of one millisecond are in no order among themselves.
 *
 * @param now - Wall time in ms since the epoch.
 */
export function newUuidV7(now: number): string {
  if (now !== lastMs) {
    lastMs = now;
    const time = Math.max(0, Math.floor(now)).toString(16).padStart(12, "0");
    lastLead = `${time.slice(0, 8)}-${time.slice(8, 12)}-7`;
  }
  // What follows the version is laid out alike in both, and the runtime draws its random bytes for many ids at once.
  return lastLead + crypto.randomUUID().slice(15);
}

let lastMs = Number.NaN;
let lastLead = "";
