/** §4.4, §4.5, §5.8, §7.1 and §8: the card. */
import { parseGrpcAddress } from "../../bindings/grpc/address.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, Inapplicable, Mismatch } from "../expect.ts";
import { objectsAt, show, textAt, valueAt } from "../json-path.ts";
import type { RawReply } from "../raw-reply.ts";

/** The fields that each kind of security scheme must have. */
const SCHEME_FIELDS: Readonly<Record<string, readonly string[]>> = {
  apiKeySecurityScheme: ["location", "name"],
  httpAuthSecurityScheme: ["scheme"],
  oauth2SecurityScheme: ["flows"],
  openIdConnectSecurityScheme: ["openIdConnectUrl"],
  mtlsSecurityScheme: [],
};

const STANDARD_BINDINGS: readonly string[] = ["JSONRPC", "GRPC", "HTTP+JSON"];

/** Checks of the card; each runs once. */
export const AGENT_CARD: readonly Check[] = [
  {
    id: "4.4/card",
    title: "MUST have every REQUIRED field in the card",
    verifies: ["4.4.1/card", "5.7/required-present", "5.7/required-lists"],
    once: true,
    async run({ card }) {
      for (const field of ["name", "description", "version"]) expectText(card, field, "card");
      expect(isJsonObject(valueAt(card, "capabilities")), "capabilities", valueAt(card, "capabilities"));
      for (const field of ["supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills"]) {
        const list = valueAt(card, field);
        expect(Array.isArray(list) && list.length > 0, `${field} with at least one entry`, list);
      }
    },
  },
  {
    id: "4.4/skills",
    title: "MUST describe every skill with id, name, description and tags",
    verifies: ["4.4.5/skill"],
    once: true,
    async run({ card }) {
      for (const skill of objectsAt(card, "skills")) {
        for (const field of ["id", "name", "description"]) expectText(skill, field, "skill");
        const tags = valueAt(skill, "tags");
        expect(Array.isArray(tags) && tags.length > 0, "at least one tag", skill);
      }
    },
  },
  {
    id: "4.4/interfaces",
    title: "MUST give every interface a URL, a binding and a version",
    verifies: ["4.4.6/interface", "8.3/declares-protocols"],
    once: true,
    async run({ card }) {
      const interfaces = objectsAt(card, "supportedInterfaces");
      expect(interfaces.length > 0, "an interface", card);
      for (const one of interfaces) {
        for (const field of ["url", "protocolBinding", "protocolVersion"]) expectText(one, field, "interface");
      }
    },
  },
  {
    id: "4.5/schemes",
    title: "MUST describe every security scheme by exactly one kind",
    verifies: ["4.5.1/scheme"],
    once: true,
    async run({ card }) {
      const schemes = valueAt(card, "securitySchemes");
      if (!isJsonObject(schemes)) throw new Inapplicable("the card has no security schemes");
      for (const [name, scheme] of Object.entries(schemes)) {
        const kinds = Object.keys(SCHEME_FIELDS).filter((kind) => valueAt(scheme, kind) !== undefined);
        expect(kinds.length === 1, `one kind of scheme in ${name}`, scheme);
        const kind = kinds[0] ?? "";
        for (const field of SCHEME_FIELDS[kind] ?? []) {
          expect(valueAt(scheme, `${kind}.${field}`) !== undefined, `${name}.${kind}.${field}`, scheme);
        }
      }
    },
  },
  {
    id: "4.6.3/version-in-uri",
    title: "SHOULD have the version in the URI of every extension",
    verifies: ["4.6.3/version-in-uri"],
    once: true,
    async run({ card }) {
      for (const extension of objectsAt(card, "capabilities.extensions")) {
        const uri = textAt(extension, "uri") ?? "";
        expect(/(^|[/:@-])v?\d+(\.\d+)*([/#?]|$)/.test(uri), "a URI with a version", uri);
      }
    },
  },
  {
    id: "5.8/custom-bindings",
    title: "SHOULD name custom bindings by a URI",
    verifies: ["5.8/custom-binding-uri"],
    once: true,
    async run({ card }) {
      for (const one of objectsAt(card, "supportedInterfaces")) {
        const name = textAt(one, "protocolBinding") ?? "";
        expect(STANDARD_BINDINGS.includes(name) || /^[a-z][a-z0-9+.-]*:/i.test(name), "a URI", name);
      }
    },
  },
  {
    id: "7.1/encrypted",
    title: "MUST be reached over TLS, unless it is on this machine",
    verifies: ["7.1/encrypted"],
    once: true,
    async run({ wires }) {
      for (const { url, binding } of wires) {
        expect(isEncrypted(url, binding === "grpc"), "an https URL", url);
      }
    },
  },
  {
    id: "8.2/well-known",
    title: "MUST serve its card at the well-known path, as JSON and without version header",
    verifies: ["8.1/available", "8.2/well-known"],
    needs: ["card-url"],
    once: true,
    async run(probe) {
      const reply = await fetched(probe);
      expectEqual("the status", reply.status, 200);
      expect((reply.header("content-type") ?? "").includes("json"), "a JSON media type", reply.header("content-type"));
      expectEqual("the card, fetched again", textAt(reply.json, "name"), textAt(probe.card, "name"));
    },
  },
  {
    id: "8.3/interfaces-answer",
    title: "MUST answer at every declared interface in its binding",
    verifies: ["8.3.1/accurate", "8.3.1/all-interfaces", "8.3/declares-protocols"],
    once: true,
    async run({ wires }) {
      for (const wire of wires) {
        const reply = await wire.call("GetTask", { id: "no-such-task" });
        expect(
          reply.error?.code !== undefined,
          `an error in the shape of ${wire.binding}`,
          `${reply.status} ${show(reply.text)}`,
        );
      }
    },
  },
  {
    id: "8.4.2/signatures",
    title: "MUST sign with alg and kid in a protected header",
    verifies: ["8.4.2/protected-header", "8.4.2/encoding"],
    once: true,
    async run({ card }) {
      for (const { header, signature } of signaturesOf(card)) {
        expectText(header, "alg", "protected header");
        expectText(header, "kid", "protected header");
        expect(/^[A-Za-z0-9_-]+$/.test(signature), "a base64url signature", signature);
      }
    },
  },
  {
    id: "8.4.2/typ",
    title: "SHOULD sign with typ JOSE",
    verifies: ["8.4.2/typ"],
    once: true,
    async run({ card }) {
      for (const { header } of signaturesOf(card)) expectEqual("typ", header["typ"], "JOSE");
    },
  },
  {
    id: "8.6/cache-control",
    title: "SHOULD send Cache-Control with max-age",
    verifies: ["8.6.1/cache-control"],
    needs: ["card-url"],
    once: true,
    async run(probe) {
      const header = (await fetched(probe)).header("cache-control") ?? "";
      expect(/max-age=\d+/.test(header), "max-age in Cache-Control", header);
    },
  },
  {
    id: "8.6/etag",
    title: "SHOULD send an ETag, and 304 to a caller that has the card",
    verifies: ["8.6.1/etag", "8.6/http-caching"],
    needs: ["card-url"],
    once: true,
    async run(probe) {
      const etag = (await fetched(probe)).header("etag");
      expect(etag !== undefined, "an ETag", "none");
      const again = await fetched(probe, { "if-none-match": etag });
      expectEqual("the status for If-None-Match", again.status, 304);
      expectEqual("the body", again.text, "");
      expectEqual("the status for another ETag", (await fetched(probe, { "if-none-match": '"x"' })).status, 200);
    },
  },
];

/** True for an address over TLS, and for one of the judge's own machine, which needs none. */
function isEncrypted(url: string, isGrpc: boolean): boolean {
  if (isGrpc) {
    // `host:port` means TLS, but on this machine.
    const address = parseGrpcAddress(url);
    return address !== undefined && (address.isTls || isOfThisMachine(address.target.replace(/:\d+$/, "")));
  }
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || isOfThisMachine(hostname);
}

function isOfThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
}

function expectText(owner: unknown, field: string, what: string): void {
  const value = valueAt(owner, field);
  expect(typeof value === "string" && value !== "", `${what} with ${field}`, owner);
}

function fetched({ fetchCard }: Probe, headers: Readonly<Record<string, string>> = {}): Promise<RawReply> {
  if (fetchCard === undefined) throw new Inapplicable("the card was given as a value");
  return fetchCard(headers);
}

function signaturesOf(card: JsonObject): readonly { readonly header: JsonObject; readonly signature: string }[] {
  const signatures = objectsAt(card, "signatures");
  if (signatures.length === 0) throw new Inapplicable("the card is not signed");
  return signatures.map((signature) => ({
    header: decodeHeader(textAt(signature, "protected") ?? ""),
    signature: textAt(signature, "signature") ?? "",
  }));
}

function decodeHeader(encoded: string): JsonObject {
  if (!/^[A-Za-z0-9_-]+$/.test(encoded)) throw new Mismatch("a base64url protected header", encoded);
  try {
    const header: unknown = JSON.parse(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")));
    if (isJsonObject(header)) return header;
  } catch {
    // Said below, with what came.
  }
  throw new Mismatch("a protected header that is a JSON object", encoded);
}
