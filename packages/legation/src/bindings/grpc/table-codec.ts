/**
 * Messages by a table instead of generated code: what a plug-in brings is data, which needs nothing of Node. Slower than
 * the code that is generated for 1.0, and the same in what it accepts, refuses and leaves out.
 */
import type { Loose } from "../../model/notes.ts";
import type { RpcSchema } from "../http/rpc-service.ts";
import { BinaryReader } from "./binary-reader.ts";
import { BinaryWriter, notCanonical } from "./binary-writer.ts";
import { dropArms, listOf, objectOf, readBase64, requireOneArm, writeBase64 } from "./scalars.ts";
import { readStruct, readTimestamp, setMember, writeStruct, writeTimestamp } from "./well-known.ts";

/** The messages of one schema. */
export interface TableCodec {
  /** Reads a message into the form of parsed JSON; it is not validated. @throws WireFault */
  read(message: string, bytes: Buffer): Loose;
  /**
   * Writes a message. Members that it does not have are left out.
   *
   * @param framed true: in front stand the five bytes of a gRPC frame
   * @throws ModelError for a value that is not of its type
   */
  write(message: string, value: object, framed: boolean): Buffer;
}

/** One value on the wire, without its field. */
interface Kind {
  /** Wire type: 0 is a varint, 2 has a length. */
  readonly wire: 0 | 2;
  read(r: BinaryReader, end: number, before: unknown): unknown;
  write(w: BinaryWriter, tag: number, value: unknown): void;
  /** True for the value that is not written where the field has no presence. */
  isDefault(value: unknown): boolean;
}

interface Field {
  readonly name: string;
  readonly tag: number;
  readonly form: "one" | "list" | "map";
  readonly isArm: boolean;
  readonly kind: Kind;
}

interface Message {
  readonly fields: Field[];
  readonly byTag: Map<number, Field>;
  readonly arms: string[];
  /** Bit n is set where field n is one of the message. */
  known: number;
}

const KEY = 10;
const VALUE = 18;
const never = (): boolean => false;

const STRING: Kind = {
  wire: 2,
  read: (r, end) => r.text(end),
  write: (w, tag, value) => w.text(tag, value),
  isDefault: (value) => value === "",
};

const KINDS: Readonly<Record<string, Kind>> = {
  string: STRING,
  bytes: { ...STRING, read: (r, end) => readBase64(r, end), write: (w, tag, value) => writeBase64(w, tag, value) },
  bool: {
    wire: 0,
    read: (r, end) => r.bool(end),
    write: (w, tag, value) => w.bool(tag, value),
    isDefault: (value) => value === false,
  },
  int32: {
    wire: 0,
    read: (r, end) => r.int(end),
    write: (w, tag, value) => w.int(tag, value),
    isDefault: (value) => value === 0,
  },
  Struct: nested(
    (r, end, into) => readStruct(r, end, into),
    (w, value) => writeStruct(w, value),
  ),
  Timestamp: nested((r, end) => readTimestamp(r, end), writeTimestamp),
};

// One writer for the process: nothing is awaited between its beginning and its end.
const writer = new BinaryWriter();

/** Makes the codec of a schema. @throws Error for a table that names what is not there */
export function createTableCodec({ messages, enums }: RpcSchema): TableCodec {
  const built = new Map<string, Message>();
  const messageOf = (name: string): Message => {
    const known = built.get(name);
    if (known !== undefined) return known;
    const row = messages[name];
    if (row === undefined) throw new Error(`no message ${name} in the table`);
    const message: Message = { fields: [], byTag: new Map(), arms: [], known: 0 };
    built.set(name, message);
    for (const text of row === "" ? [] : row.split(", ")) addField(message, text, kindOf);
    return message;
  };
  const kindOf = (name: string): Kind => {
    const names = enums[name];
    if (names !== undefined) return enumKind(names);
    return KINDS[name] ?? messageKind(messageOf(name));
  };
  return {
    read(name, bytes) {
      const reader = new BinaryReader(bytes);
      return readMessage(reader, reader.length, messageOf(name), {});
    },
    write: (name, value, framed) => writer.collect(framed, (w, o) => writeMessage(w, messageOf(name), o), value),
  };
}

function addField(message: Message, text: string, kindOf: (name: string) => Kind): void {
  const [, number = "", name = "", type = "string", mark, arm] =
    /^(\d+) (\w+)(?::(\w+))?(\[\]|\{\})?(\|)?$/.exec(text) ?? [];
  if (name === "") throw new Error(`no field: ${text}`);
  const kind = kindOf(type);
  const form = mark === "[]" ? "list" : mark === "{}" ? "map" : "one";
  const field: Field = { name, tag: Number(number) * 8 + kind.wire, form, isArm: arm !== undefined, kind };
  message.fields.push(field);
  message.byTag.set(field.tag, field);
  message.known |= 1 << Number(number);
  if (field.isArm) message.arms.push(name);
}

function nested(
  read: (r: BinaryReader, end: number, into: unknown) => unknown,
  write: (w: BinaryWriter, value: unknown) => void,
): Kind {
  return {
    wire: 2,
    read: (r, end, before) => read(r, r.stop(end), objectOf(before)),
    write(w, tag, value) {
      const at = w.begin(tag);
      write(w, value);
      w.end(at);
    },
    isDefault: never,
  };
}

function messageKind(message: Message): Kind {
  return nested(
    (r, end, into) => readMessage(r, end, message, into as Loose),
    (w, value) => writeMessage(w, message, value),
  );
}

function enumKind(names: readonly string[]): Kind {
  return {
    wire: 0,
    // 0 is unset; a number that is not known stays a number, which the validator judges.
    read(r, end) {
      const number = r.int(end);
      return number === 0 ? undefined : (names[number] ?? number);
    },
    write(w, tag, value) {
      const number = names.indexOf(value as string);
      if (number < 0) throw notCanonical(`one of ${names.slice(1).join(", ")}`);
      w.int(tag, number);
    },
    isDefault: (value) => value === names[0],
  };
}

function readMessage(r: BinaryReader, end: number, message: Message, into: Loose): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    const field = message.byTag.get(tag);
    if (field === undefined) {
      r.skip(tag, message.known, end);
      continue;
    }
    const { name, kind, form } = field;
    if (field.isArm) dropArms(into, message.arms, name);
    const before = into[name];
    if (form === "one") into[name] = kind.read(r, end, before);
    // What stands in a list is another element each time, never merged.
    else if (form === "list") into[name] = listOf(before, kind.read(r, end, undefined));
    else into[name] = readEntry(r, r.stop(end), kind, objectOf(before));
  }
  return into;
}

function readEntry(r: BinaryReader, end: number, kind: Kind, into: Loose): Loose {
  let key = "";
  let value: unknown = kind === STRING ? "" : {};
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === KEY) key = r.text(end);
    else if (tag === VALUE) value = kind.read(r, end, undefined);
    else r.skip(tag, 0b110, end);
  }
  setMember(into, key, value);
  return into;
}

function writeMessage(w: BinaryWriter, { fields, arms }: Message, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notCanonical("an object");
  const object = value as Loose;
  const [a, b, c, d, e] = arms.map((name) => object[name] !== undefined);
  requireOneArm(a === true, b === true, c, d, e);
  for (const { name, tag, form, kind, isArm } of fields) {
    const member = object[name];
    if (member === undefined) continue;
    if (form === "list") writeList(w, tag, kind, member);
    else if (form === "map") writeMap(w, tag, kind, member);
    else if (isArm || !kind.isDefault(member)) kind.write(w, tag, member);
  }
}

function writeList(w: BinaryWriter, tag: number, kind: Kind, list: unknown): void {
  if (!Array.isArray(list)) throw notCanonical("a list");
  for (const element of list) kind.write(w, tag, element);
}

function writeMap(w: BinaryWriter, tag: number, kind: Kind, map: unknown): void {
  if (typeof map !== "object" || map === null || Array.isArray(map)) throw notCanonical("an object");
  for (const [key, value] of Object.entries(map)) {
    const entry = w.begin(tag);
    w.text(KEY, key);
    kind.write(w, VALUE, value);
    w.end(entry);
  }
}
