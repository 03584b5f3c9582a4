/**
 * Signs what is sent to webhooks, so that a receiver knows who sent it although it shares no secret with the sender: a
 * short-lived JWT over the body, by a key whose public half stands in the key set of the host.
 *
 * A key goes through: announced (in the key set, so that receivers have it before it is used) → signing → retired (in
 * the key set until what it signed has expired and the set was fetched anew everywhere) → gone. `rotate` announces the
 * next one; time does the rest.
 *
 * @see specification §13.2
 */
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import { LocalError } from "../operations/errors.ts";

/** Options of {@link createPushSigner}. */
export interface PushSignerOptions {
  /** Who signs, the `iss` of every JWT: the public base URL of the host. */
  readonly issuer: string;
  /**
   * Private keys as JWK, of one of the types EC P-256, P-384, OKP Ed25519 or RSA: the first signs, the others are only
   * in the key set. Keep them where the host finds them again after a restart, the same on every replica.
   */
  readonly keys: readonly JWK[];
  /** How long a JWT is good, default 300. */
  readonly lifetimeSeconds?: number | undefined;
  /** How long a new key is announced before it signs, and a retired one stays in the key set; default 600. */
  readonly overlapSeconds?: number | undefined;
  /** Wall time in ms, which JWTs are dated by. */
  readonly now?: (() => number) | undefined;
  /**
   * Time in ms from any origin that is never set back: keys come and go by it. Default: `now` where that is given, else
   * `performance.now()`.
   */
  readonly monotonic?: (() => number) | undefined;
}

/** What a JWT is made for. */
export interface PushSignature {
  readonly url: string;
  readonly taskId: string;
  /** `<task>:<seq>` */
  readonly eventId: string;
  readonly body: string;
}

/** Signs, and gives the keys to check it by. */
export interface PushSigner {
  sign(signed: PushSignature): Promise<string>;
  /** The JSON Web Key Set as it is now: public keys alone. */
  keySet(): Promise<{ readonly keys: readonly JWK[] }>;
  /** Announces a key that signs once receivers had the time to fetch it; the one before it retires then. */
  rotate(key: JWK): Promise<void>;
}

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly key: Awaited<ReturnType<typeof importJWK>>;
  readonly publicJwk: JWK;
  /** From when on it signs, in monotonic time in ms; infinite for one that is only published. */
  readonly signsFrom: number;
}

const DEFAULT_LIFETIME_SECONDS = 300;
const DEFAULT_OVERLAP_SECONDS = 600;

/** Makes a key for {@link createPushSigner}: a private JWK of EC P-256. Keep it as a secret. */
export async function generateSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, alg: "ES256", use: "sig", kid: await calculateJwkThumbprint(jwk) };
}

/**
 * Makes a signer.
 *
 * @throws LocalError CONFIGURATION for no key, a public key, or one of a type that is not used
 */
export async function createPushSigner(options: PushSignerOptions): Promise<PushSigner> {
  const { issuer, lifetimeSeconds = DEFAULT_LIFETIME_SECONDS, overlapSeconds = DEFAULT_OVERLAP_SECONDS } = options;
  const { now = Date.now, monotonic = options.now ?? (() => performance.now()) } = options;
  if (options.keys.length === 0)
    throw new LocalError("CONFIGURATION", "a push signer needs a key; generateSigningKey() makes one");
  let keys = await Promise.all(
    options.keys.map((jwk, index) => readKey(jwk, index === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY)),
  );

  /** The newest key whose time has come. */
  function current(): SigningKey {
    const ready = keys.filter(({ signsFrom }) => signsFrom <= monotonic());
    return ready.reduce((best, key) => (key.signsFrom >= best.signsFrom ? key : best));
  }

  /** Lets go of keys that another one took the place of so long ago that nobody needs them. */
  function retire(): void {
    const { signsFrom } = current();
    if (monotonic() < signsFrom + 1_000 * (overlapSeconds + lifetimeSeconds)) return;
    keys = keys.filter((key) => key.signsFrom >= signsFrom);
  }

  return {
    async sign({ url, taskId, eventId, body }) {
      const { kid, alg, key } = current();
      const issuedAt = Math.floor(now() / 1_000);
      return new SignJWT({ taskId, eventId, request_body_sha256: await bodyDigest(body) })
        .setProtectedHeader({ alg, kid, typ: "JWT" })
        .setIssuer(issuer)
        .setAudience(url)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .setJti(crypto.randomUUID())
        .sign(key);
    },
    async keySet() {
      retire();
      return { keys: keys.map(({ publicJwk }) => publicJwk) };
    },
    async rotate(jwk) {
      retire();
      keys = [...keys, await readKey(jwk, monotonic() + 1_000 * overlapSeconds)];
    },
  };
}

/** What a JWT says of the body that it goes with: lower-case hex SHA-256 of its UTF-8 bytes. */
export async function bodyDigest(body: string | Uint8Array): Promise<string> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function readKey(jwk: JWK, signsFrom: number): Promise<SigningKey> {
  const alg = jwk.alg ?? algorithmOf(jwk);
  const { kty, crv, x, y, n, e, d } = jwk;
  if (alg === undefined || d === undefined) {
    throw new LocalError(
      "CONFIGURATION",
      `key ${jwk.kid ?? "without kid"} is no private signing key; give a private JWK`,
    );
  }
  const bare: JWK = JSON.parse(JSON.stringify({ kty, crv, x, y, n, e })) as JWK;
  const kid = jwk.kid ?? (await calculateJwkThumbprint(bare));
  return { kid, alg, key: await importJWK(jwk, alg), publicJwk: { ...bare, kid, alg, use: "sig" }, signsFrom };
}

function algorithmOf({ kty, crv }: JWK): string | undefined {
  if (kty === "RSA") return "RS256";
  if (kty === "OKP" && crv === "Ed25519") return "EdDSA";
  return kty === "EC" ? { "P-256": "ES256", "P-384": "ES384" }[crv ?? ""] : undefined;
}
