/** Receives the webhooks of an agent: a port, for the runner itself opens no socket. */

/** One notification. */
export interface ReceivedWebhook {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A receiver whose URLs the agent can reach. */
export interface WebhookReceiver {
  /** A new URL, and what arrives there in order. */
  open(): Promise<{
    readonly url: string;
    /** The next notification; undefined when none came within the time. */
    next(timeoutMs: number): Promise<ReceivedWebhook | undefined>;
    close(): Promise<void>;
  }>;
}
