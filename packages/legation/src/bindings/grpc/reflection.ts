/**
 * grpc.reflection.v1.ServerReflection (and v1alpha, which many tools still ask first): the proto of this service, so
 * that grpcurl and others need no file.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
import { BinaryReader } from "./binary-reader.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { STATUS } from "./errors.ts";
import { DESCRIPTORS } from "./gen/descriptors.ts";
import { GRPC_SERVICE } from "./names.ts";
import type { ServerCall } from "./server-call.ts";

/** A request is a name; guards against more. */
const MAX_BYTES = 4_096;

const OWN_FILE = "a2a.proto";

/** Fields of ServerReflectionRequest, each a text. */
const FILE_BY_FILENAME = 26;
const FILE_CONTAINING_SYMBOL = 34;
const LIST_SERVICES = 58;

const writer = new BinaryWriter();

/** The methods of the reflection services. */
export function reflectionMethods(): [path: string, method: (call: ServerCall) => Promise<void>][] {
  return ["grpc.reflection.v1", "grpc.reflection.v1alpha"].map((name) => [
    `/${name}.ServerReflection/ServerReflectionInfo`,
    talk,
  ]);
}

async function talk(call: ServerCall): Promise<void> {
  call.respond(undefined);
  for await (const request of call.readAll(MAX_BYTES)) await call.write(answer(request));
  call.finish();
}

function answer(request: Buffer): Buffer {
  const { tag, text } = read(request);
  return writer.collect(
    true,
    (w) => {
      // original_request
      w.bytes(18, request);
      if (tag === LIST_SERVICES) writeServices(w);
      else if (tag === FILE_BY_FILENAME && Object.hasOwn(DESCRIPTORS, text)) writeFiles(w, [text]);
      else if (tag === FILE_CONTAINING_SYMBOL && isOurs(text)) writeFiles(w, Object.keys(DESCRIPTORS));
      else if (tag === FILE_CONTAINING_SYMBOL && fileOf(text) !== undefined) writeFiles(w, [fileOf(text) ?? OWN_FILE]);
      else writeError(w, text);
    },
    undefined,
  );
}

function read(request: Buffer): { readonly tag: number; readonly text: string } {
  const r = new BinaryReader(request);
  let found = { tag: 0, text: "" };
  while (r.at < r.length) {
    const tag = r.tag(r.length);
    if (tag === FILE_BY_FILENAME || tag === FILE_CONTAINING_SYMBOL || tag === LIST_SERVICES) {
      found = { tag, text: r.text(r.length) };
    } else r.skip(tag, 0, r.length);
  }
  return found;
}

function isOurs(symbol: string): boolean {
  return symbol.startsWith("lf.a2a.v1.");
}

function fileOf(symbol: string): string | undefined {
  switch (symbol) {
    case "google.protobuf.Empty":
      return "google/protobuf/empty.proto";
    case "google.protobuf.Timestamp":
      return "google/protobuf/timestamp.proto";
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
    case "google.protobuf.NullValue":
      return "google/protobuf/struct.proto";
    default:
      return undefined;
  }
}

/** FileDescriptorResponse { repeated bytes file_descriptor_proto = 1 } as field 4 */
function writeFiles(w: BinaryWriter, names: readonly string[]): void {
  const at = w.begin(34);
  for (const name of names) w.bytes(10, Buffer.from(DESCRIPTORS[name] ?? "", "base64"));
  w.end(at);
}

/** ListServiceResponse { repeated ServiceResponse { string name = 1 } service = 1 } as field 6 */
function writeServices(w: BinaryWriter): void {
  const at = w.begin(50);
  const service = w.begin(10);
  w.text(10, GRPC_SERVICE);
  w.end(service);
  w.end(at);
}

/** ErrorResponse { int32 error_code = 1; string error_message = 2 } as field 7 */
function writeError(w: BinaryWriter, text: string): void {
  const at = w.begin(58);
  w.int(8, STATUS.NOT_FOUND);
  w.text(18, `nothing is known of ${text.slice(0, 200)}`);
  w.end(at);
}
