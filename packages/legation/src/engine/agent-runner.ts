import type { JsonObject } from "../model/json.ts";
import type { Ending, Incoming, Turn } from "./turn.ts";

/** An agent, as the engine runs it. */
export interface AgentRunner {
  /** Key of the agent in the store. */
  readonly name: string;
  /** Recorded with every turn. */
  readonly version: string;
  /** What happens to a turn that was cut off: run again against its journal (default), FAILED, or begun afresh. */
  readonly recovery?: "replay" | "fail" | "restart" | undefined;
  /** One turn. Returning nothing means: the next message, or COMPLETED. */
  run(turn: Turn, incoming: Incoming): Promise<Ending | undefined>;
  /** Asked before a running turn is canceled; without it a cancel takes effect at once. */
  readonly onCancel?:
    | ((
        task: { readonly taskId: string },
        metadata: JsonObject | undefined,
      ) => Promise<"cancel" | "refuse"> | "cancel" | "refuse")
    | undefined;
}
