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
import { LocalError } from "../operations/errors.ts";
import { bodyDigest } from "./push-signer.ts";

/** Options of {@link createPushVerifier}. */
export interface PushVerifierOptions {
  /**
   * The key set of the sender, or where it is found: `https://agent.example.com/.well-known/jwks.json`. Over http only on
   * this machine: whoever changes the keys on the way could sign for anybody.
   */
  readonly keys: { readonly keys: readonly JWK[] } | string | URL;
  /** Who must have signed. */
  readonly issuer: string;
  /** The URL of this webhook, as it was registered. */
  readonly audience: string | readonly string[];
  /** A JWT made longer ago is refused, default 300. */
  readonly maxAgeSeconds?: number | undefined;
  /** By how much the clocks of both sides may differ, default 30. */
  readonly toleranceSeconds?: number | undefined;
  /**
   * Fetches the key set; the platform's when absent. Where somebody else named its address, the `jku` of a signature or a
   * card, give it `fetch` of `createOutbound()` of `legation/node`, or of the host.
   */
  readonly fetch?:
    | ((url: string, init: { readonly signal?: AbortSignal; readonly redirect: "manual" }) => Promise<Response>)
    | undefined;
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
  /** Who signed it. */
  readonly issuer: string | undefined;
}

/** Checks a JWT. Refuses with an Error whose message may go into a log. */
export interface PushVerifier {
  (jwt: string, body: string | Uint8Array): Promise<PushClaims>;
  /**
   * Checks everything but the body, which need not have been read for it: `createPushReceiver` reads no body of what is
   * not signed. `checkBody` does the rest; without it the JWT may go with any body.
   */
  readonly checkHead: (
    jwt: string,
  ) => Promise<{ readonly claims: PushClaims; checkBody(body: string | Uint8Array): Promise<void> }>;
}

/** The claim that binds a JWT to a body. */
const DIGEST = "request_body_sha256";
const ALGORITHMS = ["ES256", "ES384", "EdDSA", "Ed25519", "PS256", "RS256"];

/**
 * Makes a verifier. It fetches keys when it first needs them, and again when it meets one that it does not know.
 *
 * @throws LocalError CONFIGURATION for a key set that is found over http elsewhere
 */
export function createPushVerifier(options: PushVerifierOptions): PushVerifier {
  const { keys, issuer, audience, maxAgeSeconds = 300, toleranceSeconds = 30, now = Date.now } = options;
  const find =
    typeof keys === "string" || keys instanceof URL
      ? remoteKeys(keys, options.fetch)
      : createLocalJWKSet({ keys: [...keys.keys] as JSONWebKeySet["keys"] });
  const checkHead: PushVerifier["checkHead"] = async (jwt) => {
    const { payload } = await jwtVerify(jwt, find, {
      issuer,
      audience: typeof audience === "string" ? audience : [...audience],
      algorithms: ALGORITHMS,
      maxTokenAge: maxAgeSeconds,
      clockTolerance: toleranceSeconds,
      currentDate: new Date(now()),
      requiredClaims: ["iat", "exp", DIGEST],
    });
    const { jti, iat = 0, iss, taskId, eventId } = payload;
    const checkBody = async (body: string | Uint8Array): Promise<void> => {
      if (payload[DIGEST] === (await bodyDigest(body))) return;
      throw new errors.JWTClaimValidationFailed("the JWT was made for another body", payload, DIGEST);
    };
    return {
      claims: { taskId: textOf(taskId), eventId: textOf(eventId), jwtId: jti, issuedAt: 1_000 * iat, issuer: iss },
      checkBody,
    };
  };
  const check = async (jwt: string, body: string | Uint8Array): Promise<PushClaims> => {
    const { claims, checkBody } = await checkHead(jwt);
    await checkBody(body);
    return claims;
  };
  return Object.assign(check, { checkHead });
}

function remoteKeys(place: string | URL, fetch: PushVerifierOptions["fetch"]): ReturnType<typeof createRemoteJWKSet> {
  const url = new URL(place);
  if (url.protocol !== "https:" && !/^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname)) {
    throw new LocalError("CONFIGURATION", `the key set at ${url.origin} is not safe on its way; give https://…`);
  }
  if (fetch === undefined) return createRemoteJWKSet(url);
  return createRemoteJWKSet(url, {
    [customFetch]: (address, { signal }) => fetch(address, { signal, redirect: "manual" }),
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
