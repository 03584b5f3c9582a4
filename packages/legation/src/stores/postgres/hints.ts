import type { PgClient } from "./driver.ts";

/** At most one notification in this time: each takes a lock that all commits of the server share. */
const COALESCE_MS = 10;
/** What nobody waits for is told with what comes next, or after so long. */
const LAZY_MS = 500;
/** What PostgreSQL takes in one notification is 8,000 bytes; beyond it the hint says "something". */
const MAX_PAYLOAD = 7_000;
const MAX_IDS = 200;
/** The longest pause between two attempts to connect. */
const MAX_PAUSE_MS = 5_000;

/** How the connection for hints is made and used. */
export interface HintsSettings {
  /** Gives a connection of its own that is not behind a transaction pooler. */
  readonly connect: () => Promise<PgClient>;
  readonly channel: string;
  /** How often a watcher is told "something" although nothing was heard. */
  readonly pollMs: number;
  /** True when anything was written since it was last asked; so that a quiet database is not read again and again. */
  readonly moved: () => Promise<boolean>;
}

/**
 * Tells other processes which tasks were touched, and hears it from them.
 *
 * States: connecting (entered by `start` and when the connection ends; a timer tries again after a growing pause) →
 * listening. Hints that come up while nobody listens are dropped: every watcher is told "something" after connecting and
 * at every slow poll, and the tables are the truth.
 */
export class Hints {
  readonly #settings: HintsSettings;
  readonly #watchers = new Set<(taskIds: readonly string[] | undefined) => void>();
  readonly #touched = new Set<string>();
  /** More was touched than {@link #touched} holds. */
  #more = false;
  #client: PgClient | undefined;
  #sentAt = 0;
  #send: NodeJS.Timeout | undefined;
  #isSendLazy = false;
  #retry: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param settings the connection and the times. */
  constructor(settings: HintsSettings) {
    this.#settings = settings;
  }

  /** True while notifications of others are heard. */
  get listening(): boolean {
    return this.#client !== undefined;
  }

  /** Begins to listen. Does not wait for the connection: without it hints are slow, not wrong. */
  start(): void {
    void this.#connect(50);
  }

  /** Notes that a commit of this process touched a task; others hear of it within some ms. @param isLazy nobody waits for it */
  touch(taskId: string, isLazy: boolean = false): void {
    if (this.#client !== undefined && this.#touched.size < MAX_IDS) this.#touched.add(taskId);
    else this.#more = true;
    if (this.#client === undefined || (this.#send !== undefined && (isLazy || !this.#isSendLazy))) return;
    clearTimeout(this.#send);
    this.#isSendLazy = isLazy;
    const waitMs = isLazy ? LAZY_MS : Math.max(0, this.#sentAt + COALESCE_MS - performance.now());
    this.#send = setTimeout(() => this.#notify(), waitMs).unref();
  }

  /** Calls back for commits of others until it is disposed. */
  watch(hint: (taskIds: readonly string[] | undefined) => void): Disposable {
    this.#watchers.add(hint);
    if (this.#watchers.size === 1) {
      this.#poll = setInterval(() => void this.#slowPoll(), this.#settings.pollMs).unref();
    }
    return {
      [Symbol.dispose]: () => {
        if (this.#watchers.delete(hint) && this.#watchers.size === 0) clearInterval(this.#poll);
      },
    };
  }

  /** Ends the connection and all timers. */
  close(): void {
    this.#closed = true;
    for (const timer of [this.#send, this.#retry, this.#poll]) clearTimeout(timer);
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #connect(pauseMs: number): Promise<void> {
    let client: PgClient | undefined;
    try {
      client = await this.#settings.connect();
      await this.#listen(client);
    } catch {
      client?.release(true);
      this.#reconnect(pauseMs);
      return;
    }
    // Closing does not wait for this.
    if (this.#closed) client.release(true);
    else this.#listens(client);
  }

  async #listen(client: PgClient): Promise<void> {
    client.on("error", () => this.#lost(client));
    client.on("end", () => this.#lost(client));
    client.on("notification", (message: Notification) => this.#hear(client, message));
    // A hint that is lost is made good by the slow poll: it need not wait for the disk.
    await client.query({ text: "SET synchronous_commit TO off" });
    await client.query({ text: `LISTEN "${this.#settings.channel}"` });
  }

  #listens(client: PgClient): void {
    this.#client = client;
    // What happened while nobody listened.
    this.#tell(undefined);
    if (this.#more) this.#notify();
  }

  #reconnect(pauseMs: number): void {
    if (this.#closed) return;
    const next = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    this.#retry = setTimeout(() => void this.#connect(next), pauseMs * (0.5 + Math.random())).unref();
  }

  #lost(client: PgClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(true);
    this.#reconnect(50);
  }

  #notify(): void {
    this.#send = undefined;
    const client = this.#client;
    if (client === undefined) return;
    const ids = this.#more ? "" : [...this.#touched].join(" ");
    this.#touched.clear();
    this.#more = false;
    this.#sentAt = performance.now();
    const values = [this.#settings.channel, ids.length > MAX_PAYLOAD ? "" : ids];
    client.query({ text: "SELECT pg_notify($1, $2)", values }).catch(() => this.#lost(client));
  }

  #hear(client: PgClient, { processId, payload }: Notification): void {
    // The server sends a notification to its sender too.
    if (processId === (client as { readonly processID?: number }).processID) return;
    this.#tell(payload === undefined || payload === "" ? undefined : payload.split(" "));
  }

  async #slowPoll(): Promise<void> {
    // When it cannot be asked, something may have happened.
    if (await this.#settings.moved().catch(() => true)) this.#tell(undefined);
  }

  #tell(taskIds: readonly string[] | undefined): void {
    for (const hint of this.#watchers) hint(taskIds);
  }
}

interface Notification {
  readonly processId: number;
  readonly payload?: string | undefined;
}
