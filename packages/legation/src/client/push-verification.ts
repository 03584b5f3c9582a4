/**
 * How a receiver knows that a notification comes from the agent that it registered with.
 *
 * @see specification §4.3.3, §13.2
 */

/** What is looked at. */
export interface PushCredentials {
  /** One header by its lower-case name. */
  header(name: string): string | undefined;
  /** The body as it came. */
  readonly body: string;
  /** The task that the body names. */
  readonly taskId: string;
}

type Secret = string | ((taskId: string) => string | undefined | Promise<string | undefined>);

/** What a JWT tells; as `createPushVerifier` of `legation/auth` gives it. */
export interface VerifiedJwt {
  readonly taskId?: string | undefined;
  readonly eventId?: string | undefined;
}

/**
 * What has to be right, all of it. A secret may be one for all tasks, or be looked up by task; where the look-up knows
 * none, the notification is refused. Use a secret of its own per registration (§13.2).
 */
export interface PushVerification {
  /** The `token` of the registration, in either of the two headers that agents use. */
  readonly token?: Secret | undefined;
  /** The credentials of the scheme Bearer. */
  readonly bearer?: Secret | undefined;
  /** The credentials of the scheme Basic: `user:password`. */
  readonly basic?: Secret | undefined;
  /** Checks the signature of the agent: who, for whom, when, over which body. Rejects when it is wrong. */
  readonly jwt?: ((jwt: string, body: string) => Promise<VerifiedJwt>) | undefined;
  /** Anything else. */
  readonly custom?: ((credentials: PushCredentials) => boolean | Promise<boolean>) | undefined;
}

const TOKEN_HEADERS = ["x-a2a-notification-token", "a2a-notification-token"];

/** Why a notification is not believed; undefined when it is. The text is for a log and holds no secret. */
export async function whyNotVerified(
  verification: PushVerification,
  credentials: PushCredentials,
): Promise<string | undefined> {
  const { token, bearer, basic, jwt, custom } = verification;
  const { taskId } = credentials;
  if (token !== undefined) {
    const secret = await secretOf(token, taskId);
    const sent = TOKEN_HEADERS.flatMap((name) => credentials.header(name) ?? []);
    if (secret === undefined || !sent.some((value) => isSame(value, secret)))
      return "the notification token is not right";
  }
  const authorization = /^(\S+)\s+(.*)$/.exec(credentials.header("authorization") ?? "");
  const scheme = authorization?.[1]?.toLowerCase();
  const value = authorization?.[2] ?? "";
  if (bearer !== undefined) {
    const secret = await secretOf(bearer, taskId);
    if (scheme !== "bearer" || secret === undefined || !isSame(value, secret)) return "the bearer token is not right";
  }
  if (basic !== undefined) {
    const secret = await secretOf(basic, taskId);
    const expected = secret === undefined ? undefined : toBase64(secret);
    if (scheme !== "basic" || expected === undefined || !isSame(value, expected))
      return "user or password is not right";
  }
  if (jwt !== undefined) {
    const sent = credentials.header("a2a-event-signature") ?? (scheme === "bearer" ? value : undefined);
    if (sent === undefined) return "there is no signature";
    const why = await whyNotSigned(jwt, sent, credentials);
    if (why !== undefined) return why;
  }
  if (custom !== undefined && !(await custom(credentials))) return "the check of the application refuses it";
  return undefined;
}

async function whyNotSigned(
  jwt: NonNullable<PushVerification["jwt"]>,
  sent: string,
  { body, taskId, header }: PushCredentials,
): Promise<string | undefined> {
  try {
    const claims = await jwt(sent, body);
    if (claims.taskId !== undefined && claims.taskId !== taskId) return "the signature is for another task";
    const eventId = header("a2a-event-id");
    if (claims.eventId !== undefined && claims.eventId !== eventId) return "the signature is for another event";
    return undefined;
  } catch (refused) {
    return `the signature is not right (${refused instanceof Error ? refused.message : "it cannot be read"})`;
  }
}

async function secretOf(secret: Secret, taskId: string): Promise<string | undefined> {
  const found = typeof secret === "string" ? secret : await secret(taskId);
  return found === "" ? undefined : found;
}

/** Takes the same time wherever they differ: an early end would tell how much of a guess was right. */
function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at % (other.length || 1));
  return difference === 0;
}

function toBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
