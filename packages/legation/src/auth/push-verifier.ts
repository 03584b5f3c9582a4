/** Checks the JWT of a notification: who signed it, for whom, when, and over which body. */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
} from "jose";
import { bodyDigest } from "./push-signer.ts";

/** Options of {@link createPushVerifier}. */
export interface PushVerifierOptions {
  /** The key set of the sender, or where it is found: `https://agent.example.com/.well-known/jwks.json`. */
  readonly keys: { readonly keys: readonly JWK[] } | string | URL;
  /** Who must have signed. */
  readonly issuer: string;
  /** The URL of this webhook, as it was registered. */
  readonly audience: string | readonly string[];
  /** A JWT made longer ago is refused, default 300. */
  readonly maxAgeSeconds?: number | undefined;
  /** By how much the clocks of both sides may differ, default 30. */
  readonly toleranceSeconds?: number | undefined;
  /** Fetches the key set; the platform's when absent. */
  readonly fetch?: ((url: string, init: { readonly signal?: AbortSignal }) => Promise<Response>) | undefined;
  /** Wall time in ms. */
  readonly now?: (() => number) | undefined;
}

/** What a good JWT says. */
export interface PushClaims {
  readonly taskId: string | undefined;
  readonly eventId: string | undefined;
  /** Unlike that of every other JWT. */
  readonly jwtId: string | undefined;
  /** When it was made, ms since the epoch. */
  readonly issuedAt: number;
}

/** Refuses with an Error whose message may go into a log. */
export type PushVerifier = (jwt: string, body: string | Uint8Array) => Promise<PushClaims>;

const ALGORITHMS = ["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"];

/** Makes a verifier. It fetches keys when it first needs them, and again when it meets one that it does not know. */
export function createPushVerifier(options: PushVerifierOptions): PushVerifier {
  const { keys, issuer, audience, maxAgeSeconds = 300, toleranceSeconds = 30, now = Date.now } = options;
  const find =
    typeof keys === "string" || keys instanceof URL
      ? remoteKeys(keys, options.fetch)
      : createLocalJWKSet({ keys: [...keys.keys] as JSONWebKeySet["keys"] });
  return async (jwt, body) => {
    const { payload } = await jwtVerify(jwt, find, {
      issuer,
      audience: typeof audience === "string" ? audience : [...audience],
      algorithms: ALGORITHMS,
      maxTokenAge: maxAgeSeconds,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
      requiredClaims: ["iat", "exp", "request_body_sha256"],
    });
    if (payload["request_body_sha256"] !== (await bodyDigest(body))) {
      throw new errors.JWTClaimValidationFailed("the JWT was made for another body", payload, "request_body_sha256");
    }
    const { jti, iat = 0, taskId, eventId } = payload;
    return { taskId: textOf(taskId), eventId: textOf(eventId), jwtId: jti, issuedAt: 1_000 * iat };
  };
}

function remoteKeys(url: string | URL, fetch: PushVerifierOptions["fetch"]): ReturnType<typeof createRemoteJWKSet> {
  if (fetch === undefined) return createRemoteJWKSet(new URL(url));
  return createRemoteJWKSet(new URL(url), {
    [customFetch]: (address, init) => fetch(address, { signal: init.signal }),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
