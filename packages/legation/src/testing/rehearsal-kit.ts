/**
 * What the public compatibility kit of the protocol expects of an agent for the ids of its messages, as scripts.
 */
import type { ScriptedArtifact, Step } from "./rehearsal-script.ts";

const COMPLETED: Step = { do: "end", state: "COMPLETED", text: undefined };
const WORKING: Step = { do: "working", text: "working" };

function artifact(name: string, content: ScriptedArtifact["content"], rest: Partial<ScriptedArtifact> = {}): Step {
  return {
    do: "artifact",
    artifact: { name, content, mediaType: undefined, filename: undefined, append: false, lastChunk: false, ...rest },
  };
}

const TEXT = artifact("output", { text: "Generated text content" });
/** The three bytes `tck`. */
const FILE = artifact("output.txt", { raw: "dGNr" }, { filename: "output.txt", mediaType: "text/plain" });

function streamed(text: string): readonly Step[] {
  return [WORKING, artifact("output", { text }), COMPLETED];
}

const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  "tck-complete-task": [{ do: "end", state: "COMPLETED", text: "Hello from TCK" }],
  "tck-artifact-text": [TEXT, COMPLETED],
  "tck-artifact-file": [FILE, COMPLETED],
  "tck-artifact-file-url": [
    artifact(
      "output.txt",
      { url: "https://example.com/output.txt" },
      { filename: "output.txt", mediaType: "text/plain" },
    ),
    COMPLETED,
  ],
  "tck-artifact-data": [artifact("output", { data: { key: "value", count: 42 } }), COMPLETED],
  "tck-message-response": [{ do: "reply", text: "Direct message response" }],
  "tck-input-required": [{ do: "ask", text: "input required" }, COMPLETED],
  "tck-auth-required": [{ do: "requestAuth", text: "authorisation required" }, COMPLETED],
  "tck-reject-task": [{ do: "end", state: "REJECTED", text: "rejected" }],
  "tck-stream-001": streamed("Stream hello from TCK"),
  "tck-stream-002": [COMPLETED],
  "tck-stream-003": streamed("Stream task lifecycle"),
  "tck-stream-ordering-001": streamed("Ordered output"),
  "tck-stream-artifact-text": [WORKING, artifact("output", { text: "Streamed text content" }), COMPLETED],
  "tck-stream-artifact-file": [WORKING, FILE, COMPLETED],
  "tck-stream-artifact-chunked": [
    WORKING,
    artifact("output", { text: "chunk-1 " }),
    artifact("output", { text: "chunk-2" }, { append: true, lastChunk: true }),
    COMPLETED,
  ],
  "tck-delayed-complete": [WORKING, { do: "wait", ms: 1_500 }, COMPLETED],
  "test-resubscribe-message-id": [WORKING, { do: "wait", ms: 4_000 }, COMPLETED],
};

/** Ids carry a suffix, and one prefix begins another: the longest that fits is meant. */
const LONGEST_FIRST = Object.keys(SCRIPTS).sort((a, b) => b.length - a.length);

/** The script for the id of a message of the kit; undefined for an id that is not one of its own. */
export function kitScript(messageId: string): readonly Step[] | undefined {
  const prefix = LONGEST_FIRST.find((known) => messageId.startsWith(known));
  return prefix === undefined ? undefined : SCRIPTS[prefix];
}
