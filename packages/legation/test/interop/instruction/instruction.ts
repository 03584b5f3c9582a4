/**
 * The instructions of the public interop kit, as they travel in a raw part: what an agent is to do, and which agent it
 * is to have do something. Field names and numbers are those of the kit's `instruction.proto`.
 */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** Media type and file name by which the part is known. */
export const INSTRUCTION_MEDIA_TYPE = "application/x-protobuf";
export const INSTRUCTION_FILE = "instruction.bin";

/** What an agent is to do. */
export type Instruction =
  | { readonly do: "call"; readonly call: AgentCall }
  | {
      readonly do: "return";
      readonly response: string;
      /** True: the task stays WORKING for a while, so that it can be followed and canceled. */
      readonly hold: boolean;
    }
  | { readonly do: "steps"; readonly steps: readonly Instruction[] };

/** What one agent asks of another. */
export interface AgentCall {
  /** A binding, in one of several spellings. */
  readonly transport: string;
  /** Below which the card is. */
  readonly agentCardUri: string;
  readonly instruction: Instruction;
  readonly streaming: boolean;
  /** Webhook of the push behaviour. */
  readonly pushUrl?: string | undefined;
  readonly resubscribe: boolean;
}

/** @throws Error for bytes that are no instruction, or hold none that we know */
export function decodeInstruction(bytes: Uint8Array): Instruction {
  const reader = new BinaryReader(bytes);
  return readInstruction(reader, reader.len);
}

/** The inverse of {@link decodeInstruction}. */
export function encodeInstruction(instruction: Instruction): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(writeInstruction(new BinaryWriter(), instruction).finish());
}

function readInstruction(reader: BinaryReader, end: number): Instruction {
  let found: Instruction | undefined;
  eachField(reader, end, (field, stop) => {
    if (field === 1) found = { do: "call", call: readCall(reader, stop()) };
    else if (field === 2) found = readReturn(reader, stop());
    else if (field === 3) found = readSteps(reader, stop());
    else return false;
    return true;
  });
  if (found === undefined) throw new Error("the instruction says nothing to do");
  return found;
}

function readCall(reader: BinaryReader, end: number): AgentCall {
  let [transport, agentCardUri, streaming, resubscribe] = ["", "", false, false];
  let instruction: Instruction | undefined;
  let pushUrl: string | undefined;
  eachField(reader, end, (field, stop) => {
    if (field === 1) transport = reader.string();
    else if (field === 2) agentCardUri = reader.string();
    else if (field === 3) instruction = readInstruction(reader, stop());
    else if (field === 4) streaming = reader.bool();
    else if (field === 6) pushUrl = readText(reader, stop());
    else if (field === 7) {
      resubscribe = true;
      reader.pos = stop();
    } else return false;
    return true;
  });
  if (instruction === undefined) throw new Error(`the call of ${agentCardUri} has no instruction`);
  return { transport, agentCardUri, instruction, streaming, pushUrl, resubscribe };
}

function readReturn(reader: BinaryReader, end: number): Instruction {
  let [response, hold] = ["", false];
  eachField(reader, end, (field) => {
    if (field === 1) response = reader.string();
    else if (field === 2) hold = reader.bool();
    else return false;
    return true;
  });
  return { do: "return", response, hold };
}

function readSteps(reader: BinaryReader, end: number): Instruction {
  const steps: Instruction[] = [];
  eachField(reader, end, (field, stop) => {
    if (field !== 1) return false;
    steps.push(readInstruction(reader, stop()));
    return true;
  });
  return { do: "steps", steps };
}

/** The first field of a message that holds one text. */
function readText(reader: BinaryReader, end: number): string {
  let text = "";
  eachField(reader, end, (field) => {
    if (field !== 1) return false;
    text = reader.string();
    return true;
  });
  return text;
}

function eachField(reader: BinaryReader, end: number, read: (field: number, stop: () => number) => boolean): void {
  while (reader.pos < end) {
    const [field, type] = reader.tag();
    const stop = (): number => {
      const length = reader.uint32();
      return reader.pos + length;
    };
    if (!read(field, stop)) reader.skip(type, field);
  }
  if (reader.pos !== end) throw new Error("a field reaches beyond its message");
}

function writeInstruction(writer: BinaryWriter, instruction: Instruction): BinaryWriter {
  switch (instruction.do) {
    case "call":
      writeCall(writer.tag(1, WireType.LengthDelimited).fork(), instruction.call).join();
      break;
    case "return":
      writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(instruction.response);
      if (instruction.hold) writer.tag(2, WireType.Varint).bool(true);
      writer.join();
      break;
    case "steps":
      writer.tag(3, WireType.LengthDelimited).fork();
      for (const step of instruction.steps)
        writeInstruction(writer.tag(1, WireType.LengthDelimited).fork(), step).join();
      // How the answers are put together: one after the other, the only way there is.
      writer.tag(2, WireType.Varint).int32(1).join();
  }
  return writer;
}

function writeCall(writer: BinaryWriter, call: AgentCall): BinaryWriter {
  writer.tag(1, WireType.LengthDelimited).string(call.transport);
  writer.tag(2, WireType.LengthDelimited).string(call.agentCardUri);
  writeInstruction(writer.tag(3, WireType.LengthDelimited).fork(), call.instruction).join();
  if (call.streaming) writer.tag(4, WireType.Varint).bool(true);
  if (call.pushUrl !== undefined) {
    writer.tag(6, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(call.pushUrl).join();
  } else if (call.resubscribe) writer.tag(7, WireType.LengthDelimited).fork().join();
  else writer.tag(5, WireType.LengthDelimited).fork().join();
  return writer;
}
