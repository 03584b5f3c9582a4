/** What is probably meant by a path that is not one of 1.0. */

/**
 * A hint for the caller of an unknown path.
 *
 * @param path undecoded
 * @returns a clause for the message of the 404
 */
export function teachPath(path: string): string {
  if (path.startsWith("/v1/")) return `paths of 1.0 have no /v1: use ${path.slice(3, 103)} with A2A-Version: 1.0`;
  const dashed = /^(.*)\/message\/(send|stream)\/?$/.exec(path);
  if (dashed !== null) return `use POST /message:${dashed[2]}`;
  const verb = /\/tasks\/[^/]+\/(cancel|subscribe|resubscribe)\/?$/.exec(path);
  if (verb !== null) return `use POST /tasks/{id}:${verb[1] === "cancel" ? "cancel" : "subscribe"}`;
  if (/\/tasks\/[^/:]+:resubscribe\/?$/.test(path)) return "use POST /tasks/{id}:subscribe";
  if (path.endsWith("/card")) return "use GET /extendedAgentCard";
  return "see the interfaces in the agent card for its URL";
}
