/**
 * The service that a client calls: its transports, with what surrounds every call on this side.
 *
 * From outside to inside: interceptors of the user; service parameters and credentials; retries; the choice between
 * interfaces. A retry therefore sends the same message with the same id, under one span of the user's telemetry.
 */
import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import type { Call } from "../operations/call.ts";
import { A2AError, isA2AError } from "../operations/errors.ts";
import { intercept } from "../operations/intercept.ts";
import type { Interceptor } from "../operations/interceptor.ts";
import { METHODS, type MethodName, type MethodRow } from "../operations/methods.ts";
import type { Service } from "../operations/service.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { abortError, type ClientClock, sleep } from "./client-clock.ts";
import { isConnectionLoss, isNothingSent } from "./connect-failure.ts";
import type { Credentials } from "./credentials.ts";

/** What the service of a client is made of. */
export interface ClientServiceParts {
  /** Usable interfaces, best first. */
  readonly interfaces: readonly AgentInterface[];
  /** Makes the transport of one of them; called when it is first needed. */
  readonly createTransport: (entry: AgentInterface) => Service;
  readonly card: () => AgentCard;
  readonly credentials: Credentials | undefined;
  readonly headers: (() => Promise<Record<string, string>>) | undefined;
  readonly extensions: readonly string[];
  readonly interceptors: readonly Interceptor[];
  /** True where a message that is sent twice under one id is carried out once. */
  readonly isSendIdempotent: () => boolean;
  readonly backoff: Backoff;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly warn: (sentence: string) => void;
}

/** The service and which interface it uses. */
export interface ClientService {
  readonly service: Service;
  /** The interface in use: the first, until it could not be reached and another could. */
  readonly interface: () => AgentInterface;
  /** True where a message may be sent again that was lost on the way. */
  readonly mayRepeatSend: () => boolean;
  /** Lets go what transports hold; those over HTTP hold nothing. */
  readonly close: () => Promise<void>;
}

type Run = (method: MethodName, row: MethodRow, request: unknown, call: Call) => Promise<unknown>;
type Operation = (request: never, call: Call) => Promise<unknown>;

/** @throws nothing; transports are made when they are first needed */
export function createClientService(parts: ClientServiceParts): ClientService {
  const choice = createFailover(parts);
  const retrying: Run = (method, row, request, call) =>
    retry(parts, method, call, () => choice.run(method, row, request, call));
  const authorised: Run = (method, row, request, call) =>
    authorise(parts, choice.current(), method, call, (full) => retrying(method, row, request, full));
  return {
    service: intercept(toService(authorised), parts.interceptors),
    interface: choice.current,
    mayRepeatSend: () => parts.backoff.attempts > 0 && parts.isSendIdempotent(),
    close: choice.close,
  };
}

function toService(run: Run): Service {
  const service: Record<string, Operation> = {};
  for (const [method, row] of Object.entries(METHODS) as [MethodName, MethodRow][]) {
    service[row.operation] = (request, call) => run(method, row, request, call);
  }
  return service as unknown as Service;
}

// The next interface takes over only when nothing can have reached the one before it (§5.2): otherwise an agent with
// two doors would be asked to do a thing twice.
function createFailover(parts: ClientServiceParts): {
  readonly run: Run;
  readonly current: () => AgentInterface;
  readonly close: () => Promise<void>;
} {
  const { interfaces, createTransport } = parts;
  const transports = new Map<number, Service>();
  let inUse = 0;
  const run: Run = async (_method, row, request, call) => {
    for (let at = inUse; ; at++) {
      const entry = interfaces[at];
      if (entry === undefined) throw new RangeError("a client service needs an interface");
      let transport = transports.get(at);
      if (transport === undefined) {
        transport = createTransport(entry);
        transports.set(at, transport);
      }
      try {
        const answer = await (transport[row.operation] as Operation).call(transport, request as never, call);
        if (at !== inUse)
          parts.warn(`interface ${entry.protocolBinding} at ${entry.url} is used, those before it cannot be reached`);
        inUse = at;
        return answer;
      } catch (error) {
        if (at + 1 >= interfaces.length || !isNothingSent(error)) throw error;
      }
    }
  };
  const close = async (): Promise<void> => {
    for (const transport of transports.values()) {
      if (Symbol.asyncDispose in transport) await (transport as Service & AsyncDisposable)[Symbol.asyncDispose]();
    }
    transports.clear();
  };
  return { run, current: () => interfaces[inUse] as AgentInterface, close };
}

const READS: ReadonlySet<MethodName> = new Set<MethodName>([
  "GetTask",
  "ListTasks",
  "GetTaskPushNotificationConfig",
  "ListTaskPushNotificationConfigs",
  "GetExtendedAgentCard",
]);

/** Longest time that a Retry-After is waited for within one call, in ms; a longer one is the caller's decision. */
const MAX_RETRY_AFTER_MS = 30_000;

async function retry(
  parts: ClientServiceParts,
  method: MethodName,
  call: Call,
  run: () => Promise<unknown>,
): Promise<unknown> {
  // A subscription has retries of its own, bounded in another way.
  if (method === "SubscribeToTask") return run();
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (isAborted(call)) throw error;
      if (attempt > parts.backoff.attempts || !mayRetry(parts, method, error)) throw error;
      const afterMs = error instanceof A2AError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      if (afterMs > MAX_RETRY_AFTER_MS) throw error;
      await sleep(parts.clock, backoffMs(parts.backoff, attempt, parts.random, afterMs), call.signal);
      if (call.signal !== undefined && isAborted(call)) throw abortError(call.signal);
    }
  }
}

function isAborted(call: Call): boolean {
  return call.signal?.aborted === true;
}

function mayRetry(parts: ClientServiceParts, method: MethodName, error: unknown): boolean {
  // An agent that refuses connections is not there: whoever waits for it should know at once.
  if (isNothingSent(error)) return false;
  const isSend = method === "SendMessage" || method === "SendStreamingMessage";
  if (!READS.has(method) && !(isSend && parts.isSendIdempotent())) return false;
  return isConnectionLoss(error) || isA2AError(error, "UNAVAILABLE");
}

async function authorise(
  parts: ClientServiceParts,
  entry: AgentInterface,
  method: MethodName,
  call: Call,
  run: (call: Call) => Promise<unknown>,
): Promise<unknown> {
  const full = async (rejected: A2AError | undefined): Promise<Call> => {
    const card = parts.card();
    const asked = await parts.credentials?.({ card, interface: entry, method, rejected });
    const headers = { ...(await parts.headers?.()), ...asked, ...call.headers };
    const extensions = [...new Set([...parts.extensions, ...call.extensions])];
    return { ...call, extensions, ...(Object.keys(headers).length > 0 ? { headers } : {}) };
  };
  // What the transport notes on its copy is for whoever made the call.
  const runOn = async (copy: Call): Promise<unknown> => {
    try {
      return await run(copy);
    } finally {
      call.activeExtensions = copy.activeExtensions;
    }
  };
  const first = await full(undefined);
  try {
    return await runOn(first);
  } catch (error) {
    // Refused before anything ran: fresh credentials may be tried once, a token expires while one works.
    if (parts.credentials === undefined || !isA2AError(error, "UNAUTHENTICATED")) throw error;
    const second = await full(error);
    if (JSON.stringify(second.headers) === JSON.stringify(first.headers)) throw error;
    return runOn(second);
  }
}
