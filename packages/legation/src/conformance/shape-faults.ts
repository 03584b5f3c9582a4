/** Looks at objects that an agent sent and says what is wrong with their form, each fault under its requirement. */
import { isJsonObject } from "../model/json.ts";
import { objectsAt, valueAt } from "./json-path.ts";

/** One fault of one object. */
export interface ShapeFault {
  /** Id of the requirement that it breaks. */
  readonly rule: string;
  /** Where, `task.status.timestamp`. */
  readonly path: string;
  readonly problem: string;
}

const STATES: readonly string[] = [
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
];

const CONTENTS: readonly string[] = ["text", "raw", "url", "data"];

/** Members whose insides belong to the user and follow no naming. */
const FREE: readonly string[] = ["metadata", "data", "params", "header", "schemes", "scopes", "securitySchemes"];

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const ISO_MILLIS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3,9}Z$/;

/** The faults of a StreamResponse, or of the answer of SendMessage. */
export function answerFaults(answer: unknown): readonly ShapeFault[] {
  const faults = [...namingFaults(answer, "")];
  const task = valueAt(answer, "task");
  if (task !== undefined) faults.push(...taskFaults(task, "task"));
  const message = valueAt(answer, "message");
  if (message !== undefined) faults.push(...messageFaults(message, "message"));
  for (const [name, rule] of UPDATES) {
    const update = valueAt(answer, name);
    if (update === undefined) continue;
    for (const field of ["taskId", "contextId"]) requireText(faults, rule, update, field, name);
    if (name === "statusUpdate") faults.push(...statusFaults(valueAt(update, "status"), `${name}.status`));
    else faults.push(...artifactFaults(valueAt(update, "artifact"), `${name}.artifact`));
  }
  return faults;
}

const UPDATES: readonly (readonly ["statusUpdate" | "artifactUpdate", string])[] = [
  ["statusUpdate", "4.2.1/status-update"],
  ["artifactUpdate", "4.2.2/artifact-update"],
];

/** The faults of a Task. */
export function taskFaults(task: unknown, path: string): readonly ShapeFault[] {
  const faults: ShapeFault[] = [];
  requireText(faults, "4.1.1/task", task, "id", path);
  faults.push(...statusFaults(valueAt(task, "status"), `${path}.status`));
  const artifacts = objectsAt(task, "artifacts");
  for (const [index, artifact] of artifacts.entries()) {
    faults.push(...artifactFaults(artifact, `${path}.artifacts[${index}]`));
  }
  const ids = artifacts.map((artifact) => artifact["artifactId"]);
  if (new Set(ids).size !== ids.length)
    add(faults, "4.1.7/unique-id", `${path}.artifacts`, "an artifactId comes twice");
  for (const [index, message] of objectsAt(task, "history").entries()) {
    faults.push(...messageFaults(message, `${path}.history[${index}]`));
  }
  return faults;
}

function statusFaults(status: unknown, path: string): readonly ShapeFault[] {
  const faults: ShapeFault[] = [];
  if (!isJsonObject(status)) return [{ rule: "4.1.1/task", path, problem: "no status" }];
  const { state, timestamp, message } = status;
  if (state === undefined) add(faults, "4.1.2/status", path, "no state");
  else if (typeof state !== "string" || !STATES.includes(state))
    add(faults, "4.1.3/state", `${path}.state`, String(state));
  if (timestamp !== undefined) faults.push(...timestampFaults(timestamp, `${path}.timestamp`));
  if (message === undefined) return faults;
  faults.push(...messageFaults(message, `${path}.message`));
  if (isJsonObject(message) && message["role"] !== "ROLE_AGENT") {
    add(faults, "4.1.5/agent-role", `${path}.message.role`, String(message["role"]));
  }
  return faults;
}

function timestampFaults(timestamp: unknown, path: string): readonly ShapeFault[] {
  if (typeof timestamp !== "string" || !ISO_UTC.test(timestamp) || Number.isNaN(Date.parse(timestamp))) {
    return [{ rule: "5.6.1/utc", path, problem: String(timestamp) }];
  }
  return ISO_MILLIS.test(timestamp) ? [] : [{ rule: "5.6.1/milliseconds", path, problem: timestamp }];
}

/** The faults of a Message. */
export function messageFaults(message: unknown, path: string): readonly ShapeFault[] {
  const faults: ShapeFault[] = [];
  requireText(faults, "4.1.4/message", message, "messageId", path);
  const role = valueAt(message, "role");
  if (role === undefined) add(faults, "4.1.4/message", path, "no role");
  else if (role !== "ROLE_USER" && role !== "ROLE_AGENT") add(faults, "5.5/enum-names", `${path}.role`, String(role));
  faults.push(...partsFaults(message, path, "4.1.4/message"));
  return faults;
}

function artifactFaults(artifact: unknown, path: string): readonly ShapeFault[] {
  const faults: ShapeFault[] = [];
  requireText(faults, "4.1.7/artifact", artifact, "artifactId", path);
  faults.push(...partsFaults(artifact, path, "4.1.7/artifact"));
  return faults;
}

function partsFaults(owner: unknown, path: string, rule: string): readonly ShapeFault[] {
  const parts = objectsAt(owner, "parts");
  if (parts.length === 0) return [{ rule, path: `${path}.parts`, problem: "no part" }];
  return parts.flatMap((part, index) => {
    const contents = CONTENTS.filter((name) => Object.hasOwn(part, name));
    if (contents.length === 1) return [];
    return [
      { rule: "4.1.6/part", path: `${path}.parts[${index}]`, problem: `contents: ${contents.join(", ") || "none"}` },
    ];
  });
}

/** Names with an underscore, wherever the protocol and not the user names things. */
function namingFaults(value: unknown, path: string): readonly ShapeFault[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => namingFaults(item, `${path}[${index}]`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const own = name.includes("_") ? [{ rule: "5.5/camel-case", path: at, problem: name }] : [];
    return FREE.includes(name) ? own : [...own, ...namingFaults(inner, at)];
  });
}

/** The faults in the names of a card. */
export function cardNamingFaults(card: unknown): readonly ShapeFault[] {
  return namingFaults(card, "card");
}

function requireText(faults: ShapeFault[], rule: string, owner: unknown, field: string, path: string): void {
  const value = valueAt(owner, field);
  if (typeof value !== "string" || value === "") add(faults, rule, `${path}.${field}`, "missing");
}

function add(faults: ShapeFault[], rule: string, path: string, problem: string): void {
  faults.push({ rule, path, problem });
}
