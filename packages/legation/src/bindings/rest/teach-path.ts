/** What is probably meant by a path that is not one of 1.0. */

/** Methods of JSON-RPC before 1.0 that tutorials post to as if they were paths. */
const FORMER: Readonly<Record<string, string>> = {
  send: "POST /message:send",
  sendSubscribe: "POST /message:stream",
  get: "GET /tasks/{id}",
  list: "GET /tasks",
  cancel: "POST /tasks/{id}:cancel",
  resubscribe: "POST /tasks/{id}:subscribe",
};

const RULES: readonly (readonly [form: RegExp, meant: (found: string) => string | undefined])[] = [
  [/\/message\/(send|stream)\/?$/, (verb) => `POST /message:${verb}`],
  [/\/tasks\/([A-Za-z]+)\/?$/, (name) => (Object.hasOwn(FORMER, name) ? FORMER[name] : undefined)],
  [/\/tasks\/[^/]+\/(cancel|subscribe|resubscribe)\/?$/, (verb) => FORMER[verb === "cancel" ? verb : "resubscribe"]],
  [/\/tasks\/[^/]+:(resubscribe)\/?$/, () => FORMER["resubscribe"]],
  [/\/tasks\/[^/]+\/(pushNotificationConfig|pushNotifications?)\/?$/, () => "/tasks/{id}/pushNotificationConfigs"],
  [/\/(card|agent\/authenticatedExtendedCard|agent\/getAuthenticatedExtendedCard)\/?$/, () => "GET /extendedAgentCard"],
];

/** The path of 1.0 that is meant by a path that is known from older versions or tutorials; undefined for any other. */
export function meantByPath(path: string): string | undefined {
  for (const [form, meant] of RULES) {
    const found = form.exec(path)?.[1];
    const instead = found === undefined ? undefined : meant(found);
    if (instead !== undefined) return instead;
  }
  return undefined;
}

/**
 * A hint for the caller of an unknown path.
 *
 * @param path undecoded
 * @returns a clause for the message of the 404
 */
export function teachPath(path: string): string {
  const meant = meantByPath(path);
  if (path.startsWith("/v1/")) {
    return `paths of 1.0 have no /v1: use ${meant ?? path.slice(3, 103)} with A2A-Version: 1.0`;
  }
  return meant === undefined ? "see the interfaces in the agent card for its URL" : `use ${meant}`;
}
