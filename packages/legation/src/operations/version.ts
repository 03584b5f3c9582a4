/**
 * Which protocol version a call speaks, and whether this interface speaks it too.
 *
 * @see specification §3.6, §3.2.6
 */
import { A2AError } from "./errors.ts";

/** The version that this implementation speaks, and the value of the `A2A-Version` that its clients send. */
export const PROTOCOL_VERSION = "1.0";

/** What a request without `A2A-Version` means (§3.6.2). */
export const ASSUMED_VERSION = "0.3";

const VERSION_FORM = /^(\d+\.\d+)(?:\.\d+)?$/;

/**
 * Takes a version apart: `Major.Minor`, the patch number dropped, for it must not count (§3.6).
 *
 * @param text a version as it came, `1.0` or `1.0.1`
 * @returns `1.0`, or undefined when it is no version at all
 */
export function parseVersion(text: string): string | undefined {
  return VERSION_FORM.exec(text.trim())?.[1];
}

/** The version of a call as it came, and the one that it means. */
export interface RequestedVersion {
  /** What was sent; undefined where nothing, or an empty value, was. */
  readonly sent: string | undefined;
  /** `Major.Minor`; `0.3` where nothing was sent, undefined where what was sent is no version. */
  readonly version: string | undefined;
}

/**
 * Reads the version of a call: the header counts before the query parameter of the same name.
 *
 * @param header value of the `A2A-Version` header
 * @param query value of the `A2A-Version` query parameter, decoded
 */
export function requestedVersion(header: string | undefined, query?: string | undefined): RequestedVersion {
  if (header === PROTOCOL_VERSION) return CURRENT;
  const sent = nonEmpty(header) ?? nonEmpty(query);
  if (sent === undefined) return { sent, version: ASSUMED_VERSION };
  return { sent, version: parseVersion(sent) };
}

// The one answer that nearly every call gets: made once.
const CURRENT: RequestedVersion = { sent: PROTOCOL_VERSION, version: PROTOCOL_VERSION };

function nonEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/**
 * Decides whether a call can be served.
 *
 * @param requested from {@link requestedVersion}
 * @param supported `Major.Minor` of each version that the interface speaks, best first
 * @returns the version to serve the call in
 * @throws VERSION_NOT_SUPPORTED that says what to send and what is supported
 */
export function decideVersion(requested: RequestedVersion, supported: readonly string[] = SUPPORTED): string {
  const { version } = requested;
  if (version !== undefined && supported.includes(version)) return version;
  throw versionNotSupported(requested, supported);
}

const SUPPORTED: readonly string[] = [PROTOCOL_VERSION];

/**
 * The error for a version that is not spoken here; it tells the header to send.
 *
 * @param requested what was asked for
 * @param supported what there is
 * @param hint one more clause for the message, such as the 1.0 name of a 0.3 method
 */
export function versionNotSupported(
  requested: RequestedVersion,
  supported: readonly string[] = SUPPORTED,
  hint?: string,
): A2AError {
  const list = supported.join(", ");
  const send = `send A2A-Version: ${supported[0] ?? PROTOCOL_VERSION}`;
  return new A2AError(
    "VERSION_NOT_SUPPORTED",
    `${complaint(requested)}; ${hint === undefined ? "" : `${hint}; `}${send} (supported: ${list})`,
    { metadata: { requestedVersion: requested.sent ?? "", supportedVersions: list } },
  );
}

function complaint({ sent, version }: RequestedVersion): string {
  if (sent === undefined)
    return `no A2A-Version was sent, which means ${ASSUMED_VERSION}, and that is not supported here`;
  if (version === undefined) return `A2A-Version ${JSON.stringify(shorten(sent))} is not of the form Major.Minor`;
  return `A2A-Version ${shorten(sent)} is not supported`;
}

// A header may be kilobytes long; the answer repeats enough of it to recognise it.
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
