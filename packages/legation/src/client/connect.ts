import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import { IDEMPOTENT_SEND_EXTENSION } from "../operations/extension-uris.ts";
import type { Interceptor } from "../operations/interceptor.ts";
import { PROTOCOL_VERSION, parseVersion } from "../operations/version.ts";
import { ArtifactHistory, type ArtifactHistoryOptions } from "./artifact-history.ts";
import { type Backoff, CALL_BACKOFF, STREAM_BACKOFF } from "./backoff.ts";
import { type CardCache, createCardCache } from "./card-cache.ts";
import { type AgentTarget, cardSource } from "./card-source.ts";
import { chooseInterfaces } from "./choose-interface.ts";
import { Client } from "./client.ts";
import { type ClientClock, SYSTEM_CLOCK } from "./client-clock.ts";
import { type ClientService, createClientService } from "./client-service.ts";
import type { Credentials } from "./credentials.ts";
import type { DiscoveredCard } from "./discover-card.ts";
import { type ClientFetch, type FetchCardContext, MAX_CARD_BYTES } from "./fetch-card.ts";
import type { Polling } from "./follow-task.ts";
import { HTTP_TRANSPORTS, type TransportContext, type TransportFactory } from "./transports.ts";

/** Speaks older versions of the protocol; a plug-in, for nothing falls back silently (§3.6.3). */
export interface ClientCompat {
  /** Versions as `Major.Minor`, and the bindings on which it speaks them. */
  readonly versions: readonly string[];
  readonly bindings: readonly string[];
  /** Bindings on which it speaks them where `transports` has one of that name with `openRpc`. */
  readonly rpcBindings?: readonly string[] | undefined;
  /** `transport` is the one that `transports` has for the binding of the interface. */
  readonly createTransport: (
    context: TransportContext & { readonly transport: TransportFactory | undefined },
  ) => ReturnType<TransportFactory>;
}

/** Everything that `connect` can be told. */
export interface ConnectOptions {
  /** Ends the discovery. Later calls have signals of their own. */
  readonly signal?: AbortSignal | undefined;
  /** Default the platform's. */
  readonly fetch?: ClientFetch | undefined;
  /** Headers of every call, but not of the request for the card; they go to the address that the card names. */
  readonly headers?: Readonly<Record<string, string>> | (() => Promise<Record<string, string>>) | undefined;
  /** Headers of the request for the card; with them no shared cache is used. */
  readonly cardHeaders?: Readonly<Record<string, string>> | undefined;
  /** Gives the headers that authenticate a call. */
  readonly credentials?: Credentials | undefined;
  /** Around every call, the first one outermost. */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /** Extension URIs asked for with every call. */
  readonly extensions?: readonly string[] | undefined;
  /** Bindings by their name in a card, first choice first; overrides the order of the card. */
  readonly prefer?: readonly string[] | undefined;
  /** Further bindings by their name in a card, such as GRPC; one that is there already is replaced. */
  readonly transports?: Readonly<Record<string, TransportFactory>> | undefined;
  readonly compat?: ClientCompat | undefined;
  /** The only versions to speak, as `Major.Minor`; default 1.0, and those of `compat` where an agent has no other. */
  readonly versions?: readonly string[] | undefined;
  /** Share one among clients; default one per client. */
  readonly cardCache?: CardCache | undefined;
  /** Largest card, in bytes; default 1 MiB. */
  readonly maxCardBytes?: number | undefined;
  /**
   * Whether a send is repeated, with the same messageId, after a connection was lost. "auto" (default): where the
   * agent declares that it carries out a message once. true: you know that it does.
   */
  readonly retrySends?: "auto" | boolean | undefined;
  /** How broken streams are resumed; default 10 attempts without progress, 250 ms to 10 s. */
  readonly resume?: Partial<Backoff> | false | undefined;
  /** How single calls are retried; default 2 further attempts, 100 ms to 2 s. */
  readonly retry?: Partial<Backoff> | false | undefined;
  /** How tasks of agents without streaming are followed; default every 1,000 ms, up to 30,000 while nothing changes. */
  readonly polling?: Partial<Polling> | undefined;
  /** Versions of artifacts: a store, and bounds. */
  readonly artifactHistory?: ArtifactHistoryOptions | undefined;
  /** Told of what the agent gets wrong and the client put right. Default: nobody. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
  readonly clock?: ClientClock | undefined;
  /** From 0 up to 1, for jitter. Default Math.random. */
  readonly random?: (() => number) | undefined;
  /** Message ids. Default random UUIDs. */
  readonly newId?: (() => string) | undefined;
}

/**
 * Finds an agent, reads its card and chooses an interface: the first of the card that both sides speak.
 *
 * Nothing but the card is fetched; the first call opens a connection. It does not check signatures.
 *
 * @param target the base URL of an agent (`http://localhost:4000`), the URL of its card, its card, or a source of cards
 * @param options see there
 * @returns a client for this agent
 * @throws LocalError UNREACHABLE, NOT_AN_AGENT, CARD_INVALID, NO_COMMON_INTERFACE, CONFIGURATION, ABORTED
 * @throws A2AError UNAUTHENTICATED, PERMISSION_DENIED, RATE_LIMITED, UNAVAILABLE of the host of the card
 * @see specification §5.2, §8
 */
export async function connect(target: AgentTarget, options: ConnectOptions = {}): Promise<Client> {
  const source = cardSource(target);
  const warn = options.onWarning ?? (() => undefined);
  const clock = options.clock ?? SYSTEM_CLOCK;
  const fetch: ClientFetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const { cardHeaders = {} } = options;
  // A card for one caller must not come out of a cache for another one.
  const isShared = options.cardCache !== undefined && Object.keys(cardHeaders).length === 0;
  const cache = isShared && options.cardCache !== undefined ? options.cardCache : createCardCache();
  const discover = async (signal: AbortSignal | undefined, revalidate: boolean): Promise<DiscoveredCard> => {
    const maxBytes = options.maxCardBytes ?? MAX_CARD_BYTES;
    const context: FetchCardContext = { fetch, cache, clock, headers: cardHeaders, maxBytes, signal, revalidate, warn };
    const discovered = await source.discover(context);
    for (const sentence of discovered.warnings) warn(sentence);
    return discovered;
  };
  const discovered = await discover(options.signal, false);
  return new Client({
    discovered,
    createService: (found, card) => createService(found, card, { ...options, fetch, clock, onWarning: warn }),
    rediscover: (signal) => discover(signal, true),
    hasCredentials: options.credentials !== undefined || options.headers !== undefined,
    extensions: options.extensions ?? [],
    history: new ArtifactHistory(options.artifactHistory ?? {}, () => clock.now(), warn),
    backoff: bounds(STREAM_BACKOFF, options.resume),
    polling: { intervalMs: options.polling?.intervalMs ?? 1_000, maxMs: options.polling?.maxMs ?? 30_000 },
    clock,
    random: options.random ?? Math.random,
    newId: options.newId ?? (() => globalThis.crypto.randomUUID()),
    warn,
  });
}

type ServiceOptions = ConnectOptions &
  Required<Pick<TransportContext, "fetch">> & {
    readonly clock: ClientClock;
    readonly onWarning: (sentence: string) => void;
  };

function createService(discovered: DiscoveredCard, card: () => AgentCard, options: ServiceOptions): ClientService {
  const { compat, fetch, onWarning: warn, headers } = options;
  const transports = { ...HTTP_TRANSPORTS, ...options.transports };
  const isOld = (version: string): boolean => version !== PROTOCOL_VERSION;
  const speaksOld = (binding: string): boolean =>
    compat?.bindings.includes(binding) === true ||
    (compat?.rpcBindings?.includes(binding) === true && transports[binding]?.openRpc !== undefined);
  const speaks = (binding: string, version: string): boolean =>
    isOld(version)
      ? compat?.versions.includes(version) === true && speaksOld(binding)
      : Object.hasOwn(transports, binding);
  const chosen = chooseInterfaces(discovered.card, {
    bindings: [...new Set([...Object.keys(transports), ...(compat?.bindings ?? [])])],
    speaks: (binding, version) => options.versions?.includes(version) !== false && speaks(binding, version),
    versions: options.versions ?? [PROTOCOL_VERSION, ...(compat?.versions ?? [])],
    prefer: options.prefer,
  });
  // An agent that speaks 1.0 is called in 1.0, wherever its card lists that.
  const age = (entry: AgentInterface): number => Number(isOld(parseVersion(entry.protocolVersion) ?? ""));
  const interfaces = chosen.toSorted((a, b) => age(a) - age(b));
  if (headers !== undefined || options.credentials !== undefined) warnOfForeignHost(discovered, interfaces, warn);
  const declared =
    discovered.card.capabilities.extensions?.some(({ uri }) => uri === IDEMPOTENT_SEND_EXTENSION) === true;
  const retrySends = options.retrySends ?? "auto";
  return createClientService({
    interfaces,
    createTransport: (entry) => {
      const transport = transports[entry.protocolBinding];
      const context = { interface: entry, card: discovered.card, fetch, warn };
      const made = isOld(parseVersion(entry.protocolVersion) ?? "")
        ? compat?.createTransport({ ...context, transport })
        : transport?.(context);
      if (made === undefined) throw new LocalError("CONFIGURATION", `no transport for ${entry.protocolBinding}`);
      return made;
    },
    card,
    credentials: options.credentials,
    headers: typeof headers === "object" ? async () => ({ ...headers }) : headers,
    extensions: options.extensions ?? [],
    interceptors: options.interceptors ?? [],
    isSendIdempotent: () => (retrySends === "auto" ? declared : retrySends),
    backoff: bounds(CALL_BACKOFF, options.retry),
    clock: options.clock,
    random: options.random ?? Math.random,
    warn,
  });
}

// Not refused: gateways are often elsewhere. But whoever can change a card could have the credentials sent to him.
function warnOfForeignHost(
  discovered: DiscoveredCard,
  interfaces: readonly AgentInterface[],
  warn: (sentence: string) => void,
): void {
  const { url } = discovered;
  const [first] = interfaces;
  if (url === undefined || first === undefined || !URL.canParse(first.url)) return;
  const { host } = new URL(first.url);
  if (host !== new URL(url).host)
    warn(`credentials go to ${host}, which the card at ${new URL(url).host} names; check that you trust it`);
}

function bounds(defaults: Backoff, given: Partial<Backoff> | false | undefined): Backoff {
  if (given === false) return { ...defaults, attempts: 0 };
  const { attempts = defaults.attempts, minMs = defaults.minMs, maxMs = defaults.maxMs } = given ?? {};
  return { attempts, minMs, maxMs };
}
