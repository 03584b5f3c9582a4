import { jsonNameOf, type ProtoField, type ProtoFile, type ProtoMessage } from "./proto-schema.ts";
import { hasMeaningWhenEmpty, isTolerated } from "./validate-rules.ts";

/** What agents answer with; the messages inside them come along. */
const ANSWERS: readonly string[] = [
  "SendMessageResponse",
  "StreamResponse",
  "ListTasksResponse",
  "TaskPushNotificationConfig",
  "ListTaskPushNotificationConfigsResponse",
  "AgentCard",
];

/**
 * Writes the shapes of what agents answer, as texts: a client carries them over the network, so they are small first
 * and fast second. `parse-leniently.ts` says what the texts mean.
 *
 * @param file - The parsed proto.
 * @returns The text of `gen/shapes.ts`.
 */
export function emitShapes(file: ProtoFile): string {
  const reached = reachable(file, ANSWERS);
  const rows = file.messages
    .filter(({ name }) => reached.has(name))
    .map((message) => `  ${message.name}: "${message.fields.map((field) => shapeOf(message, field)).join(" ")}",`);
  return [
    "// Generated from proto/a2a.proto by `npm run generate`. Do not edit.",
    "",
    "/** The fields of each message that an agent may answer with; `parse-leniently.ts` says how they are read. */",
    `export const SHAPES = {\n${rows.join("\n")}\n} as const;`,
    "",
  ].join("\n");
}

function reachable(file: ProtoFile, roots: readonly string[]): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const message = file.messages.find((one) => one.name === name);
    if (message === undefined) throw new Error(`no message ${name}`);
    for (const { type } of message.fields) {
      const inner = type.kind === "map" ? type.value : type;
      if (inner.kind === "message") visit(inner.name);
    }
  };
  roots.forEach(visit);
  return found;
}

function shapeOf(message: ProtoMessage, field: ProtoField): string {
  // The reader makes the snake_case spelling of the other one itself.
  if (jsonNameOf(field.name) !== field.jsonName || snakeCase(field.jsonName) !== field.name) {
    throw new Error(`${message.name}.${field.name} has a JSON name of its own`);
  }
  const form = field.repeated ? "[]" : field.type.kind === "map" ? "{}" : "";
  const type = field.type.kind === "map" ? field.type.value : field.type;
  if (type.kind === "map") throw new Error(`no shape for ${message.name}.${field.name}`);
  const typed = type.name === "string" ? "" : `:${type.name}`;
  return `${field.jsonName}${typed}${form}${ruleOf(message, field)}`;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function ruleOf(message: ProtoMessage, field: ProtoField): string {
  if (field.oneof !== undefined) return "|";
  if (field.optional) return "?";
  if (!field.required) return "";
  if (hasMeaningWhenEmpty(message)) return "+";
  return isTolerated(message, field) ? "~" : "!";
}
