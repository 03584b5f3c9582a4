/**
 * What the outside worker of a deferred task reports, and what it is told in return. The same in this process, and as
 * JSON over HTTP.
 */
import type { Message, Part, TaskState } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { parseArtifact, parseMessage } from "../model/parse-task.ts";
import { invalidField } from "./errors.ts";

/** One artifact, or one chunk of one, as a worker reports it. */
export interface DeferredArtifact {
  /** The same name means the same artifact of the task. */
  readonly name: string;
  readonly parts: readonly Part[];
  readonly artifactId?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly extensions?: readonly string[] | undefined;
  /** True appends to the artifact of that name; false or absent replaces it. */
  readonly append?: boolean | undefined;
  /** True: nothing more is appended. */
  readonly lastChunk?: boolean | undefined;
}

/** What a worker says with words. */
export interface DeferredWords {
  readonly report: "working" | "ask" | "complete" | "fail" | "reject";
  /** Names this report among those of its token: one that was taken before is not taken again. */
  readonly id: string;
  /** Only `complete` may leave them out. */
  readonly parts?: readonly Part[] | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** One report. Every one but a heartbeat has an id; every one keeps the deadline away. */
export type DeferredReport =
  | { readonly report: "heartbeat" }
  | DeferredWords
  | { readonly report: "artifact"; readonly id: string; readonly artifact: DeferredArtifact }
  /** Takes the next message of the caller; waits for one that long, in ms, 25,000 when absent, 60,000 at most. */
  | { readonly report: "receive"; readonly id: string; readonly waitMs?: number | undefined };

/** How a deferred task stands once a report was taken. */
export interface DeferredStanding {
  readonly taskId: string;
  readonly state: TaskState;
  /** By when the next report has to come, as a timestamp; null while the caller is to answer, and at the end. */
  readonly deadline: string | null;
  /** Answers a `receive`: absent when none came in time. */
  readonly message?: Message | undefined;
}

/** Where workers report over HTTP, below the base URL of the host. */
export const DEFERRED_PATH = "/legation/deferred";

const WORDS: ReadonlySet<unknown> = new Set(["working", "ask", "complete", "fail", "reject"]);
const LONGEST_ID = 256;
const LONGEST_WAIT_MS = 60_000;

/**
 * Reads a report.
 *
 * @param value parsed JSON; changed in place
 * @throws INVALID_PARAMS, or a ModelError that means it, with the path of what is wrong
 */
export function parseDeferredReport(value: unknown): DeferredReport {
  if (!isJsonObject(value)) throw invalidField("", 'a report is an object: send {"report":"heartbeat"}');
  const { report } = value;
  if (report === "heartbeat") return { report };
  const id = idOf(value);
  if (WORDS.has(report)) return wordsOf(value, report as DeferredWords["report"], id);
  if (report === "artifact") return { report, id, artifact: artifactOf(value["artifact"]) };
  if (report === "receive") return { report, id, waitMs: waitOf(value["waitMs"]) };
  const names = ["heartbeat", "artifact", "receive", ...WORDS].join(", ");
  throw invalidField("report", `${JSON.stringify(report)} is no report; send one of ${names}`);
}

function idOf({ id }: JsonObject): string {
  if (typeof id === "string" && id !== "" && id.length <= LONGEST_ID) return id;
  throw invalidField("id", `a report needs an id of 1 to ${LONGEST_ID} characters, the same when it is sent again`);
}

function wordsOf(value: JsonObject, report: DeferredWords["report"], id: string): DeferredWords {
  if (report === "complete" && value["parts"] === undefined) return { report, id };
  const { parts, metadata } = value;
  const message = parseMessage({ messageId: id, role: "ROLE_AGENT", parts, metadata });
  return { report, id, parts: message.parts, metadata: message.metadata };
}

function artifactOf(value: unknown): DeferredArtifact {
  if (!isJsonObject(value)) throw invalidField("artifact", "an artifact is an object with name and parts");
  const { name, append, lastChunk, artifactId } = value;
  if (typeof name !== "string" || name === "") throw invalidField("artifact.name", "a worker names what it writes");
  const artifact = parseArtifact({ ...value, artifactId: artifactId ?? name });
  const { parts, description, metadata, extensions } = artifact;
  const draft = {
    name,
    parts,
    description,
    metadata,
    extensions,
    append: append === true,
    lastChunk: lastChunk === true,
  };
  return artifactId === undefined ? draft : { ...draft, artifactId: artifact.artifactId };
}

function waitOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "number" && value >= 0 && value <= LONGEST_WAIT_MS) return value;
  throw invalidField("waitMs", `${JSON.stringify(value)} is no wait; send 0 to ${LONGEST_WAIT_MS} ms`);
}
