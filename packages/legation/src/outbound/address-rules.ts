/**
 * Which addresses a server may call on behalf of a stranger: public unicast and nothing else, whatever form they come in,
 * and what the operator opens.
 *
 * @see specification §13.2
 */
import ipaddr from "ipaddr.js";
import { LocalError } from "../operations/errors.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/**
 * What is never called although a table of special ranges may call it public: addresses by which clouds serve their
 * machines, and ranges through which a gateway leads back inside (RFC 6890 and its registry).
 */
const CLOSED: readonly Range[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
].map((cidr) => ipaddr.parseCIDR(cidr));

/** All of global unicast; what lies outside of it is loopback, mapped, translated, local, or not given out yet. */
const GLOBAL_V6: Range = ipaddr.parseCIDR("2000::/3");

/** Ports that may be called at public addresses when nothing else is said. */
export const DEFAULT_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** What an operator opens. */
export interface AddressRules {
  /** Networks that may be called, over http too and on any port: `127.0.0.0/8` for development and tests. */
  readonly allow?: readonly string[] | undefined;
  /** True: http at public addresses. */
  readonly http?: boolean | undefined;
  /** Ports at public addresses, default {@link DEFAULT_PORTS}. */
  readonly ports?: readonly number[] | undefined;
}

/** The rules in force. */
export interface AddressGuard {
  /**
   * Why a URL may not be called as far as its text tells; undefined when it may, or when only its name's addresses will
   * tell. For registrations and before every call.
   */
  refuseUrl(url: URL): string | undefined;
  /** Why an address may not be called with a URL of that scheme and port; undefined when it may. */
  refuseAddress(address: string, scheme: string, port: number): string | undefined;
}

/**
 * Makes the guard.
 *
 * @throws LocalError CONFIGURATION for a network that is none
 */
export function createAddressGuard(rules: AddressRules = {}): AddressGuard {
  const allowed = (rules.allow ?? []).map(parseNetwork);
  const ports = rules.ports ?? DEFAULT_PORTS;

  function refuseAddress(text: string, scheme: string, port: number): string | undefined {
    const address = parseAddress(text);
    if (address === undefined) return `${text} is no address`;
    if (allowed.some((range) => isIn(address, range))) return undefined;
    if (!isPublic(address)) return `address ${text} is not public`;
    if (scheme !== "https:" && rules.http !== true) return "http is not allowed; use https";
    return ports.includes(port) ? undefined : `port ${port} is not allowed; use ${ports.join(", ")}`;
  }

  function refuseUrl(url: URL): string | undefined {
    if (url.protocol !== "https:" && url.protocol !== "http:") return `${url.protocol} cannot be called; use https`;
    if (url.username !== "" || url.password !== "") return "a URL with credentials is not called";
    const host = hostOf(url);
    if (parseAddress(host) !== undefined) return refuseAddress(host, url.protocol, portOf(url));
    // What is open may have any name, any port and no certificate: its addresses will tell.
    if (allowed.length > 0) return undefined;
    if (isLocalName(host)) return `${host} is a name inside of a network`;
    if (url.protocol !== "https:" && rules.http !== true) return "http is not allowed; use https";
    return ports.includes(portOf(url)) ? undefined : `port ${portOf(url)} is not allowed; use ${ports.join(", ")}`;
  }

  return { refuseUrl, refuseAddress };
}

/** The host of a URL as it is resolved: without brackets and without dots at its end. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
}

/** The port that a URL leads to. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Reads an address; one that is IPv4 in the clothes of IPv6 is given as IPv4. Undefined for a name. */
function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/%.*$/, "");
  if (!ipaddr.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function parseNetwork(cidr: string): Range {
  if (ipaddr.isValidCIDR(cidr)) return ipaddr.parseCIDR(cidr);
  throw new LocalError(
    "CONFIGURATION",
    `${JSON.stringify(cidr)} is no network; give an address and a length, 127.0.0.0/8`,
  );
}

function isIn(address: Address, [network, length]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, length);
}

function isPublic(address: Address): boolean {
  if (address.kind() === "ipv6" && !isIn(address, GLOBAL_V6)) return false;
  return !CLOSED.some((range) => isIn(address, range));
}

const LOCAL_ENDINGS: readonly string[] = [".localhost", ".local", ".localdomain", ".internal", ".home.arpa", ".lan"];

function isLocalName(host: string): boolean {
  const name = host.toLowerCase();
  return !name.includes(".") || LOCAL_ENDINGS.some((ending) => name.endsWith(ending));
}
