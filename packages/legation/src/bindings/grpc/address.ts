/**
 * The address of a gRPC interface in a card: `host:port`, where TLS is used unless the host is this machine; a URL where
 * that rule does not fit.
 *
 * @see specification §4.4.6
 */

/** Where to call, and how. */
export interface GrpcAddress {
  /** `host:port`, an IPv6 address in brackets. */
  readonly target: string;
  readonly isTls: boolean;
}

/**
 * Reads an address.
 *
 * @param url `host:port`, or a URL of http, https, grpc, grpcs or dns
 * @returns undefined when it is none
 */
export function parseGrpcAddress(url: string): GrpcAddress | undefined {
  const match = /^(?:(https?|grpcs?|dns):\/{2,3})?((?:\[[0-9A-Fa-f:.]+\]|[^/:?#@\s[\]]+)(?::(\d{1,5}))?)\/?$/i.exec(
    url.trim(),
  );
  const [, rawScheme, authority, port] = match ?? [];
  if (authority === undefined) return undefined;
  const scheme = rawScheme?.toLowerCase();
  if (port === undefined && scheme !== "http" && scheme !== "https" && scheme !== "grpcs") return undefined;
  if (Number(port ?? 0) > 65_535) return undefined;
  const isTls =
    scheme === "https" || scheme === "grpcs" || (scheme !== "http" && scheme !== "grpc" && !isLoopback(authority));
  return { target: port === undefined ? `${authority}:${isTls ? 443 : 80}` : authority, isTls };
}

/** The address of a card for a host that listens there. */
export function formatGrpcAddress(authority: string, isTls: boolean): string {
  if (isTls !== isLoopback(authority)) return authority;
  return `${isTls ? "https" : "http"}://${authority}`;
}

function isLoopback(authority: string): boolean {
  const host = authority.replace(/:\d+$/, "").toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
