/**
 * Runs the checks against an agent: everything once per binding that its card declares, what looks at the card once.
 *
 * @see specification §3 to §11
 */
import type { Fetch } from "../bindings/http/outgoing.ts";
import { globalFetch } from "../bindings/http/transport.ts";
import type { JsonObject } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { factsOf, probeableInterfaces } from "./agent-facts.ts";
import { fetchText, findCard } from "./card-fetch.ts";
import type { Check, Probe } from "./check.ts";
import { CHECKS } from "./checks.ts";
import { Inapplicable, Mismatch } from "./expect.ts";
import { whyUnmet } from "./needs.ts";
import type { BindingName } from "./raw-reply.ts";
import type { Requirement } from "./requirement.ts";
import { findRequirement } from "./requirements.ts";
import { titleOf } from "./section-titles.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";
import { type Caller, openWire, type Wire, type WireOptions } from "./wire.ts";

type Headers = Readonly<Record<string, string>>;

/** What {@link runConformance} takes. */
export interface ConformanceOptions {
  /** URL of the card, or of the base below which it is well known. Give this or `card`. */
  readonly url?: string | undefined;
  /** The card itself. */
  readonly card?: JsonObject | undefined;
  /** The bindings to run over; all that the card declares by default. */
  readonly bindings?: readonly BindingName[] | undefined;
  /** Opens the wire of a gRPC interface, for which this room has no transport; without it gRPC is left out. */
  readonly openGrpc?: ((options: WireOptions) => Wire) | undefined;
  /** A structural fetch; the global one by default. */
  readonly fetch?: Fetch | undefined;
  /** Ends the run; the check that runs then is skipped, and those after it. */
  readonly signal?: AbortSignal | undefined;
  /** Checks to run: ids, or beginnings of ids such as `3.1.4`; all by default. */
  readonly only?: readonly string[] | undefined;
  /** Told of each result as it comes. */
  readonly onResult?: ((result: ConformanceResult) => void) | undefined;
  /** Credentials of the caller as headers. */
  readonly credentials?: (() => Promise<Headers>) | undefined;
  /** Credentials of somebody else, who must not see the first caller's tasks. */
  readonly otherCredentials?: (() => Promise<Headers>) | undefined;
  /** Receives webhooks; without one the checks of deliveries are skipped. */
  readonly webhook?: WebhookReceiver | undefined;
  /** Longest time of one check in ms, default 20,000. */
  readonly timeoutMs?: number | undefined;
  /** Makes ids; random UUIDs by default. */
  readonly newId?: (() => string) | undefined;
}

/** What one check said over one binding. */
export interface ConformanceResult {
  /** Id of the check. */
  readonly check: string;
  /** `§3.1.5 Cancel Task › MUST reject a terminal task`. */
  readonly title: string;
  /** Ids of the requirements that it verifies. */
  readonly requirements: readonly string[];
  /** The highest level among them. */
  readonly level: Requirement["level"];
  /** `card` for a check of the card, `client` for one of a client over any binding. */
  readonly binding: BindingName | "card" | "client";
  readonly outcome: "pass" | "fail" | "skipped";
  /** Why it was skipped. */
  readonly reason?: string | undefined;
  /** On failure: what was to be, and what came. */
  readonly expected?: string | undefined;
  readonly got?: string | undefined;
  /** On failure: the last request and answer. */
  readonly exchange?: string | undefined;
  readonly ms: number;
}

const DEFAULT_TIMEOUT_MS = 20_000;

/**
 * Judges an agent. Failures are results; the run itself fails only when the agent cannot be judged at all.
 *
 * @param options what to judge and how
 * @returns one result per check and binding, in the order of the run
 * @throws LocalError NOT_AN_AGENT where no card is found, NO_COMMON_INTERFACE where the card declares neither binding
 *   in version 1.0, CONFIGURATION for an `only` that names no check, UNREACHABLE by way of `fetch`
 */
export async function runConformance(options: ConformanceOptions): Promise<readonly ConformanceResult[]> {
  const signal = options.signal ?? new AbortController().signal;
  const checks = chooseChecks(options.only);
  const found = await findAgent(options, signal);
  const interfaces = probeableInterfaces(found.card).filter(
    ({ binding }) =>
      (binding !== "grpc" || options.openGrpc !== undefined) &&
      (options.bindings === undefined || options.bindings.includes(binding)),
  );
  const [first] = interfaces;
  if (first === undefined) {
    throw new LocalError(
      "NO_COMMON_INTERFACE",
      "the card declares no JSONRPC or HTTP+JSON in version 1.0 that was to be judged",
    );
  }
  const run = new Run(options, found, interfaces, signal);
  for (const check of checks.filter(({ once }) => once === true)) await run.judge(check, first.binding);
  for (const { binding } of interfaces) {
    for (const check of checks.filter(({ once }) => once !== true)) await run.judge(check, binding);
  }
  return run.results;
}

function chooseChecks(only: readonly string[] | undefined): readonly Check[] {
  if (only === undefined || only.length === 0) return CHECKS;
  const fits = (id: string, wanted: string): boolean => id === wanted || id.startsWith(`${wanted}/`);
  const wrong = only.find((wanted) => !CHECKS.some(({ id }) => fits(id, wanted)));
  if (wrong !== undefined) {
    throw new LocalError("CONFIGURATION", `no check is called ${wrong}; name one by its id, or all of a section`);
  }
  return CHECKS.filter(({ id }) => only.some((wanted) => fits(id, wanted)));
}

async function findAgent(
  options: ConformanceOptions,
  signal: AbortSignal,
): Promise<{ readonly url: string | undefined; readonly card: JsonObject }> {
  if (options.card !== undefined) return { url: undefined, card: options.card };
  if (options.url === undefined) throw new LocalError("CONFIGURATION", "name the agent: give url or card");
  return findCard(options.fetch ?? globalFetch, options.url, {}, signal);
}

class Run {
  readonly results: ConformanceResult[] = [];
  readonly #options: ConformanceOptions;
  readonly #found: { readonly url: string | undefined; readonly card: JsonObject };
  readonly #interfaces: ReturnType<typeof probeableInterfaces>;
  readonly #signal: AbortSignal;

  constructor(
    options: ConformanceOptions,
    found: { readonly url: string | undefined; readonly card: JsonObject },
    interfaces: ReturnType<typeof probeableInterfaces>,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#found = found;
    this.#interfaces = interfaces;
    this.#signal = signal;
  }

  async judge(check: Check, binding: BindingName): Promise<void> {
    const startedAt = performance.now();
    // Aborted at the end of each check, so that no stream of it stays open.
    const own = new AbortController();
    const timeoutMs = this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const timer = setTimeout(() => own.abort(new Mismatch("an answer", `none within ${timeoutMs} ms`)), timeoutMs);
    const probe = this.#probe(binding, AbortSignal.any([own.signal, this.#signal]));
    const verdict = await this.#verdict(check, probe, own.signal);
    clearTimeout(timer);
    own.abort(new Inapplicable("the check is over"));
    const result: ConformanceResult = {
      check: check.id,
      title: titleOf(check),
      requirements: check.verifies,
      level: levelOf(check),
      binding: check.once === true ? "card" : binding,
      ...verdict,
      ...(verdict.outcome === "fail" ? { exchange: probe.wire.lastExchange } : {}),
      ms: Math.round(performance.now() - startedAt),
    };
    this.results.push(result);
    this.#options.onResult?.(result);
  }

  async #verdict(check: Check, probe: Probe, timeout: AbortSignal): Promise<Verdict> {
    if (this.#signal.aborted) return { outcome: "skipped", reason: "the run was ended" };
    const secondCaller = this.#options.otherCredentials !== undefined;
    for (const need of check.needs ?? []) {
      const reason = whyUnmet(need, probe, { secondCaller });
      if (reason !== undefined) return { outcome: "skipped", reason };
    }
    try {
      await check.run(probe);
      return { outcome: "pass" };
    } catch (thrown) {
      if (this.#signal.aborted) return { outcome: "skipped", reason: "the run was ended" };
      return verdictOf(timeout.aborted ? timeout.reason : thrown);
    }
  }

  #probe(binding: BindingName, signal: AbortSignal): Probe {
    const { card, url } = this.#found;
    const fetch = this.#options.fetch ?? globalFetch;
    const facts = factsOf(card);
    const wires = this.#interfaces.map(
      (one): Wire =>
        this.#open({
          ...one,
          fetch,
          signal,
          extensions: facts.requiredExtensions,
          credentials: (caller) => this.#credentials(caller),
        }),
    );
    const wire = wires.find((one) => one.binding === binding);
    if (wire === undefined) throw new Error(`no wire for ${binding}`);
    return {
      wire,
      wires,
      card,
      facts,
      signal,
      fetchCard: url === undefined ? undefined : (headers = {}) => fetchText(fetch, url, headers, signal),
      webhook: this.#options.webhook,
      newId: this.#options.newId ?? (() => crypto.randomUUID()),
    };
  }

  #open(options: WireOptions): Wire {
    const { openGrpc } = this.#options;
    return options.binding === "grpc" && openGrpc !== undefined ? openGrpc(options) : openWire(options);
  }

  async #credentials(caller: Caller): Promise<Headers> {
    const { credentials, otherCredentials } = this.#options;
    const source = caller === "usual" ? credentials : caller === "other" ? otherCredentials : undefined;
    return (await source?.()) ?? {};
  }
}

type Verdict = Pick<ConformanceResult, "outcome" | "reason" | "expected" | "got">;

function verdictOf(thrown: unknown): Verdict {
  if (thrown instanceof Inapplicable) return { outcome: "skipped", reason: thrown.message };
  if (thrown instanceof Mismatch) return { outcome: "fail", expected: thrown.expected, got: thrown.got };
  const got = thrown instanceof Error ? `${thrown.name}: ${thrown.message}${causeOf(thrown)}` : String(thrown);
  return { outcome: "fail", expected: "an answer that can be read", got };
}

function causeOf({ cause }: Error): string {
  return cause instanceof Error ? ` (${cause.message})` : "";
}

function levelOf({ verifies }: Check): Requirement["level"] {
  return verifies.some((id) => findRequirement(id)?.level === "MUST") ? "MUST" : "SHOULD";
}
