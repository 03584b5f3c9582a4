/** The traceability extension: which tools and agents an agent called to make its answer. */
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { type ActivatedTurn, defineExtension, type Extension } from "../operations/extension.ts";

/** Its URI, as the samples of the A2A project have it. */
export const TRACEABILITY_EXTENSION = "https://github.com/a2aproject/a2a-samples/samples/extensions/traceability/v1";

/** One call of a tool or an agent, in the names of the extension. */
export interface TraceStep {
  readonly step_id: string;
  readonly trace_id: string;
  /** Of a step that was made within another one. */
  readonly parent_step_id?: string | undefined;
  readonly call_type: "AGENT" | "TOOL";
  readonly step_action: {
    readonly tool_invocation?: { readonly tool_name: string; readonly parameters?: JsonObject | undefined } | undefined;
    readonly agent_invocation?:
      | {
          readonly agent_url: string;
          readonly agent_name: string;
          readonly requests?: JsonObject | undefined;
          /** What the called agent tells of its own steps. */
          readonly response_trace?: ResponseTrace | undefined;
        }
      | undefined;
  };
  readonly cost?: number | undefined;
  readonly total_tokens?: number | undefined;
  readonly additional_attributes?: Readonly<Record<string, string>> | undefined;
  /** In ms. */
  readonly latency: number;
  /** Times in UTC. */
  readonly start_time: string;
  readonly end_time: string;
}

/** What metadata hold: the steps so far. */
export interface ResponseTrace {
  readonly trace_id: string;
  readonly steps: readonly TraceStep[];
}

/** What is known of a step beside its times. */
export interface StepFacts {
  readonly parentStepId?: string | undefined;
  readonly cost?: number | undefined;
  readonly totalTokens?: number | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** Records the steps of one turn. Where the caller did not ask for a trace it records nothing and costs nothing. */
export interface Trace {
  readonly steps: readonly TraceStep[];
  /** Calls a tool, and records it, also when it throws. */
  tool<T>(
    call: { readonly name: string; readonly parameters?: JsonObject | undefined } & StepFacts,
    run: () => Promise<T> | T,
  ): Promise<T>;
  /** Calls an agent, and records it; `traceOf` finds the trace that the called agent gave, in what came back. */
  agent<T>(
    call: {
      readonly url: string;
      readonly name: string;
      readonly requests?: JsonObject | undefined;
      readonly traceOf?: ((answer: T) => ResponseTrace | undefined) | undefined;
    } & StepFacts,
    run: () => Promise<T> | T,
  ): Promise<T>;
}

/** The extension, and the trace of each turn. */
export interface Traceability extends Extension<ResponseTrace> {
  /** The trace of a turn: `task` of onTask, or `turn` of onMessage. */
  trace(turn: ActivatedTurn): Trace;
}

/**
 * Makes the extension. The steps that a handler records are in the metadata of every message and artifact that the
 * agent makes afterwards in this turn, for callers that asked for it.
 *
 * Steps are kept in memory: a turn that goes on after a crash tells of what it does then, and of what it did before
 * only in what it said before. Parameters of tools go to the caller: leave out what is secret.
 *
 * @param options `now` tells the time in ms, default that of the system; `newId` makes ids of traces, default UUIDs
 */
export function traceability(
  options: { readonly now?: (() => number) | undefined; readonly newId?: (() => string) | undefined } = {},
): Traceability {
  const { now = Date.now, newId = () => crypto.randomUUID() } = options;
  const traces = new WeakMap<ActivatedTurn, RecordedTrace>();
  const trace = (turn: ActivatedTurn): RecordedTrace => {
    let found = traces.get(turn);
    if (found === undefined) {
      found = new RecordedTrace(newId(), now, turn.extensions.includes(TRACEABILITY_EXTENSION));
      traces.set(turn, found);
    }
    return found;
  };
  const extension = defineExtension<ResponseTrace>({
    uri: TRACEABILITY_EXTENSION,
    description: "Messages and artifacts carry the calls of tools and agents that led to them.",
    check: whyNotTrace,
    activate(turn) {
      const tell = (): ResponseTrace | undefined => trace(turn).told;
      return { onMessage: tell, onArtifact: tell };
    },
  });
  return Object.freeze({ ...extension, trace });
}

function whyNotTrace(value: JsonValue): string | undefined {
  const isTrace = isJsonObject(value) && typeof value["trace_id"] === "string" && Array.isArray(value["steps"]);
  return isTrace ? undefined : 'must be {"trace_id":"…","steps":[…]}';
}

class RecordedTrace implements Trace {
  readonly steps: TraceStep[] = [];
  readonly #id: string;
  readonly #now: () => number;
  readonly #isOn: boolean;
  #count = 0;

  constructor(id: string, now: () => number, isOn: boolean) {
    this.#id = id;
    this.#now = now;
    this.#isOn = isOn;
  }

  get told(): ResponseTrace | undefined {
    return this.steps.length === 0 ? undefined : { trace_id: this.#id, steps: [...this.steps] };
  }

  tool<T>(call: Parameters<Trace["tool"]>[0], run: () => Promise<T> | T): Promise<T> {
    const { name, parameters } = call;
    const invocation = { tool_name: name, ...(parameters === undefined ? {} : { parameters }) };
    return this.#record("TOOL", call, run, () => ({ tool_invocation: invocation }));
  }

  agent<T>(
    call: {
      readonly url: string;
      readonly name: string;
      readonly requests?: JsonObject | undefined;
      readonly traceOf?: ((answer: T) => ResponseTrace | undefined) | undefined;
    } & StepFacts,
    run: () => Promise<T> | T,
  ): Promise<T> {
    const { url, name, requests, traceOf } = call;
    const invocation = { agent_url: url, agent_name: name, ...(requests === undefined ? {} : { requests }) };
    return this.#record("AGENT", call, run, (answer) => {
      const inner = answer === undefined ? undefined : traceOf?.(answer);
      return { agent_invocation: { ...invocation, ...(inner === undefined ? {} : { response_trace: inner }) } };
    });
  }

  async #record<T>(
    callType: TraceStep["call_type"],
    facts: StepFacts,
    run: () => Promise<T> | T,
    action: (answer: T | undefined) => TraceStep["step_action"],
  ): Promise<T> {
    if (!this.#isOn) return run();
    this.#count += 1;
    const id = String(this.#count);
    const startedAt = this.#now();
    let answer: T | undefined;
    try {
      answer = await run();
      return answer;
    } finally {
      const endedAt = this.#now();
      const { parentStepId, cost, totalTokens, attributes } = facts;
      this.steps.push({
        step_id: id,
        trace_id: this.#id,
        ...(parentStepId === undefined ? {} : { parent_step_id: parentStepId }),
        call_type: callType,
        step_action: action(answer),
        ...(cost === undefined ? {} : { cost }),
        ...(totalTokens === undefined ? {} : { total_tokens: totalTokens }),
        ...(attributes === undefined ? {} : { additional_attributes: attributes }),
        latency: endedAt - startedAt,
        start_time: new Date(startedAt).toISOString(),
        end_time: new Date(endedAt).toISOString(),
      });
    }
  }
}
