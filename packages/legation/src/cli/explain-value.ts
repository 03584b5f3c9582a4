/** Explains JSON of the protocol: what it is, which version wrote it, field by field, and what it is in 1.0. */
import { normaliseCard } from "../client/normalise-card.ts";
import { SHAPES } from "../model/gen/shapes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import { show } from "../model/notes.ts";
import type { ParseOptions } from "../model/parse.ts";
import { parseAgentCard } from "../model/parse-agent-card.ts";
import { parseSendMessageRequest, parseTaskPushNotificationConfig } from "../model/parse-request.ts";
import {
  parseArtifact,
  parseListTasksResponse,
  parseMessage,
  parseStreamResponse,
  parseTask,
} from "../model/parse-task.ts";
import { parseRequest } from "../operations/parse-request.ts";
import { type ErrorFacts, errorFacts } from "./error-facts.ts";
import { meaningOf, STATE_MEANINGS } from "./field-meanings.ts";
import { mend } from "./mend.ts";
import { recognise, type Subject, type SubjectType, versionOf } from "./recognise.ts";

/** One thing that is wrong or was put right. */
export interface Problem {
  readonly level: "error" | "warning";
  readonly field: string;
  readonly description: string;
}

/** One field of what was explained. */
export interface FieldLine {
  readonly path: string;
  /** Short. */
  readonly value: string;
  /** Undefined for a field that the protocol does not have. */
  readonly meaning: string | undefined;
}

/** What {@link explainValue} gives. */
export interface Explanation {
  readonly what: SubjectType;
  /** `1.0`, `0.3`, `0.2`, or `hybrid` for a card of two versions. */
  readonly version: string;
  /** What tells the version, where it is not 1.0. */
  readonly signs: readonly string[];
  /** What was around it, outermost first. */
  readonly inside: readonly string[];
  readonly fields: readonly FieldLine[];
  readonly problems: readonly Problem[];
  /** In 1.0; undefined when it cannot be made, and for errors. */
  readonly corrected: JsonValue | undefined;
  /** What an error means. */
  readonly error?: ErrorFacts | undefined;
}

/** Explains a value; undefined for JSON that is nothing of the protocol. */
export async function explainValue(value: JsonValue): Promise<Explanation | undefined> {
  const subject = recognise(value);
  if (subject === undefined) return undefined;
  const { type, inside } = subject;
  if (type === "Error") {
    const facts = errorFacts(subject.value);
    return {
      what: type,
      version: "1.0",
      signs: [],
      inside,
      fields: [],
      problems: [],
      corrected: undefined,
      error: facts,
    };
  }
  if (type === "AgentCard") return explainCard(subject);
  const told = versionOf(value);
  const isOld = told.version === "0.3";
  const mended = mend(type, subject.value, isOld);
  const after = validate(subject, mended);
  const before = validate(subject, structuredClone(subject.value)).problems;
  return {
    what: type,
    version: told.version,
    signs: told.signs,
    inside,
    fields: fieldsOf(type, subject.value),
    // What is left of the mended value is what nobody but the sender can put right.
    problems: unique([...before, ...after.problems]),
    corrected: after.corrected,
  };
}

async function explainCard({ type, value, inside }: Subject): Promise<Explanation> {
  const base = { what: type, inside, fields: fieldsOf(type, value) };
  const strict = validate({ type, value, inside }, structuredClone(value));
  try {
    const { card, generation, warnings } = await normaliseCard(value);
    const corrected = JSON.parse(JSON.stringify(card)) as JsonObject;
    const liberties = warnings.map((description): Problem => ({ level: "warning", field: "", description }));
    // What the old card has beside is named by the validator, too, where nothing else makes it give up.
    const beside = validate({ type, value, inside }, { ...value, ...structuredClone(corrected) }).problems;
    const isOld = generation !== "1.0";
    return {
      ...base,
      version: generation,
      signs: isOld ? versionOf(value).signs : [],
      problems: unique([...(isOld ? [] : strict.problems), ...liberties, ...beside]),
      corrected,
    };
  } catch (thrown) {
    const description = thrown instanceof Error ? thrown.message : String(thrown);
    const problems: Problem[] = [...strict.problems, { level: "error", field: "", description }];
    return { ...base, version: "1.0", signs: [], problems, corrected: undefined };
  }
}

function unique(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ field, description }) => {
    const key = `${field} ${description}`;
    return !seen.has(key) && seen.add(key) !== undefined;
  });
}

type Parse = (value: unknown, options?: ParseOptions) => object;

const PARSERS: Readonly<Partial<Record<SubjectType, Parse>>> = {
  AgentCard: parseAgentCard,
  Task: parseTask,
  Message: parseMessage,
  Artifact: parseArtifact,
  SendMessageRequest: parseSendMessageRequest,
  // A stream may begin with the same two members.
  SendMessageResponse: parseStreamResponse,
  StreamResponse: parseStreamResponse,
  ListTasksResponse: parseListTasksResponse,
  TaskPushNotificationConfig: parseTaskPushNotificationConfig,
};

/** What has no parser of its own is read as a member of what has one. */
const WRAPPED: Readonly<Partial<Record<SubjectType, readonly [wrap: (value: JsonObject) => JsonObject, at: string]>>> =
  {
    TaskStatusUpdateEvent: [(value) => ({ statusUpdate: value }), "statusUpdate"],
    TaskArtifactUpdateEvent: [(value) => ({ artifactUpdate: value }), "artifactUpdate"],
    TaskStatus: [(value) => ({ task: { id: "t", status: value } }), "task.status"],
    Part: [(value) => ({ message: { messageId: "m", role: "ROLE_USER", parts: [value] } }), "message.parts.0"],
  };

interface Validated {
  readonly problems: readonly Problem[];
  readonly corrected: JsonValue | undefined;
}

function validate({ type, method }: Subject, value: JsonObject): Validated {
  const problems: Problem[] = [];
  const onWarning = ({ field, description }: { readonly field: string; readonly description: string }): void => {
    problems.push({ level: "warning", field, description });
  };
  try {
    return { problems, corrected: parseAs(type, method, value, onWarning) };
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    for (const { field, description } of thrown.violations) problems.push({ level: "error", field, description });
    return { problems, corrected: undefined };
  }
}

function parseAs(
  type: SubjectType,
  method: Subject["method"],
  value: JsonObject,
  onWarning: NonNullable<ParseOptions["onWarning"]>,
): JsonValue {
  const parse = PARSERS[type];
  if (parse !== undefined) return parse(value, { onWarning }) as JsonValue;
  const wrapped = WRAPPED[type];
  if (wrapped !== undefined) {
    const [wrap, at] = wrapped;
    const whole: unknown = parseStreamResponse(wrap(value), { onWarning });
    return at.split(".").reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], whole) as JsonValue;
  }
  return type === "Request" && method !== undefined ? (parseRequest(method, value) as unknown as JsonValue) : value;
}

/** The fields in the order in which they were written, as deep as the protocol knows them. */
function fieldsOf(type: SubjectType, value: JsonObject): readonly FieldLine[] {
  const lines: FieldLine[] = [];
  collect(type, value, "", lines);
  return lines;
}

/** How many lines are made of one value: a card with a hundred skills needs no thousand. */
const MAX_LINES = 200;

function collect(message: string, value: JsonObject, prefix: string, lines: FieldLine[]): void {
  for (const [name, inner] of Object.entries(value)) {
    if (lines.length >= MAX_LINES) return;
    const field = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const path = prefix === "" ? name : `${prefix}.${name}`;
    lines.push({ path, value: shortly(inner), meaning: meaningOfValue(message, field, inner) });
    const next = typeOfField(message, field);
    if (next === undefined) continue;
    const items = Array.isArray(inner)
      ? inner.map((item, at) => [`${path}[${at}]`, item] as const)
      : [[path, inner] as const];
    for (const [at, item] of items) if (isJsonObject(item)) collect(next, item, at, lines);
  }
}

function shortly(value: JsonValue): string {
  if (Array.isArray(value))
    return value.every((item) => typeof item === "string") ? value.join(", ") : `${value.length} entries`;
  if (isJsonObject(value)) return Object.keys(value).join(", ") || "{}";
  return typeof value === "string" && value.length <= 40 ? value : show(value);
}

function meaningOfValue(message: string, field: string, value: JsonValue): string | undefined {
  const meaning = meaningOf(message, field);
  const state = field === "state" && typeof value === "string" ? STATE_MEANINGS[value] : undefined;
  return state ?? meaning;
}

const REQUEST_TYPES: Readonly<Record<string, string>> = {
  "SendMessageRequest.message": "Message",
  "SendMessageRequest.configuration": "SendMessageConfiguration",
  "SendMessageConfiguration.taskPushNotificationConfig": "TaskPushNotificationConfig",
};

/** The message that a field holds, one or a list; undefined for everything else. */
function typeOfField(message: string, field: string): string | undefined {
  const known = REQUEST_TYPES[`${message}.${field}`];
  if (known !== undefined || !Object.hasOwn(SHAPES, message)) return known;
  const text = SHAPES[message as keyof typeof SHAPES].split(" ").find((entry) => /^\w+/.exec(entry)?.[0] === field);
  const type = /:(\w+)/.exec(text ?? "")?.[1];
  return type !== undefined && Object.hasOwn(SHAPES, type) ? type : undefined;
}
