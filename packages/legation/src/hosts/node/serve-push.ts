/** Wires push notifications of a host: the safe dialler, the encryption of secrets, the signature. */
import type { PushSigner } from "../../auth/push-signer.ts";
import type { PushOptions, PushSettings } from "../../engine/push-options.ts";
import { createPushSealer } from "../../engine/push-seal.ts";
import { createSafeDialler, type SafeDialler } from "../../outbound/safe-dialler.ts";

/** How a host calls the webhooks that callers register. Public https addresses alone, when nothing is said. */
export interface ServePush {
  /** Networks that may be called, over http too and on any port: `127.0.0.0/8` for development and tests. */
  readonly allow?: readonly string[] | undefined;
  /** True: http at public addresses too. */
  readonly http?: boolean | undefined;
  /** Ports at public addresses, default 80, 443, 8080 and 8443. */
  readonly ports?: readonly number[] | undefined;
  /** Random texts of at least 16 characters that encrypt tokens and credentials at rest: the first one encrypts, all decrypt. */
  readonly encryptionKeys?: readonly string[] | undefined;
  /** Signs every notification; its public keys are served at `/.well-known/jwks.json`. Of `legation/auth`. */
  readonly signer?: PushSigner | undefined;
  /** Limits and times that differ from the defaults. */
  readonly settings?: Partial<PushSettings> | undefined;
  /** Forms of what is sent to those who speak another version of the protocol. */
  readonly shapes?: PushOptions["shapes"];
}

/** What a host needs for them. */
export interface WiredPush {
  readonly options: PushOptions;
  readonly dialler: SafeDialler;
  readonly keySet: (() => Promise<object>) | undefined;
}

/**
 * Makes what delivers.
 *
 * @throws LocalError CONFIGURATION for a network that is none, or a key that is too short
 */
export function createServePush(push: ServePush): WiredPush {
  const { allow, http, ports, encryptionKeys, signer, settings, shapes } = push;
  const dialler = createSafeDialler({ allow, http, ports });
  return {
    dialler,
    keySet: signer === undefined ? undefined : () => signer.keySet(),
    options: {
      deliver: (request) => dialler.deliver(request),
      refuseUrl: (url) => dialler.refuseUrl(url),
      seal: encryptionKeys === undefined ? undefined : createPushSealer(encryptionKeys),
      sign: signer === undefined ? undefined : (signed) => signer.sign(signed),
      settings,
      shapes,
    },
  };
}
