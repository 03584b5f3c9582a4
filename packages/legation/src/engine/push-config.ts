/**
 * What somebody registers for a task: checked before it is stored, stored with its secrets apart, shown without them.
 *
 * @see specification §4.3.1, §4.3.2, §13.2
 */
import type { TaskPushNotificationConfig } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";
import { invalidField, LocalError } from "../operations/errors.ts";
import type { PushSealer } from "./push-seal.ts";

/** A webhook with everything that is needed to call it. */
export interface PushConfig {
  readonly url: string;
  readonly token?: string | undefined;
  readonly scheme?: string | undefined;
  readonly credentials?: string | undefined;
}

/** What stands in the store: the secrets as they are, or sealed. */
interface StoredConfig {
  readonly url: string;
  readonly scheme?: string | undefined;
  readonly token?: string | undefined;
  readonly credentials?: string | undefined;
  readonly sealed?: string | undefined;
}

const LONGEST = { id: 256, url: 2_048, token: 4_096, scheme: 64, credentials: 8_192 } as const;
/** A name of an HTTP authentication scheme (RFC 9110 §11.1). */
const SCHEME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What a header can carry unchanged: visible ASCII, with spaces inside. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Checks a registration.
 *
 * @param config as the caller sent it
 * @param refuseUrl the rules of the operator
 * @param prefix where it stands in the request, with a dot at its end
 * @throws A2AError INVALID_PARAMS that names the field; never with a secret in its text
 */
export function admitPushConfig(
  config: TaskPushNotificationConfig,
  refuseUrl: ((url: URL) => string | undefined) | undefined,
  prefix: string = "",
): void {
  const { id, url, token, authentication } = config;
  if (id !== undefined && (id.length > LONGEST.id || !HEADER_TEXT.test(id))) {
    throw invalidField(`${prefix}id`, `is no id; send up to ${LONGEST.id} visible ASCII characters, or none`);
  }
  const why = whyNotUrl(url, refuseUrl);
  if (why !== undefined) throw invalidField(`${prefix}url`, why);
  admitText(`${prefix}token`, token, LONGEST.token);
  const { scheme, credentials } = authentication ?? {};
  if (scheme !== undefined && (scheme.length > LONGEST.scheme || !SCHEME.test(scheme))) {
    throw invalidField(`${prefix}authentication.scheme`, "is no HTTP authentication scheme; send Bearer, Basic …");
  }
  admitText(`${prefix}authentication.credentials`, credentials, LONGEST.credentials);
}

function whyNotUrl(text: string, refuseUrl: ((url: URL) => string | undefined) | undefined): string | undefined {
  if (text.length > LONGEST.url) return `has ${text.length} characters; at most ${LONGEST.url} are taken`;
  // The parser would drop tabs and line breaks silently, and what is called would not be what was written.
  if (/[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return "is no absolute URL; send https://…";
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `${url.protocol} cannot be called; send https://…`;
  }
  if (url.username !== "" || url.password !== "") return "holds credentials; send them as authentication";
  return refuseUrl?.(url);
}

function admitText(field: string, text: string | undefined, longest: number): void {
  if (text === undefined || text === "" || (text.length <= longest && HEADER_TEXT.test(text))) return;
  throw invalidField(
    field,
    `cannot stand in a header; send up to ${longest} visible ASCII characters without spaces around them`,
  );
}

/** What is needed of a registration to call it. */
export function plainPushConfig({ url, token, authentication }: TaskPushNotificationConfig): PushConfig {
  return { url, token, scheme: authentication?.scheme, credentials: authentication?.credentials };
}

/** True when two registrations call the same URL in the same way. */
export function isSameConfig(one: PushConfig, other: PushConfig): boolean {
  return (["url", "token", "scheme", "credentials"] as const).every(
    (name) => (one[name] ?? "") === (other[name] ?? ""),
  );
}

/** The JSON that a store keeps. */
export async function encodePushConfig(
  config: TaskPushNotificationConfig,
  place: string,
  sealer: PushSealer | undefined,
): Promise<string> {
  const plain = plainPushConfig(config);
  const { url, scheme, token, credentials } = plain;
  const hasSecret = (token ?? "") !== "" || (credentials ?? "") !== "";
  const stored: StoredConfig =
    sealer === undefined || !hasSecret
      ? plain
      : { url, scheme, sealed: await sealer.seal(JSON.stringify({ token, credentials }), place) };
  return JSON.stringify(stored);
}

/** Reads what a store keeps. @throws Error that shows nothing of it, as the parser's own would */
function parseStored(json: string): StoredConfig {
  try {
    const stored: unknown = JSON.parse(json);
    if (isJsonObject(stored) && typeof stored["url"] === "string") return stored as unknown as StoredConfig;
  } catch {
    // Below.
  }
  throw new LocalError("CONFIGURATION", "what is stored of this webhook cannot be read; register it again");
}

/** The URL of a webhook, `""` where what is stored of it cannot be read. */
export function urlOfStored(json: string): string {
  try {
    return parseStored(json).url;
  } catch {
    return "";
  }
}

/** @throws LocalError CONFIGURATION when its secrets cannot be opened here */
export async function decodePushConfig(
  json: string,
  place: string,
  sealer: PushSealer | undefined,
): Promise<PushConfig> {
  const { sealed, ...plain } = parseStored(json);
  if (sealed === undefined) return plain;
  if (sealer === undefined)
    throw new LocalError("CONFIGURATION", "the secrets of this webhook are sealed; configure the key that sealed them");
  return { ...plain, ...(JSON.parse(await sealer.open(sealed, place)) as Partial<PushConfig>) };
}

/** What may be shown: without token and credentials. */
export function showPushConfig(row: {
  readonly id: string;
  readonly taskId: string;
  readonly tenant: string;
  readonly config: string;
}): TaskPushNotificationConfig {
  const { url, scheme } = parseStored(row.config);
  const shown: TaskPushNotificationConfig = { id: row.id, taskId: row.taskId, url };
  if (row.tenant !== "") shown.tenant = row.tenant;
  if (scheme !== undefined) shown.authentication = { scheme };
  return shown;
}

/** Names the row that secrets belong to. */
export function placeOf(taskId: string, hookId: string): string {
  return `webhook ${hookId} of task ${taskId}`;
}
