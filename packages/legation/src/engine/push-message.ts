/** What is sent to a webhook: the body by the version that its registrant speaks, and the headers. */
import type { PushConfig } from "./push-config.ts";
import type { PushEvent, PushShape, SignPush } from "./push-options.ts";

/** Name of the header that tells events apart: `<task>:<seq>`, the same for every attempt. */
const EVENT_ID_HEADER = "a2a-event-id";
/** Header of the JWT when Authorization is taken. */
export const EVENT_SIGNATURE_HEADER = "a2a-event-signature";
/** Headers of the token: the SDKs of JavaScript, Python and Java read the first, those of Go and Rust the second. */
export const TOKEN_HEADERS: readonly string[] = ["x-a2a-notification-token", "a2a-notification-token"];

/** One StreamResponse as subscribers get it (§4.3.3). */
const streamResponse: PushShape = async ({ json }) => ({ contentType: "application/a2a+json", body: json });

/** The forms there are, ours and those that were given. */
export function pushShapes(given: Readonly<Record<string, PushShape>> = {}): ReadonlyMap<string, PushShape> {
  return new Map([["1.0", streamResponse], ...Object.entries(given)]);
}

/** The id of an entry, for those who must tell a repeated one. */
export function eventIdOf({ taskId, seq }: Pick<PushEvent, "taskId" | "seq">): string {
  return `${taskId}:${seq}`;
}

/** Makes the headers of one request. */
export async function pushHeaders(
  config: PushConfig,
  event: PushEvent,
  content: { readonly contentType: string; readonly body: string },
  sign: SignPush | undefined,
): Promise<Record<string, string>> {
  const { url, token, scheme, credentials } = config;
  const eventId = eventIdOf(event);
  const headers: Record<string, string> = { "content-type": content.contentType, [EVENT_ID_HEADER]: eventId };
  if (token !== undefined && token !== "") for (const name of TOKEN_HEADERS) headers[name] = token;
  const hasCredentials = scheme !== undefined && credentials !== undefined && credentials !== "";
  if (hasCredentials) headers["authorization"] = `${scheme} ${credentials}`;
  if (sign !== undefined) {
    const jwt = await sign({ url, taskId: event.taskId, eventId, body: content.body });
    if (scheme?.toLowerCase() === "bearer" && !hasCredentials) headers["authorization"] = `${scheme} ${jwt}`;
    else headers[EVENT_SIGNATURE_HEADER] = jwt;
  }
  return headers;
}
