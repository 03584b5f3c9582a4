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
  /** Unlike that of every other JWT: one that comes again is a replay (§13.2). */
  readonly jwtId?: string | undefined;
}

/** Why a notification is not believed, or what its signature says. The text is for a log and holds no secret. */
export type PushVerdict = { readonly why: string } | { readonly why?: undefined; readonly jwtId?: string | undefined };

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

/** Looks at everything that has to be right. */
export async function verifyPush(verification: PushVerification, credentials: PushCredentials): Promise<PushVerdict> {
  const why = await whyNotKnown(verification, credentials);
  if (why !== undefined) return { why };
  const { jwt, custom } = verification;
  const verdict = jwt === undefined ? {} : await verifySigned(jwt, credentials);
  if (verdict.why !== undefined || custom === undefined || (await custom(credentials))) return verdict;
  return { why: "the check of the application refuses it" };
}

async function whyNotKnown(
  { token, bearer, basic }: PushVerification,
  credentials: PushCredentials,
): Promise<string | undefined> {
  const { taskId } = credentials;
  if (token !== undefined) {
    const secret = await secretOf(token, taskId);
    const sent = TOKEN_HEADERS.flatMap((name) => credentials.header(name) ?? []);
    if (secret === undefined || !sent.some((value) => isSame(value, secret)))
      return "the notification token is not right";
  }
  const { scheme, value } = authorizationOf(credentials);
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
  return undefined;
}

function authorizationOf({ header }: PushCredentials): { readonly scheme: string | undefined; readonly value: string } {
  const [, scheme, value = ""] = /^(\S+)\s+(.*)$/.exec(header("authorization") ?? "") ?? [];
  return { scheme: scheme?.toLowerCase(), value };
}

async function verifySigned(
  jwt: NonNullable<PushVerification["jwt"]>,
  credentials: PushCredentials,
): Promise<PushVerdict> {
  const { body, taskId, header } = credentials;
  const { scheme, value } = authorizationOf(credentials);
  const sent = header("a2a-event-signature") ?? (scheme === "bearer" ? value : undefined);
  if (sent === undefined) return { why: "there is no signature" };
  try {
    const claims = await jwt(sent, body);
    if (claims.taskId !== undefined && claims.taskId !== taskId) return { why: "the signature is for another task" };
    if (claims.eventId !== undefined && claims.eventId !== header("a2a-event-id")) {
      return { why: "the signature is for another event" };
    }
    return { jwtId: claims.jwtId };
  } catch (refused) {
    return { why: `the signature is not right (${refused instanceof Error ? refused.message : "it cannot be read"})` };
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
