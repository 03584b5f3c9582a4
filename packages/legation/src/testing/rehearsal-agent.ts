/**
 * The rehearsal agent: it does what the message says, for people and programs that test clients.
 *
 * - A data part `{"rehearse":[…]}` is carried out in order; see {@link ./rehearsal-script.ts Step} for the steps.
 * - A message whose id begins like one of the public compatibility kit gets what the kit expects.
 * - Any other message is echoed: WORKING, an artifact `echo.txt`, COMPLETED.
 *
 * A message that answers a question may bring a new script; otherwise the old one goes on.
 */
import type { JsonValue } from "../model/json.ts";
import { plainCall } from "../operations/call.ts";
import { A2AError } from "../operations/errors.ts";
import type { Service } from "../operations/service.ts";
import { type Agent, createAgent } from "../server/agent.ts";
import type { AgentOptions, TaskResult } from "../server/agent-options.ts";
import type { MessageHandle } from "../server/message-handle.ts";
import type { ArtifactContent, TaskContext } from "../server/task-context.ts";
import { createEffects, type Effects } from "./rehearsal-effects.ts";
import { kitScript } from "./rehearsal-kit.ts";
import { chunkText, isReplyScript, type ParsedScript, parseScript, type Step } from "./rehearsal-script.ts";

/** The extension by which a client can tell that an agent takes scripts. */
export const REHEARSAL_EXTENSION = "urn:legation:extension:rehearsal:v1";

/** What the agent is made of. */
export interface RehearsalOptions {
  /** Default "1.0.0". */
  readonly version?: string | undefined;
  /** Public base URL; that of the caller's request when absent. */
  readonly url?: string | undefined;
  /** File that counts the effects of `step`; absent: they are counted in memory. */
  readonly effectsFile?: string | undefined;
  /** False: a card without streaming. Default true. */
  readonly streaming?: boolean | undefined;
  /** URIs of extensions without which callers are refused. */
  readonly requiredExtensions?: readonly string[] | undefined;
}

/** The agent, and what ties it to its host. */
export interface RehearsalAgent {
  readonly agent: Agent;
  /** Gives the operations of the agent once it is mounted: `{"end":"CANCELED"}` cancels its own task through them. */
  attach(service: Service): void;
}

/** Makes the rehearsal agent. Inert until it is served. */
export function createRehearsalAgent(options: RehearsalOptions = {}): RehearsalAgent {
  let service: Service | undefined;
  const effects = createEffects(options.effectsFile);
  /** Tasks that run here and refuse to be canceled; a run that goes on elsewhere comes by its step again. */
  const refusing = new Set<string>();
  const cancelSelf = async (task: TaskContext): Promise<void> => {
    if (service === undefined) throw new Error("no service is attached to cancel through");
    // Its own cancel is a call like any other: it must ask for the extensions that the agent requires.
    const extensions = options.requiredExtensions ?? [];
    const tenant = task.tenant === "" ? {} : { tenant: task.tenant };
    await service.cancelTask({ id: task.id, ...tenant }, plainCall({ principal: task.principal, extensions }));
  };
  const agent = createAgent({
    ...describe(options),
    dedupe: (message) => kitScript(message.messageId) === undefined,
    onMessage: async (message, turn) => {
      const script = scriptOf(message);
      if (script?.ok !== true || !isReplyScript(script.steps)) return turn.startTask();
      for (const step of script.steps) {
        if (step.do === "wait") await pause(step.ms, turn.signal);
        if (step.do === "reply") return step.text;
      }
      throw new A2AError("INTERNAL", "a reply script without a reply");
    },
    onTask: async (task, message) => {
      try {
        return await new Rehearsal(task, effects, refusing, cancelSelf).run(message);
      } finally {
        refusing.delete(task.id);
      }
    },
    onCancel: ({ id }) => (refusing.has(id) ? "refuse" : "cancel"),
  });
  return {
    agent,
    attach(attached) {
      service = attached;
    },
  };
}

function describe(options: RehearsalOptions): Omit<AgentOptions, "onTask" | "onMessage"> {
  const required = (options.requiredExtensions ?? []).map((uri) => ({ uri, required: true }));
  return {
    name: "Rehearsal",
    description:
      'Does what the message says: echoes a text, or carries out the script of a data part {"rehearse":[…]}.',
    version: options.version ?? "1.0.0",
    url: options.url,
    capabilities: { streaming: options.streaming ?? true },
    modes: { input: ["text/plain", "application/json", "*/*"], output: ["text/plain", "application/json", "*/*"] },
    extensions: [
      {
        uri: REHEARSAL_EXTENSION,
        description: 'Scripts in a data part: {"rehearse":[{"state":"WORKING"},{"end":"COMPLETED"}]}',
      },
      ...required,
    ],
    skills: [
      {
        id: "echo",
        name: "Echo",
        description: "Gives the text back as the artifact echo.txt.",
        tags: ["test"],
        examples: ["hello"],
      },
      {
        id: "rehearse",
        name: "Rehearse",
        description: "Carries out a script: states, artifacts, streams, questions, waits, failures.",
        tags: ["test", "script"],
        examples: [
          '{"rehearse":[{"ask":"which one?"},{"artifact":{"name":"a.txt","text":"that one"}},{"end":"COMPLETED"}]}',
        ],
      },
    ],
  };
}

/** The script of a message: its own, or that of the compatibility kit; undefined where it has none. */
function scriptOf(message: MessageHandle): ParsedScript | undefined {
  for (const part of message.raw.parts) {
    const parsed = parseScript(part.data);
    if (parsed !== undefined) return parsed;
  }
  const steps = kitScript(message.id);
  return steps === undefined ? undefined : { ok: true, steps };
}

/** One run of `onTask`. */
class Rehearsal {
  readonly #task: TaskContext;
  readonly #effects: Effects;
  readonly #refusing: Set<string>;
  readonly #cancelSelf: (task: TaskContext) => Promise<void>;
  #isDeaf = false;
  #hasSteps = false;
  #queue: Step[] = [];

  constructor(
    task: TaskContext,
    effects: Effects,
    refusing: Set<string>,
    cancelSelf: (task: TaskContext) => Promise<void>,
  ) {
    this.#task = task;
    this.#effects = effects;
    this.#refusing = refusing;
    this.#cancelSelf = cancelSelf;
  }

  async run(message: MessageHandle): Promise<TaskResult> {
    const script = scriptOf(message);
    if (script === undefined) {
      await this.#task.artifact("echo.txt", { text: echoOf(message), mediaType: "text/plain", lastChunk: true });
      return undefined;
    }
    if (!script.ok) return this.#task.reject(script.why);
    this.#queue = [...script.steps];
    for (let step = this.#queue.shift(); step !== undefined; step = this.#queue.shift()) {
      if (step.do === "end") return this.#end(step);
      if (step.do === "ask") {
        const why = await this.#ask(step.text);
        if (why !== undefined) return this.#task.reject(why);
      } else await this.#carryOut(step);
    }
    await this.#reportSteps();
    return undefined;
  }

  /** Resolves with what is wrong with the script of the answer, if it brought one that is malformed. */
  async #ask(question: string): Promise<string | undefined> {
    const script = scriptOf(await this.#task.ask(question));
    if (script?.ok === false) return script.why;
    if (script !== undefined) this.#queue = [...script.steps];
    return undefined;
  }

  async #carryOut(step: Step): Promise<void> {
    const task = this.#task;
    switch (step.do) {
      case "working":
        return this.#emit(() => task.working(step.text ?? { parts: [{ text: "working" }] }));
      case "artifact": {
        const { name, content, mediaType, filename, append, lastChunk } = step.artifact;
        const rest = { mediaType, filename, append: append || undefined, lastChunk: lastChunk || undefined };
        return this.#emit(() => task.artifact(name, { ...content, ...rest } as ArtifactContent));
      }
      case "stream":
        return this.#stream(step);
      case "wait":
        return task.sleep(step.ms);
      case "requestAuth":
        await task.requestAuth(step.text);
        return;
      case "step":
        this.#hasSteps = true;
        await task.step(step.name, ({ key, attempt }) => {
          this.#effects.record({ key, task: task.id, name: step.name, attempt });
        });
        return;
      case "throw":
        throw new Error(step.text);
      case "refuseCancel":
        this.#refusing.add(task.id);
        return;
      case "ignoreAbort":
        this.#isDeaf = true;
        return;
      default:
        throw new A2AError("INVALID_PARAMS", `"${step.do}" has no place in the script of a task that runs`);
    }
  }

  /** Emissions of a task that was canceled are refused; a handler that ignores the abort ignores that too. */
  async #emit(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      if (!this.#isDeaf) throw thrown;
    }
  }

  async #stream(step: Extract<Step, { do: "stream" }>): Promise<void> {
    const { name, chunks, bytes, everyMs } = step;
    // The time of the first chunk is recorded: a run that begins again after a crash is late, and does not wait anew
    // for what is written already.
    const startedAt = everyMs > 0 ? await this.#task.now() : 0;
    for (let index = 0; index < chunks; index++) {
      if (everyMs > 0) {
        // Never longer than that: the clock may have been set back since.
        const wait = Math.min(everyMs, startedAt + index * everyMs - Date.now());
        await pause(wait, this.#isDeaf ? undefined : this.#task.signal);
      }
      const lastChunk = index === chunks - 1 || undefined;
      const append = index > 0 || undefined;
      await this.#emit(() => this.#task.artifact(name, { text: chunkText(index, bytes), append, lastChunk }));
    }
  }

  async #end({ state, text }: Extract<Step, { do: "end" }>): Promise<TaskResult> {
    await this.#reportSteps();
    const task = this.#task;
    switch (state) {
      case "COMPLETED":
        return task.complete(text);
      case "REJECTED":
        return task.reject(text ?? "rejected on request");
      case "FAILED":
        return task.fail(text ?? "failed on request");
      default:
        if (text !== undefined) await task.working(text);
        this.#refusing.delete(task.id);
        await this.#cancelSelf(task);
        return undefined;
    }
  }

  async #reportSteps(): Promise<void> {
    if (!this.#hasSteps) return;
    const data: JsonValue = this.#effects.counts(this.#task.id);
    await this.#emit(() => this.#task.artifact("steps.json", { data, mediaType: "application/json", lastChunk: true }));
  }
}

function echoOf(message: MessageHandle): string {
  if (message.text !== "") return message.text;
  if (message.data !== undefined) return JSON.stringify(message.data);
  return message.files.map((file) => file.name ?? file.url ?? "file").join("\n");
}

/** Waits, and throws the reason of the signal when it aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
