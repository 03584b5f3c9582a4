/**
 * What travels beside a request on every binding: the service parameters (§3.2.6), who calls, and when to give up.
 */

/** Who calls. The owner scopes everything that is stored; `""` where there is no authentication. */
export interface Principal {
  /** Stable key of the caller: part of every store key. */
  readonly owner: string;
  /** The authentication scheme by its name in the card; undefined where there is none. */
  readonly scheme?: string | undefined;
  /** Scopes granted, where the scheme knows them. */
  readonly scopes?: readonly string[] | undefined;
  /** Whatever the verifier learned: claims of a token. Never logged. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** The caller of an agent without authentication. */
export const ANONYMOUS: Principal = { owner: "" };

/** One call of an operation, as its binding received it or its client sends it. */
export interface Call {
  /** Protocol version as `Major.Minor`; "1.0" unless compatibility is on. */
  readonly version: string;
  /** Exact extension URIs that the caller asked for, without duplicates, in order. */
  readonly extensions: readonly string[];
  /** Who calls. */
  readonly principal: Principal;
  /** Aborts when the caller went away (server) or gives up (client). It never touches the execution of a task. */
  readonly signal?: AbortSignal | undefined;
  /** The `Last-Event-ID` of a resumed stream: the seq after which to go on. */
  readonly lastEventId?: number | undefined;
  /** Further headers or metadata, lower-case names: what interceptors read or add. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The extensions that are active for this call (§4.6). Set by the service and echoed by the binding; on a client set
   * by what the agent echoed, when its answer or the head of its stream is there.
   */
  activeExtensions?: readonly string[] | undefined;
  /**
   * Until when a blocking call may wait, in ms of `performance.now()`. Set by a service whose operator bounds that, for
   * those who wait on after its answer.
   */
  waitsUntil?: number | undefined;
}

/** A call with nothing special: version 1.0, no extensions, nobody in particular. */
export function plainCall(overrides: Partial<Call> = {}): Call {
  return { version: "1.0", extensions: [], principal: ANONYMOUS, ...overrides };
}
