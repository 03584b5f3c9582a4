/**
 * What the engine writes into a log beside the events that subscribers see, and the run state that stands in the row.
 * All of it is JSON in the store: a field may be added, never renamed.
 */
import type { Message } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";

/** Payload of `message`. */
export interface MessageEntry {
  readonly message: Message;
  /** What the server keeps beside it: principal, output modes, extensions, request metadata. */
  readonly meta: JsonObject;
}

/** Payload of `turn`. */
export interface TurnStarted {
  readonly turn: number;
  /** Seq of the message that it takes. */
  readonly message: number;
  readonly agentVersion: string;
}

/** The kinds of decision. */
export type DecisionKind =
  | "step"
  | "ask"
  | "auth"
  | "sleep"
  | "now"
  | "random"
  | "receive"
  | "patched"
  | "write"
  | "defer";

/** Identifies a decision within its turn. */
export interface DecisionIdentity {
  readonly kind: DecisionKind;
  readonly name: string;
  /** 0 for the first decision of that name in the turn. */
  readonly occurrence: number;
  /** The how-many-eth decision of its branch it was when it was asked for; code that changed is found out by it. */
  readonly ordinal: number;
  /** The branch of the turn that asked for it; absent outside of one. Each has an order of its own. */
  readonly branch?: string | undefined;
}

/** Payload of `decision`. */
export interface Decision extends DecisionIdentity {
  /** The result; absent for undefined. */
  readonly value?: JsonValue;
  /** What a failed step threw. */
  readonly error?: { readonly message: string; readonly name: string; readonly code?: string };
  /** Seq of the message that it took. */
  readonly message?: number;
}

/** Payload of `opened`: a `once` step that began, or something that is waited for. */
export interface Opened extends DecisionIdentity {
  /** End of a sleep, wall time in ms. */
  readonly until?: number;
}

/** What a parked turn waits for. */
export interface Wait {
  readonly kind: "ask" | "auth" | "sleep" | "receive" | "defer";
  /** Seq of its `opened` entry: an ask takes only messages after it. Of a worker that asks: seq of its question. */
  readonly seq: number;
  /** End of a sleep; of a worker: by when it has to report. Wall time in ms. */
  readonly until?: number | undefined;
  /** Of a request for authorisation: hash of what is asked for; a grant is bound to it. */
  readonly token?: string;
  /** True once {@link ./engine.ts Engine.authorize} was called. */
  readonly approved?: boolean;
  /** Of a worker: true once the turn is out of the hands of its handler. */
  readonly handed?: boolean | undefined;
  /** Of a worker: true while it waits for an answer of the caller. */
  readonly asking?: boolean | undefined;
  /** Of a worker: true when it has not reported in time, until the next token is issued. */
  readonly lapsed?: boolean | undefined;
}

/** The token of a deferred turn, as the row has it. */
export interface Deferral {
  /** Of the run that issued it. */
  readonly epoch: number;
  /** SHA-256 of the token, lower-case hex. */
  readonly hash: string;
  readonly heartbeatMs: number;
  /** How many tokens may be issued in this turn. */
  readonly attempts: number;
  /** How many were. */
  readonly issues: number;
  /** Seq of its `opened` entry. */
  readonly seq: number;
}

/** Column `run` of a task: what is needed to go on without reading the log from its start. Never changed in place. */
export interface RunState {
  /** Number of the last turn that began; 0 before the first. */
  readonly turn: number;
  /** Seq of its `turn` entry. */
  readonly turnSeq: number;
  /** Seq of the message that it took. */
  readonly message: number;
  /** True until that turn has ended. */
  readonly open: boolean;
  /** Seqs of the messages that nobody took, oldest first. */
  readonly mailbox: readonly number[];
  /** Seq of the last status. */
  readonly statusSeq: number;
  /** Messages that came after the last status: its message belongs before them in the history. */
  readonly since: number;
  readonly wait: Wait | null;
  /** Seq of a cancel request that is not answered; 0 when there is none. */
  readonly cancel: number;
  /** The last token that was issued. It stays when the turn or the task is over. */
  readonly deferral?: Deferral | undefined;
  /** True when a person let the turn begin afresh: whoever claims it next does not use what it has recorded. */
  readonly afresh?: boolean | undefined;
  /** While the run is held because code did not fit its journal: the versions that tried. */
  readonly heldBy?: readonly string[] | undefined;
}

/** The run of a task that was just created. */
export const NEW_RUN: RunState = {
  turn: 0,
  turnSeq: 0,
  message: 0,
  open: false,
  mailbox: [],
  statusSeq: 1,
  since: 0,
  wait: null,
  cancel: 0,
};
