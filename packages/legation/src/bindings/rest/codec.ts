/**
 * How requests and answers of the HTTP+JSON binding lie in body, path and query.
 *
 * @see specification §11.4, §11.5
 */
import { A2AError, invalidField } from "../../operations/errors.ts";
import { bareMediaType } from "../../operations/media-type.ts";
import type { MethodName } from "../../operations/methods.ts";
import { agreeTenant } from "../../operations/tenant.ts";
import type { HttpRequest } from "../http/exchange.ts";
import { parseQuery, type QueryField } from "../http/query.ts";
import { NO_FIELDS, type RestRoute } from "./names.ts";

/** The registered media type (§14.1.1), what we answer and send. */
export const A2A_JSON = "application/a2a+json";

/** What most clients send all the same. */
export const PLAIN_JSON = "application/json";

/** What a body may be. */
export const REST_MEDIA_TYPES: readonly string[] = [A2A_JSON, PLAIN_JSON];

/** Fields of a request that stand in the query, by method; the rest is in path or body. */
export const QUERY_FIELDS: Readonly<Partial<Record<MethodName, Readonly<Record<string, QueryField>>>>> = {
  GetTask: { tenant: "string", historyLength: "number" },
  ListTasks: {
    tenant: "string",
    contextId: "string",
    status: "enum",
    pageSize: "number",
    pageToken: "string",
    historyLength: "number",
    statusTimestampAfter: "timestamp",
    includeArtifacts: "boolean",
  },
  SubscribeToTask: { tenant: "string" },
  GetTaskPushNotificationConfig: { tenant: "string" },
  DeleteTaskPushNotificationConfig: { tenant: "string" },
  ListTaskPushNotificationConfigs: { tenant: "string", pageSize: "number", pageToken: "string" },
  GetExtendedAgentCard: { tenant: "string" },
};

const TENANT_ONLY: Readonly<Record<string, QueryField>> = { tenant: "string" };

/** Methods whose whole request may stand in the body; the first three need one. */
const BODY_REQUIRED: readonly MethodName[] = [
  "SendMessage",
  "SendStreamingMessage",
  "CreateTaskPushNotificationConfig",
];

/**
 * Chooses the media type of an answer: application/a2a+json, or application/json where that is what the caller
 * accepts or, saying nothing of what it accepts, sent.
 *
 * @param accept the Accept header
 * @param sent the Content-Type of the request
 */
export function answerType(accept: string | undefined, sent: string | undefined): string {
  if (accept !== undefined) {
    const lower = accept.toLowerCase();
    if (lower.includes(A2A_JSON)) return A2A_JSON;
    if (lower.includes(PLAIN_JSON)) return PLAIN_JSON;
  }
  if (sent === PLAIN_JSON) return PLAIN_JSON;
  return sent !== undefined && bareMediaType(sent) === PLAIN_JSON ? PLAIN_JSON : A2A_JSON;
}

/**
 * Puts the request of an operation together from path, query and body, which must not contradict each other.
 *
 * @param text the body, `""` where there is none
 * @returns the request in its JSON form, not yet validated
 * @throws PARSE_ERROR, INVALID_REQUEST for a body that is no object or a JSON-RPC envelope, INVALID_PARAMS
 */
export function assembleRequest(
  method: MethodName,
  route: RestRoute,
  request: Pick<HttpRequest, "query" | "method">,
  text: string,
): Record<string, unknown> {
  if (request.query === "" && route.tenant === "" && route.fields === NO_FIELDS && request.method === "POST") {
    return parseBody(method, text);
  }
  const query = parseQuery(request.query, QUERY_FIELDS[method] ?? TENANT_ONLY);
  const merged = request.method === "POST" ? parseBody(method, text) : {};
  const tenant = agreeTenant(route.tenant, asText(query["tenant"]), asText(merged["tenant"]));
  for (const [name, value] of Object.entries(query)) merged[name] = value;
  for (const [name, value] of Object.entries(route.fields)) {
    const given = merged[name] ?? merged[snakeCase(name)];
    if (given !== undefined && given !== null && given !== "" && given !== value) {
      throw invalidField(
        name,
        `${JSON.stringify(given).slice(0, 100)} and the path's ${JSON.stringify(value)} disagree`,
      );
    }
    merged[name] = value;
  }
  if (tenant !== "") merged["tenant"] = tenant;
  return merged;
}

function parseBody(method: MethodName, text: string): Record<string, unknown> {
  if (text === "" || text.trim() === "") {
    if (!BODY_REQUIRED.includes(method)) return {};
    throw new A2AError("PARSE_ERROR", "the body is empty; send the request as JSON");
  }
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The engine's own message quotes the body, so it stays here.
    throw new A2AError("PARSE_ERROR", "the body is not valid JSON");
  }
  // a2a-go posts null where there is nothing to say.
  if (body === null && !BODY_REQUIRED.includes(method)) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new A2AError("INVALID_REQUEST", "the body is not an object; send the fields of the request by name");
  }
  if ("jsonrpc" in body && "method" in body) {
    throw new A2AError(
      "INVALID_REQUEST",
      "this is a JSON-RPC request; here post only what is in its params, or post it to the JSON-RPC interface of the agent card",
    );
  }
  return body as Record<string, unknown>;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
