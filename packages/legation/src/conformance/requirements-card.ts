/** §8: the agent card. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const DISCOVERY: readonly Requirement[] = [
  must("8.1/available", "The agent makes a card available."),
  must("8.2/well-known", "A card found by its domain is at /.well-known/agent-card.json."),
  must("8.3/declares-protocols", "The card declares the protocols that it supports."),
  should(
    "8.3.1/all-interfaces",
    "supportedInterfaces names every combination of URL and binding, the preferred one first.",
  ),
  must("8.3.1/accurate", "Each declared interface answers at its URL in its binding."),
  clientMust("8.3.2/first-supported", "A client takes the first interface whose transport it supports."),
  clientMust("8.3.2/prefers-earlier", "A client prefers earlier interfaces."),
  clientMust("8.3.2/right-url", "A client uses the URL of the interface that it chose."),
  clientMust("8.3.2/tenant", "A client sends the tenant of that interface exactly, and none where there is none."),
];

const SIGNATURES: readonly Requirement[] = [
  must("8.4.2/protected-header", "The protected header of a signature has alg and kid."),
  should("8.4.2/typ", "The protected header has typ JOSE."),
  must("8.4.2/encoding", "Header and signature are base64url."),
  ...unseen(
    "the canonical form is signed and never sent; it shows only to who holds the key",
    must("8.4.1/canonical", "The card is canonicalised by RFC 8785 before it is signed."),
    must("8.4.1/presence", "The canonical form keeps field presence: set optional fields stay, unset ones do not."),
    must("8.4.1/required-fields", "The canonical form keeps REQUIRED fields, even empty ones."),
    must("8.4.1/defaults", "The canonical form leaves out other fields that hold their default."),
    must("8.4.1/without-signatures", "The canonical form leaves out the signatures."),
  ),
  ...unseen(
    "what a client verified shows in none of its requests",
    clientMust("8.4.3/verifies", "A client that verifies a signature does so over the canonical form, by kid and jku."),
    clientShould("8.4.3/before-trust", "A client verifies a signature before it trusts a card."),
    clientShould("8.4.3/secure-keys", "Public keys are fetched over HTTPS."),
    clientMust("8.4.3/no-expired-keys", "Expired and revoked keys verify nothing."),
  ),
];

const CACHING: readonly Requirement[] = [
  should("8.6/http-caching", "Cards are served with standard HTTP caching: an unchanged card is not sent again."),
  should("8.6.1/cache-control", "The card has a Cache-Control header with max-age."),
  should("8.6.1/etag", "The card has an ETag."),
  clientShould("8.6.2/honours", "A client honours the caching headers of a card."),
  clientShould("8.6.2/conditional", "A client asks conditionally when its copy of a card has expired."),
];

/** Every requirement of §8. */
export const CARD: readonly Requirement[] = [...DISCOVERY, ...SIGNATURES, ...CACHING];
