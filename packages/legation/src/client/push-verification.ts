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
  /** Who signed. */
  readonly issuer?: string | undefined;
}

/** Checks a signature; as `createPushVerifier` of `legation/auth` makes it. */
export interface JwtCheck {
  /** Who, for whom, when, over which body. Rejects when it is wrong. */
  (jwt: string, body: string): Promise<VerifiedJwt>;
  /**
   * The same in two steps, the first of which needs no body: so nothing is read of what somebody without a key sends.
   * Where it is absent, a body is read before its signature is looked at.
   */
  readonly checkHead?:
    | ((jwt: string) => Promise<{ readonly claims: VerifiedJwt; checkBody(body: string): Promise<void> }>)
    | undefined;
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
  /** Checks the signature of the agent. */
  readonly jwt?: JwtCheck | undefined;
  /** Anything else. */
  readonly custom?: ((credentials: PushCredentials) => boolean | Promise<boolean>) | undefined;
}

/** What is known of a notification before its body is read. */
export interface PushHead {
  /** Who sent it, where the headers alone prove that. */
  readonly sender: string | undefined;
  /** A digest of the credentials that have to be looked up by task; undefined where there are none of that kind. */
  readonly credential: string | undefined;
  /** Looks at the rest of what has to be right. */
  finish(body: string, taskId: string): Promise<PushVerdict>;
}

/** Reads one header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined;

/** What goes on being looked at once the body is there; gives why it is not right. */
type Rest = (credentials: PushCredentials) => Promise<PushVerdict>;

/** What the headers have shown. */
interface Findings {
  why: string | undefined;
  /** Senders that were proven. */
  readonly proven: string[];
  /** Credentials whose secret is looked up by task. */
  readonly looked: string[];
  readonly rest: Rest[];
}

const TOKEN_HEADERS = ["x-a2a-notification-token", "a2a-notification-token"];

/**
 * Looks at everything that has to be right, as far as the headers go: what they show to be wrong costs nothing more.
 *
 * @returns why it is not believed, or what comes next
 */
export async function verifyHead(
  { token, bearer, basic, jwt, custom }: PushVerification,
  header: ReadHeader,
): Promise<PushHead | string> {
  const findings: Findings = { why: undefined, proven: [], looked: [], rest: [] };
  const { scheme, value } = authorizationOf(header);
  if (token !== undefined) {
    const sent = TOKEN_HEADERS.flatMap((name) => header(name) ?? []);
    lookAtSecret(findings, token, { name: "token", sent, why: "the notification token is not right" });
  }
  if (bearer !== undefined) {
    const sent = scheme === "bearer" ? [value] : [];
    lookAtSecret(findings, bearer, { name: "bearer", sent, why: "the bearer token is not right" });
  }
  if (basic !== undefined) {
    const sent = scheme === "basic" ? [value] : [];
    lookAtSecret(findings, basic, { name: "basic", sent, why: "user or password is not right", form: toBase64 });
  }
  if (findings.why === undefined && jwt !== undefined) await lookAtSignature(findings, jwt, header);
  if (findings.why !== undefined) return findings.why;
  if (custom !== undefined) {
    findings.rest.push(async (credentials) =>
      (await custom(credentials)) ? {} : { why: "the check of the application refuses it" },
    );
  }
  const { proven, looked, rest } = findings;
  return {
    sender: proven.length === 0 ? undefined : proven.join(" "),
    credential: looked.length === 0 ? undefined : await digestOf(JSON.stringify(looked)),
    async finish(body, taskId) {
      let verdict: PushVerdict = {};
      for (const look of rest) {
        verdict = { ...verdict, ...(await look({ header, body, taskId })) };
        if (verdict.why !== undefined) return verdict;
      }
      return verdict;
    },
  };
}

/** A secret of all tasks is compared at once; one that is looked up by task, when the body has named it. */
function lookAtSecret(
  findings: Findings,
  secret: Secret,
  {
    name,
    sent,
    why,
    form = (text) => text,
  }: { readonly name: string; readonly sent: readonly string[]; readonly why: string; form?(text: string): string },
): void {
  const isRight = (expected: string | undefined): boolean =>
    expected !== undefined && expected !== "" && sent.some((value) => isSame(value, form(expected)));
  if (typeof secret === "string" ? !isRight(secret) : sent.length === 0) findings.why ??= why;
  if (typeof secret === "string") findings.proven.push(name);
  else {
    findings.looked.push(name, ...sent);
    findings.rest.push(async ({ taskId }) => (isRight(await secret(taskId)) ? {} : { why }));
  }
}

async function lookAtSignature(findings: Findings, jwt: JwtCheck, header: ReadHeader): Promise<void> {
  const { scheme, value } = authorizationOf(header);
  const sent = header("a2a-event-signature") ?? (scheme === "bearer" ? value : undefined);
  if (sent === undefined) {
    findings.why = "there is no signature";
    return;
  }
  if (jwt.checkHead === undefined) {
    findings.rest.push(async ({ body, taskId }) => {
      try {
        return judgeClaims(await jwt(sent, body), taskId, header);
      } catch (refused) {
        return { why: notRight(refused) };
      }
    });
    return;
  }
  try {
    const { claims, checkBody } = await jwt.checkHead(sent);
    findings.proven.push(`jwt ${claims.issuer ?? ""}`);
    findings.rest.push(async ({ body, taskId }) => {
      try {
        await checkBody(body);
        return judgeClaims(claims, taskId, header);
      } catch (refused) {
        return { why: notRight(refused) };
      }
    });
  } catch (refused) {
    findings.why = notRight(refused);
  }
}

function judgeClaims(claims: VerifiedJwt, taskId: string, header: ReadHeader): PushVerdict {
  if (claims.taskId !== undefined && claims.taskId !== taskId) return { why: "the signature is for another task" };
  if (claims.eventId !== undefined && claims.eventId !== header("a2a-event-id")) {
    return { why: "the signature is for another event" };
  }
  return { jwtId: claims.jwtId };
}

function notRight(refused: unknown): string {
  return `the signature is not right (${refused instanceof Error ? refused.message : "it cannot be read"})`;
}

function authorizationOf(header: ReadHeader): { readonly scheme: string | undefined; readonly value: string } {
  const [, scheme, value = ""] = /^(\S+)\s+(.*)$/.exec(header("authorization") ?? "") ?? [];
  return { scheme: scheme?.toLowerCase(), value };
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
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
