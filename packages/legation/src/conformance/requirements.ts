/**
 * The requirements of the specification as data: every MUST and SHOULD of §3 to §11 and §13 that concerns an agent or a
 * client. Checks cite them by id.
 */
import type { Requirement } from "./requirement.ts";
import { BINDINGS } from "./requirements-bindings.ts";
import { CARD } from "./requirements-card.ts";
import { MODEL } from "./requirements-model.ts";
import { OPERATIONS } from "./requirements-operations.ts";
import { SECURITY } from "./requirements-security.ts";
import { SEMANTICS } from "./requirements-semantics.ts";

/** All requirements, in the order of the specification's chapters. */
export const REQUIREMENTS: readonly Requirement[] = [
  ...OPERATIONS,
  ...SEMANTICS,
  ...MODEL,
  ...CARD,
  ...BINDINGS,
  ...SECURITY,
];

const BY_ID: ReadonlyMap<string, Requirement> = new Map(
  REQUIREMENTS.map((requirement) => [requirement.id, requirement]),
);

/** The requirement of an id; undefined for an id that is none. */
export function findRequirement(id: string): Requirement | undefined {
  return BY_ID.get(id);
}
