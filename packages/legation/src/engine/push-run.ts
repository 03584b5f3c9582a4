/**
 * One webhook while this process delivers to it: one entry after the other, in the order of the log.
 *
 * - reading: the log behind the cursor. Nothing there → lingering; else → sending.
 * - sending: waits for a slot, makes sure of the lease, sends. 2xx → the cursor moves, behind the next request and not
 *   before it; a webhook that is silent to others, or that too many wait for → put off; anything else → failed.
 * - put off: due later, without a failure; over.
 * - lingering: for `lingerMs` the lease is kept, so that the next entry needs no claim; a word of a commit → reading;
 *   time is up, or others need the room → the lease is given back, over.
 * - failed: due later, or dead after `maxAttempts` or a 410; over.
 * - stopped (the process ends): as failed, but due at once and not counted. Cancelled (removed, registered again, lease
 *   lost): nothing more is sent or written.
 */
import type { Task } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { type Clock, monotonic, type Timer } from "./clock.ts";
import { expandEntries, type LogSource, readEntries } from "./log-content.ts";
import { decodePushConfig, type PushConfig, placeOf, urlOfStored } from "./push-config.ts";
import type { PushHealth } from "./push-health.ts";
import type { HookMove, HookRow } from "./push-hook.ts";
import { askLease, type LeaseAsked, leaseLeft } from "./push-lease.ts";
import { pushHeaders } from "./push-message.ts";
import type { PushMoves } from "./push-moves.ts";
import type { PushAnswer, PushEvent, PushOptions, PushRequest, PushSettings, PushShape } from "./push-options.ts";
import { parseRetryAfter, retryDelayMs } from "./push-retry.ts";
import type { PushSlots, SlotPlace } from "./push-slots.ts";
import type { EventRow } from "./store.ts";
import { stateOf } from "./tail.ts";

/** What all runs of a process share. */
export interface PushRunHost {
  readonly source: LogSource;
  readonly options: PushOptions;
  readonly settings: PushSettings;
  readonly shapes: ReadonlyMap<string, PushShape>;
  readonly clock: Clock;
  readonly moves: PushMoves;
  readonly slots: PushSlots;
  readonly health: PushHealth;
  /** True while there is room to hold webhooks that have nothing to deliver. */
  isRoomy(): boolean;
  /** The Task as it is stored now. */
  task(row: HookRow): Promise<Task>;
  log(level: "debug" | "info" | "warn" | "error", event: string, details: object): void;
}

/** An entry to send, and whether it ends the task. */
interface SeenEvent extends PushEvent {
  readonly isEnd: boolean;
}

/** How much of a log is read at once. */
const PAGE_BYTES = 262_144;
/** What may pass between the look at the lease and the end of an attempt, beside its timeout. */
const MARGIN_MS = 5_000;
const LONGEST_ERROR = 300;
/** How much of the room of a process may be taken by those that wait for one webhook; more of them come back later. */
const WAITING_SHARE = 1 / 8;
/** Only what may be the end of a task is read for it. */
const ENDED = /"TASK_STATE_(?:COMPLETED|FAILED|CANCELED|REJECTED)"/;

/** Why an attempt failed. */
interface Failure {
  readonly error: string;
  readonly retryAfterMs: number;
  /** True when the server said that there is no use in coming back. */
  readonly isFinal: boolean;
  /** True when there was no answer. */
  readonly isSilence: boolean;
}

const FAILURE: Failure = { error: "", retryAfterMs: 0, isFinal: false, isSilence: false };

export class PushRun {
  readonly row: HookRow;
  readonly #host: PushRunHost;
  readonly #abort = new AbortController();
  readonly #place: SlotPlace;
  #cursor: number;
  #attempts: number;
  #error: string | null;
  #dead: boolean;
  /** When the lease was asked for that is known to be ours. */
  #leaseAsked: LeaseAsked;
  #config: Promise<PushConfig> | undefined;
  #isStopping = false;
  #isCancelled = false;
  #isPoked = false;
  #isGivenBack = false;
  /** True once the end of the task is delivered: nothing more will come. */
  #isEnded = false;
  #wake: (() => void) | undefined;

  /** @param asked when the claim was asked for that gave the row */
  constructor(host: PushRunHost, row: HookRow, asked: LeaseAsked) {
    this.#host = host;
    this.row = row;
    this.#place = slotPlaceOf(row);
    this.#cursor = row.cursor;
    this.#attempts = row.attempts;
    this.#error = row.error;
    this.#dead = row.dead;
    this.#leaseAsked = asked;
  }

  /** The log may have gone on. */
  poke(): void {
    this.#isPoked = true;
    this.#wake?.();
  }

  /** Ends after the attempt under way. */
  stop(): void {
    this.#isStopping = true;
    this.#wake?.();
  }

  /** Ends now; the attempt under way is cut. */
  cut(): void {
    this.stop();
    this.#abort.abort();
  }

  /** Ends now and writes nothing more: the row is somebody else's business. */
  cancel(): void {
    this.#isCancelled = true;
    this.cut();
  }

  /** Delivers until there is nothing left. Never rejects. */
  async deliver(): Promise<void> {
    try {
      while (!this.#isOver) {
        this.#isPoked = false;
        const events = await this.#read();
        for (const event of events) {
          if (this.#isOver || !(await this.#send(event))) break;
        }
        if (this.#isGivenBack || this.#isEnded || (events.length === 0 && !(await this.#linger()))) break;
      }
      await this.#giveBack({});
    } catch (failed) {
      this.#host.log("warn", "push.lost", { ...this.#name, error: failed });
      await this.#giveBack({ due: this.#host.clock.now() + this.#host.settings.retryMs }).catch(() => undefined);
    }
  }

  get #isOver(): boolean {
    return this.#isStopping || this.#isCancelled;
  }

  get #name(): { readonly taskId: string; readonly hook: string } {
    return { taskId: this.row.taskId, hook: this.row.id };
  }

  /** The next entries to send; those that nobody outside sees are passed over. */
  async #read(): Promise<readonly SeenEvent[]> {
    const { source } = this.#host;
    for (;;) {
      const entries = await readEntries(source, this.row.key, { afterSeq: this.#cursor, maxBytes: PAGE_BYTES });
      const events = await this.#eventsOf(await expandEntries(source, this.row, entries));
      if (events.length > 0 || entries.length === 0) return events;
      this.#cursor = (entries[entries.length - 1] as EventRow).seq;
    }
  }

  async #eventsOf(entries: readonly EventRow[]): Promise<readonly SeenEvent[]> {
    const events: SeenEvent[] = [];
    const lastErased = entries.findLast(isErased);
    for (const entry of entries) {
      const state = ENDED.test(entry.payload) ? stateOf(entry) : undefined;
      const isEnd = state !== undefined && isTerminal(state);
      const json = streamResponseOf(entry);
      if (json !== undefined) events.push({ ...this.#event(entry.seq, json), isEnd });
      // What was erased cannot be sent; the Task as it stands takes its place, once.
      else if (entry === lastErased) events.push({ ...(await this.#current(entry.seq)), isEnd: false });
    }
    return events;
  }

  #event(seq: number, json: string): PushEvent {
    const { taskId, contextId } = this.row;
    return { taskId, contextId, seq, json, task: () => this.#host.task(this.row) };
  }

  async #current(seq: number): Promise<PushEvent> {
    return this.#event(seq, JSON.stringify({ task: await this.#host.task(this.row) }));
  }

  /** @returns false when the run is over with this entry */
  async #send(event: SeenEvent): Promise<boolean> {
    const { slots, settings, clock, options } = this.#host;
    if (slots.waitingFor(this.#place) >= settings.maxHeld * WAITING_SHARE) {
      const { random = Math.random } = options;
      await this.#giveBack({ due: clock.now() + Math.ceil(random() * settings.retryMs) });
      return false;
    }
    const outcome = await slots.use(this.#place, () => this.#sendInSlot(event));
    if (outcome === "over") return false;
    if (outcome !== undefined) {
      await ("putOff" in outcome ? this.#giveBack({ due: outcome.putOff }) : this.#fail(outcome));
      return false;
    }
    this.#cursor = event.seq;
    this.#isEnded = event.isEnd;
    this.#attempts = 0;
    this.#error = null;
    this.#dead = false;
    this.#keep().catch((error) => this.#host.log("warn", "push.unwritten", { ...this.#name, error }));
    return true;
  }

  async #sendInSlot(event: SeenEvent): Promise<"over" | { readonly putOff: number } | Failure | undefined> {
    const { settings, health, clock } = this.#host;
    if (this.#isOver) return "over";
    if (this.#remainingMs < settings.timeoutMs + MARGIN_MS && !(await this.#keep())) return "over";
    const name = this.#place.join(" ");
    const asOf = monotonic(clock);
    const putOff = health.putOff(name, asOf);
    if (putOff !== undefined) return { putOff: clock.now() + Math.ceil(putOff - asOf) };
    const request = await this.#requestOf(event);
    if (request === undefined || "error" in request) {
      health.unknown(name);
      return request;
    }
    const failure = await this.#post(request);
    if (failure?.isSilence !== true) health.answered(name);
    else if (this.#isOver) health.unknown(name);
    else health.silent(name, monotonic(clock));
    return failure;
  }

  /** Makes what is sent; undefined where nothing of an event is told, a failure where it cannot be made. */
  async #requestOf(event: PushEvent): Promise<PushRequest | Failure | undefined> {
    const { options, shapes, settings } = this.#host;
    try {
      this.#config ??= decodePushConfig(this.row.config, placeOf(this.row.taskId, this.row.id), options.seal);
      const config = await this.#config;
      const [version = "", ...extensions] = this.row.version.split(" ");
      const shape = shapes.get(version);
      if (shape === undefined) throw new Error(`nothing here speaks A2A ${version}`);
      const content = await shape(this.#told(event, extensions));
      if (content === undefined) return undefined;
      const headers = await pushHeaders(config, event, content, options.sign);
      return {
        url: config.url,
        headers,
        body: content.body,
        timeoutMs: settings.timeoutMs,
        signal: this.#abort.signal,
      };
    } catch (failed) {
      return { ...FAILURE, error: textOf(failed) };
    }
  }

  async #post(request: PushRequest): Promise<Failure | undefined> {
    let answer: PushAnswer;
    try {
      answer = await this.#host.options.deliver(request);
    } catch (failed) {
      return { ...FAILURE, error: textOf(failed), isSilence: true };
    }
    const { status } = answer;
    if (status >= 200 && status < 300) return undefined;
    const retryAfterMs = parseRetryAfter(answer.retryAfter, this.#host.clock.now());
    const redirect = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
    return { ...FAILURE, error: `answered ${status}${redirect}`, retryAfterMs, isFinal: status === 410 };
  }

  /** The event as extensions let it be told to who asked for them. */
  #told(event: PushEvent, extensions: readonly string[]): PushEvent {
    const { tell } = this.#host.options;
    if (tell === undefined || extensions.length === 0) return event;
    const json = tell(event.json, { agent: this.row.agent, extensions });
    return { taskId: event.taskId, contextId: event.contextId, seq: event.seq, json, task: () => event.task() };
  }

  async #fail({ error, retryAfterMs, isFinal }: Failure): Promise<void> {
    if (this.#isCancelled) return;
    if (this.#isStopping) return this.#giveBack({});
    const { settings, options, clock, log } = this.#host;
    this.#attempts += 1;
    this.#error = error.slice(0, LONGEST_ERROR);
    const wasDead = this.#dead;
    this.#dead = wasDead || isFinal || this.#attempts >= settings.maxAttempts;
    const { random = Math.random } = options;
    const delayMs = retryDelayMs(settings, this.#attempts, random, retryAfterMs);
    const due = this.#dead ? null : clock.now() + delayMs;
    const details = { ...this.#name, attempts: this.#attempts, error: this.#error, due };
    log("warn", this.#dead ? "push.dead" : "push.failed", details);
    await this.#giveBack({ due });
  }

  get #remainingMs(): number {
    return leaseLeft(this.#host.clock, this.#leaseAsked, this.#host.settings.leaseMs);
  }

  /** Writes the cursor and makes the lease longer; false when it is no longer ours. */
  async #keep(): Promise<boolean> {
    const asked = askLease(this.#host.clock);
    const leaseUntil = asked.wall + this.#host.settings.leaseMs;
    const { key, id, epoch } = this.row;
    const place = {
      key,
      id,
      epoch,
      cursor: this.#cursor,
      attempts: this.#attempts,
      dead: this.#dead,
      error: this.#error,
    };
    const isOurs = await this.#host.moves.write({ ...place, leaseUntil, due: null });
    if (isOurs) this.#leaseAsked = asked;
    else if (!this.#isOver) this.cancel();
    return isOurs;
  }

  async #giveBack({ due = null }: Partial<Pick<HookMove, "due">>): Promise<void> {
    if (this.#isCancelled || this.#isGivenBack) return;
    this.#isGivenBack = true;
    const { key, id, epoch } = this.row;
    const place = { key, id, epoch, cursor: this.#cursor, attempts: this.#attempts, dead: this.#dead };
    await this.#host.moves.write({ ...place, error: this.#error, leaseUntil: 0, due });
  }

  /** @returns false when nothing came */
  async #linger(): Promise<boolean> {
    if (this.#isPoked) return true;
    if (this.#isOver || !this.#host.isRoomy()) return false;
    const { clock, settings } = this.#host;
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = clock.setTimeout(resolve, settings.lingerMs);
    });
    timer?.cancel();
    this.#wake = undefined;
    return this.#isPoked && !this.#isOver;
  }
}

/** For an operator's terminal: certificates and servers have a say in some texts. */
function textOf(failed: unknown): string {
  const text = failed instanceof Error ? failed.message : String(failed);
  return text.replace(/\p{Cc}+/gu, " ");
}

/** Whose request it is, and where it goes. */
function slotPlaceOf(row: HookRow): SlotPlace {
  const url = urlOfStored(row.config);
  return [`${row.tenant} ${row.owner}`, URL.canParse(url) ? new URL(url).host : "", url];
}

function streamResponseOf({ kind, payload }: EventRow): string | undefined {
  if (payload === "") return undefined;
  if (kind === "created") return `{"task":${payload}}`;
  return kind === "status" || kind === "artifact" ? payload : undefined;
}

function isErased({ kind, payload }: EventRow): boolean {
  return payload === "" && (kind === "created" || kind === "status" || kind === "artifact");
}
