/**
 * The tenant of a request: where it can stand, and that all the places agree.
 *
 * @see specification §4.4.6 (AgentInterface.tenant), §11.3
 */
import { invalidField, LocalError } from "./errors.ts";

/** Names that stand where a tenant would in a path, so that no tenant can bear them. */
export const RESERVED_TENANTS: readonly string[] = [
  "message:send",
  "message:stream",
  "tasks",
  "extendedAgentCard",
  ".well-known",
  "v1",
];

const TENANT_FORM = /^[A-Za-z0-9_~-][A-Za-z0-9._~:@-]{0,127}$/;

/**
 * Checks the name of a tenant when it is registered.
 *
 * @param name one path segment of 1 to 128 letters, digits and `. _ ~ : @ -`, not beginning with a dot
 * @throws LocalError CONFIGURATION when it is reserved or cannot stand in a path
 */
export function assertTenantName(name: string): void {
  if (RESERVED_TENANTS.includes(name)) {
    throw new LocalError(
      "CONFIGURATION",
      `tenant ${JSON.stringify(name)} is a word of the protocol's paths; choose another name`,
    );
  }
  if (!TENANT_FORM.test(name)) {
    throw new LocalError(
      "CONFIGURATION",
      `tenant ${JSON.stringify(name)} cannot stand in a path; use 1 to 128 letters, digits and . _ ~ : @ -`,
    );
  }
}

/**
 * The one tenant that the places of a request agree on.
 *
 * @param given the tenant of path, query and body; undefined or empty where a place names none
 * @returns the tenant, `""` where no place names one
 * @throws INVALID_PARAMS on `tenant` when two places disagree
 */
export function agreeTenant(...given: readonly (string | undefined)[]): string {
  let agreed = "";
  for (const tenant of given) {
    if (tenant === undefined || tenant === "") continue;
    if (agreed !== "" && agreed !== tenant) {
      throw invalidField(
        "tenant",
        `${JSON.stringify(agreed)} and ${JSON.stringify(tenant)} disagree; path, query and body must name the same tenant`,
      );
    }
    agreed = tenant;
  }
  return agreed;
}
