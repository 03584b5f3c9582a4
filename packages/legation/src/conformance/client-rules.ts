/** The requirements of clients that show in their requests, each as a rule over the traffic. */
import type { MethodName } from "../operations/methods.ts";
import type { ClientExchange, ClientOperation, ClientTraffic } from "./client-traffic.ts";
import { show, textAt, valueAt } from "./json-path.ts";
import type { BindingName } from "./raw-reply.ts";

/** What the rules know of the agent that the client was pointed at. */
export interface ClientSetting {
  /** The tenant that every interface of its card names; `""` for none. */
  readonly tenant: string;
  /** Bindings in the order of its card. */
  readonly bindings: readonly BindingName[];
  /** What the card declares. */
  readonly push: boolean;
  readonly extendedCard: boolean;
  /** True when streams were broken on purpose. */
  readonly breaksStreams: boolean;
}

/** What a rule found: nothing that it is about, that it was kept, or where it was broken. */
export type RuleFinding =
  | { readonly kind: "unseen"; readonly reason: string }
  | { readonly kind: "kept" }
  | { readonly kind: "broken"; readonly expected: string; readonly got: string; readonly exchange: ClientExchange };

/** One rule. */
export interface ClientRule {
  readonly id: string;
  readonly title: string;
  /** Requirements of role client; none for advice that the specification leaves to clients. */
  readonly verifies: readonly string[];
  /** The binding whose requests it is about; undefined: all together. */
  readonly binding?: BindingName | undefined;
  judge(traffic: ClientTraffic, setting: ClientSetting): RuleFinding;
}

const KEPT: RuleFinding = { kind: "kept" };

function unseen(reason: string): RuleFinding {
  return { kind: "unseen", reason };
}

/** Kept when every one of them is as expected; `whyNot` tells what came instead. */
function all(
  operations: readonly ClientOperation[],
  expected: string,
  whyNot: (operation: ClientOperation) => string | undefined,
): RuleFinding {
  if (operations.length === 0) return unseen("the client sent no such request");
  for (const operation of operations) {
    const got = whyNot(operation);
    if (got !== undefined) return { kind: "broken", expected, got, exchange: operation.exchange };
  }
  return KEPT;
}

function versionsOf({ exchange }: ClientOperation): readonly string[] {
  const query = new URLSearchParams(exchange.query);
  const given = [exchange.headers["a2a-version"], query.get("A2A-Version") ?? undefined];
  return given.filter((version) => version !== undefined && version !== "") as string[];
}

function ofBinding(traffic: ClientTraffic, binding: BindingName): readonly ClientOperation[] {
  return traffic.operations.filter((operation) => operation.binding === binding);
}

function ofMethod({ operations }: ClientTraffic, ...methods: readonly MethodName[]): readonly ClientOperation[] {
  return operations.filter(({ method }) => method !== undefined && methods.includes(method));
}

function parametersRule(binding: BindingName, id: string, what: string): ClientRule {
  return {
    id,
    title: `MUST send service parameters as ${what}`,
    verifies: [id],
    binding,
    judge: (traffic) =>
      all(ofBinding(traffic, binding), `A2A-Version among the ${what}`, ({ exchange: { headers } }) =>
        headers["a2a-version"] === undefined ? show(Object.keys(headers).filter((name) => headers[name])) : undefined,
      ),
  };
}

const QUERY_NAMES: ReadonlySet<string> = new Set(
  "tenant contextId status pageSize pageToken historyLength statusTimestampAfter includeArtifacts A2A-Version".split(
    " ",
  ),
);

const NEEDS_PUSH: readonly MethodName[] = [
  "CreateTaskPushNotificationConfig",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "DeleteTaskPushNotificationConfig",
];

function messagesOf(traffic: ClientTraffic): readonly ClientOperation[] {
  return ofMethod(traffic, "SendMessage", "SendStreamingMessage");
}

/** Ids of contexts that the agent has made, from everything that it has answered before. */
function issuedContexts(traffic: ClientTraffic, before: number): ReadonlySet<string> {
  const ids = traffic.operations
    .filter(({ exchange }) => exchange.at < before)
    .flatMap(({ exchange }) => [...exchange.answer.matchAll(/"contextId":"([^"]+)"/g)].map(([, id]) => id ?? ""));
  return new Set(ids);
}

function isRefusedAs({ exchange }: ClientOperation, reason: string): boolean {
  return exchange.answer.includes(`"reason":"${reason}"`);
}

const MALFORMED: readonly string[] = ["PARSE_ERROR", "INVALID_REQUEST", "METHOD_NOT_FOUND", "INVALID_PARAMS"];

/** An id of a task in a stream that ended while the task went on. */
function brokenTask({ exchange }: ClientOperation): string | undefined {
  if (!exchange.isStream) return undefined;
  const isOver = /"TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED)"/.test(exchange.answer);
  const [, id] = /"task":\{"id":"([^"]+)"/.exec(exchange.answer) ?? [];
  return isOver ? undefined : id;
}

/** The rules, by section. */
export const CLIENT_RULES: readonly ClientRule[] = [
  {
    id: "3.6.1/sends-version",
    title: "MUST send A2A-Version with every request",
    verifies: ["3.6.1/sends-version"],
    judge: ({ operations }) =>
      all(operations, "A2A-Version: 1.0", (operation) => (versionsOf(operation).length === 0 ? "none" : undefined)),
  },
  {
    id: "3.6/no-patch-in-request",
    title: "SHOULD send versions without a patch number",
    verifies: ["3.6/no-patch-in-request"],
    judge: ({ operations }) =>
      all(operations, "Major.Minor", (operation) =>
        versionsOf(operation).find((version) => !/^\d+\.\d+$/.test(version)),
      ),
  },
  parametersRule("jsonrpc", "9.2/client-headers", "HTTP headers"),
  parametersRule("rest", "11.2/client-headers", "HTTP headers"),
  parametersRule("grpc", "10.2/client-metadata", "gRPC metadata"),
  {
    id: "9.3/client-envelope",
    title: "MUST write the envelope of JSON-RPC 2.0",
    verifies: ["9.3/client-envelope"],
    binding: "jsonrpc",
    judge: (traffic) =>
      all(ofBinding(traffic, "jsonrpc"), '{"jsonrpc":"2.0","id":…,"method":"…"} with a method of 1.0', (operation) => {
        const { body } = operation.exchange;
        const envelope: unknown = operation.method === undefined ? undefined : JSON.parse(body);
        const id = valueAt(envelope, "id");
        const isRight = valueAt(envelope, "jsonrpc") === "2.0" && (typeof id === "string" || typeof id === "number");
        return isRight ? undefined : show(body);
      }),
  },
  {
    id: "11.5/client-query",
    title: "MUST send the parameters of GET and DELETE camelCase in the query",
    verifies: ["11.5/client-query"],
    binding: "rest",
    judge: (traffic) =>
      all(
        ofBinding(traffic, "rest").filter(({ exchange }) => exchange.method !== "POST"),
        `names among ${[...QUERY_NAMES].join(", ")}, and no body`,
        ({ exchange }) => {
          const odd = [...new URLSearchParams(exchange.query).keys()].find((name) => !QUERY_NAMES.has(name));
          if (odd !== undefined) return `the query ${show(exchange.query)}`;
          return exchange.body === "" ? undefined : `the body ${show(exchange.body)}`;
        },
      ),
  },
  {
    id: "8.3.2/right-url",
    title: "MUST call the URL of an interface of the card",
    verifies: ["8.3.2/right-url"],
    judge({ operations, strays }) {
      const [stray] = strays;
      if (stray !== undefined) {
        return {
          kind: "broken",
          expected: "a path of an interface",
          got: `${stray.method} ${stray.path}`,
          exchange: stray,
        };
      }
      return operations.length === 0 ? unseen("the client sent no request") : KEPT;
    },
  },
  {
    id: "8.3.2/first-supported",
    title: "MUST take the first interface that it supports",
    verifies: ["8.3.2/first-supported", "8.3.2/prefers-earlier"],
    judge({ operations }, { bindings }) {
      const [first] = operations;
      if (first === undefined) return unseen("the client sent no request");
      if (first.binding === bindings[0]) return KEPT;
      const later = operations.find(({ binding }) => binding === bindings[0]);
      if (later === undefined)
        return unseen(`the client used ${first.binding} alone; whether it speaks ${bindings[0]} is not known`);
      const got = `${first.binding} first, ${bindings[0]} later`;
      return { kind: "broken", expected: `${bindings[0]}, which the card names first`, got, exchange: first.exchange };
    },
  },
  {
    id: "8.3.2/tenant",
    title: "MUST send the tenant of the interface exactly",
    verifies: ["8.3.2/tenant"],
    judge: ({ operations }, setting) =>
      all(operations, `the tenant ${show(setting.tenant)}`, ({ tenant = "" }) =>
        tenant === setting.tenant ? undefined : tenant === "" ? "none" : show(tenant),
      ),
  },
  {
    id: "3.3.4/client-validates",
    title: "SHOULD use no capability that the card does not declare",
    verifies: ["3.3.4/client-validates"],
    judge: ({ operations }, { push, extendedCard }) =>
      all(operations, "nothing that the card does not declare", ({ method, params }) => {
        if (method === "GetExtendedAgentCard") return extendedCard ? undefined : method;
        if (push) return undefined;
        if (method !== undefined && NEEDS_PUSH.includes(method)) return method;
        const inline = valueAt(params, "configuration.taskPushNotificationConfig");
        return inline === undefined ? undefined : "a webhook with the message";
      }),
  },
  {
    id: "3.4.2/existing-task-id",
    title: "MUST name existing tasks in messages",
    verifies: ["3.4.2/existing-task-id"],
    judge: (traffic) =>
      all(
        messagesOf(traffic).filter(({ params }) => (textAt(params, "message.taskId") ?? "") !== ""),
        "the id of a task of this agent",
        (operation) =>
          isRefusedAs(operation, "TASK_NOT_FOUND") ? show(textAt(operation.params, "message.taskId")) : undefined,
      ),
  },
  {
    id: "3.4.1/no-own-context",
    title: "SHOULD make no contextId of its own",
    verifies: ["3.4.1/no-own-context", "3.4.1/opaque-context"],
    judge: (traffic) =>
      all(messagesOf(traffic), "no contextId, or one that the agent gave", ({ params, exchange }) => {
        const contextId = textAt(params, "message.contextId") ?? "";
        return contextId === "" || issuedContexts(traffic, exchange.at).has(contextId) ? undefined : show(contextId);
      }),
  },
  {
    id: "5.6.1/client-timestamps",
    title: "MUST write ISO 8601 timestamps",
    verifies: ["5.6.1/client-timestamps"],
    judge: (traffic) =>
      all(
        ofMethod(traffic, "ListTasks").filter((operation) => timestampOf(operation) !== undefined),
        "a time such as 2026-01-31T12:00:00.000Z",
        (operation) => {
          const time = timestampOf(operation) ?? "";
          return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(time) ? undefined : show(time);
        },
      ),
  },
  {
    id: "5.7/client-valid",
    title: "MUST send what the agent can read",
    verifies: ["5.7/client-valid"],
    judge: ({ operations }) =>
      all(operations, "a valid request", (operation) =>
        MALFORMED.some((reason) => isRefusedAs(operation, reason)) ? show(operation.exchange.answer, 1_000) : undefined,
      ),
  },
  {
    id: "8.6.2/honours",
    title: "SHOULD keep the card as long as its caching headers allow",
    verifies: ["8.6.2/honours", "8.6.2/conditional"],
    judge({ cards }) {
      const again = cards.filter(({ status }) => status === 200).slice(1);
      if (cards.length < 2) return unseen("the client asked for the card once; several processes cannot share a copy");
      const [careless] = again.filter(({ headers }) => headers["if-none-match"] === undefined);
      if (careless === undefined) return KEPT;
      const got = `${cards.length} requests, not conditional`;
      return { kind: "broken", expected: "one request within max-age, or If-None-Match", got, exchange: careless };
    },
  },
  {
    id: "3.1.6/resumes",
    title: "SHOULD ask for the task when its stream broke off",
    verifies: [],
    judge(traffic, { breaksStreams }) {
      if (!breaksStreams) return unseen("no stream was broken on purpose");
      const broken = traffic.operations.filter((operation) => brokenTask(operation) !== undefined);
      return all(broken, "SubscribeToTask or GetTask afterwards", (operation) => {
        const id = brokenTask(operation) ?? "";
        const asked = ofMethod(traffic, "SubscribeToTask", "GetTask", "SendMessage", "SendStreamingMessage").some(
          ({ exchange }) =>
            exchange.at >= operation.exchange.at && exchange !== operation.exchange && mentions(exchange, id),
        );
        return asked ? undefined : `nothing more about task ${id}`;
      });
    },
  },
];

function mentions({ path, body, answer }: ClientExchange, id: string): boolean {
  return path.includes(encodeURIComponent(id)) || body.includes(id) || answer.includes(id);
}

function timestampOf({ params, exchange }: ClientOperation): string | undefined {
  return (
    textAt(params, "statusTimestampAfter") ??
    new URLSearchParams(exchange.query).get("statusTimestampAfter") ??
    undefined
  );
}
