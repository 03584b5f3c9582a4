/**
 * A deep copy of a JSON value whose every level is frozen: what a caller holds can neither change under its hands nor
 * be changed for others who share the original.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    // A plain assignment to this one key would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: frozenCopy(member), enumerable: true });
    else copy[key] = frozenCopy(member);
  }
  return Object.freeze(copy) as T;
}
