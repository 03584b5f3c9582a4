/** The tenants that a handler serves. */
import { invalidField } from "../../operations/errors.ts";

/**
 * Refuses a tenant that is not served.
 *
 * @param tenant of the request, undefined or `""` where it names none
 * @param known the tenants that exist, `""` for the one without a name; undefined accepts every one
 * @throws INVALID_PARAMS on `tenant`
 */
export function requireKnownTenant(tenant: string | undefined, known: readonly string[] | undefined): void {
  if (known === undefined || known.includes(tenant ?? "")) return;
  throw invalidField(
    "tenant",
    tenant === undefined || tenant === ""
      ? "is missing; send the tenant of the interface in the agent card"
      : `${JSON.stringify(tenant.slice(0, 100))} is not served here; send the tenant of the interface in the agent card`,
  );
}
