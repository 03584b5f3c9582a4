/** What every server of a run does, so that all three do the same work. */

/** The one agent that a server is. */
export type Behaviour =
  /** Answers a message with a message of the same length. */
  | "echo"
  /** A task: submitted, working, one artifact, completed. */
  | "task"
  /** A task whose artifact comes in chunks; the message is a {@link StreamPlan}. */
  | "stream"
  /** A task that asks for more after every message. */
  | "conversation"
  /** A task that records as many steps as the message says, asks, and completes. */
  | "journal"
  /** `stream` for a plan, `task` for every other message. */
  | "mixed"
  /** A task whose step ends only where the server was told to `finish`: elsewhere it is at work until it is killed. */
  | "unfinished";

/** How a stream runs; it is the text of the message that begins it. */
export interface StreamPlan {
  readonly chunks: number;
  /** Chunks in one turn of the loop; 0 sends all of them in one. */
  readonly perTurn: number;
  /** Characters of a chunk. */
  readonly chars: number;
  /** True: the chunks wait until the server is told to go. */
  readonly gated: boolean;
  /** Pause before every chunk in ms. */
  readonly everyMs?: number | undefined;
}

/** What a server is started with: its first argument, as JSON. */
export interface ServerSetup {
  readonly behaviour: Behaviour;
  /** `memory:`, `sqlite:` and a path, or `postgres://…`. */
  readonly store: string;
  /** True: it may call webhooks on this machine. */
  readonly push?: boolean | undefined;
  /** How long a lease is, in ms. */
  readonly leaseMs?: number | undefined;
}

/** What an agent says. */
export const ANSWER =
  "The road from Perth to Albany is about 420 km long, four and a half hours without a stop, or three fine days.";

/** The text of one chunk. */
export function chunkText(plan: StreamPlan, index: number): string {
  return `${String(index).padStart(6, "0")} `.padEnd(plan.chars, "lorem ipsum dolor ");
}

/** Ends the turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
