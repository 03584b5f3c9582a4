// The face "./auth": sign what is sent to webhooks, and check what comes from others.

export {
  createPushSigner,
  generateSigningKey,
  type PushSignature,
  type PushSigner,
  type PushSignerOptions,
} from "./push-signer.ts";
export { createPushVerifier, type PushClaims, type PushVerifier, type PushVerifierOptions } from "./push-verifier.ts";
