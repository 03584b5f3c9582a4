/** What an agent is made of: who it is, what it can do, and the handlers that do it. */
import type { Ending } from "../engine/turn.ts";
import type {
  AgentCard,
  AgentExtension,
  AgentProvider,
  AgentSkill,
  Message,
  SecurityRequirement,
  SecurityScheme,
} from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { Principal } from "../operations/call.ts";
import type { MessageHandle } from "./message-handle.ts";
import type { MessageReply, MessageTurn, StartedTask } from "./message-turn.ts";
import type { TaskContext } from "./task-context.ts";

/**
 * What `onTask` may give: nothing (COMPLETED), a text (COMPLETED with that text), an object (COMPLETED with the data
 * artifact `result`), or an ending of the task handle.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement gives void, and that is the usual one
export type TaskResult = void | undefined | string | object | Ending;

/** What `onMessage` may give: a text, a message of parts, another object as a data part, or the started task. */
export type MessageResult = string | MessageReply | StartedTask | object;

/** Which parts of the protocol the card declares. Each is checked against what is there before the agent starts. */
export interface DeclaredCapabilities {
  /** True by default. False: both streaming operations answer UNSUPPORTED_OPERATION. */
  readonly streaming?: boolean | undefined;
  /** Needs a host that delivers; without one the agent does not start. */
  readonly pushNotifications?: boolean | undefined;
  /** Follows from `extendedCard`; said here it must agree. */
  readonly extendedAgentCard?: boolean | undefined;
}

/** The options of {@link ./agent.ts createAgent}. */
export interface AgentOptions {
  /** Also the key of the agent's tasks in the store: another name does not see them. */
  readonly name: string;
  readonly description: string;
  /** Version of the agent; recorded with every turn, so that old runs are not replayed by code that does not fit. */
  readonly version: string;
  /** Public base URL, absolute; what the card names. Needed behind a proxy; else the address that was called is named. */
  readonly url?: string | undefined;
  /** What the agent can be asked to do; without any the card shows one, made of name and description. */
  readonly skills?: readonly AgentSkill[] | undefined;
  readonly provider?: AgentProvider | undefined;
  readonly documentationUrl?: string | undefined;
  readonly iconUrl?: string | undefined;
  /** Media types read and written by all skills that do not say otherwise; text and JSON by default. */
  readonly modes?: { readonly input?: readonly string[] | undefined; readonly output?: readonly string[] | undefined };
  readonly capabilities?: DeclaredCapabilities | undefined;
  /**
   * Extensions that the agent knows: plug-ins of `defineExtension`, or what the card says of one that the handlers look
   * after themselves. One with `required` refuses callers that do not ask for it.
   */
  readonly extensions?: readonly AgentExtension[] | undefined;
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  readonly securityRequirements?: readonly SecurityRequirement[] | undefined;

  /**
   * Works on a task: one call at a time per task, again from the top after a crash (see {@link TaskContext}). The Task
   * is stored before the call. What it throws makes the task FAILED, with a text that reveals nothing.
   */
  readonly onTask?: ((task: TaskContext, message: MessageHandle) => Promise<TaskResult> | TaskResult) | undefined;
  /**
   * Answers a message without a task. Together with `onTask` (a hybrid) it may call `turn.startTask()` instead.
   * An A2AError that it throws is answered as that error.
   */
  readonly onMessage?:
    | ((message: MessageHandle, turn: MessageTurn) => Promise<MessageResult> | MessageResult)
    | undefined;
  /**
   * Decides on a cancel while a turn runs; without it a task is canceled at once. The wait for it is bounded
   * (`cancelWaitMs`), after that the task is CANCELED.
   */
  readonly onCancel?:
    | ((
        task: { readonly id: string },
        metadata: JsonObject | undefined,
      ) => Promise<"cancel" | "refuse"> | "cancel" | "refuse")
    | undefined;

  /**
   * Whether a repeated message is told by its id and content. True by default; "strict" refuses another message under
   * a used id; false runs every request; a function decides per message.
   */
  readonly dedupe?: boolean | "strict" | ((message: Message) => boolean) | undefined;
  /** A message to a WORKING task waits for its turn (default) or is refused. */
  readonly whileWorking?: "queue" | "reject" | undefined;
  /** What becomes of a turn whose process died: replayed against its journal (default), FAILED, or begun anew. */
  readonly recovery?: "replay" | "fail" | "restart" | undefined;
  /** When a task is FAILED for taking too long, in ms; 0 or absent is never. Shared by all agents of a host. */
  readonly deadlines?: {
    /** Without any sign of progress; not while the task waits for its caller. */
    readonly inactivityMs?: number | undefined;
    /** From its creation. */
    readonly totalMs?: number | undefined;
  };
  /**
   * A fuller card for an authenticated caller; undefined when there is none for this one. Whoever gets it may use the
   * skills that it alone has: it is also asked for when a message names one, or is of a type that only they read.
   *
   * @param principal who asks; never anonymous
   * @param card the public card, to build upon
   */
  readonly extendedCard?:
    | ((principal: Principal, card: AgentCard) => Promise<AgentCard | undefined> | AgentCard | undefined)
    | undefined;
}
