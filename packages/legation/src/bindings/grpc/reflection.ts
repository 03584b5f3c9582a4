/**
 * grpc.reflection.v1.ServerReflection (and v1alpha, which many tools still ask first): the protos of the services, so
 * that grpcurl and others need no file.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/server-reflection.md
 */
import type { RpcSchema } from "../http/rpc-service.ts";
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

/**
 * The methods of the reflection services.
 *
 * @param others services beside the one of 1.0
 */
export function reflectionMethods(
  others: readonly RpcSchema[],
): [path: string, method: (call: ServerCall) => Promise<void>][] {
  const known = knownOf(others);
  const talk = async (call: ServerCall): Promise<void> => {
    call.respond(undefined);
    for await (const request of call.readAll(MAX_BYTES)) await call.write(answer(request, known));
    call.finish();
  };
  return ["grpc.reflection.v1", "grpc.reflection.v1alpha"].map((name) => [
    `/${name}.ServerReflection/ServerReflectionInfo`,
    talk,
  ]);
}

/** What can be asked for. */
interface Known {
  readonly services: readonly string[];
  /** File name → FileDescriptorProto in base64. */
  readonly files: ReadonlyMap<string, string>;
  /** Package with a dot at its end → its file and what that imports. */
  readonly packages: readonly (readonly [prefix: string, files: readonly string[]])[];
}

function knownOf(others: readonly RpcSchema[]): Known {
  const imports = Object.keys(DESCRIPTORS).filter((name) => name !== OWN_FILE);
  const own = [GRPC_SERVICE, OWN_FILE] as const;
  return {
    services: [GRPC_SERVICE, ...others.map(({ service }) => service)],
    files: new Map([...Object.entries(DESCRIPTORS), ...others.map((each) => [each.file, each.descriptor] as const)]),
    packages: [own, ...others.map(({ service, file }) => [service, file] as const)].map(([service, file]) => [
      service.slice(0, service.lastIndexOf(".") + 1),
      [file, ...imports],
    ]),
  };
}

function answer(request: Buffer, { services, files, packages }: Known): Buffer {
  const { tag, text } = read(request);
  const found = (names: readonly string[]): string[] => names.flatMap((name) => files.get(name) ?? []);
  return writer.collect(
    true,
    (w) => {
      // original_request
      w.bytes(18, request);
      if (tag === LIST_SERVICES) writeServices(w, services);
      else {
        const names = tag === FILE_BY_FILENAME ? [text] : tag === FILE_CONTAINING_SYMBOL ? filesOf(text, packages) : [];
        const descriptors = found(names);
        if (descriptors.length > 0) writeFiles(w, descriptors);
        else writeError(w, text);
      }
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

function filesOf(symbol: string, packages: Known["packages"]): readonly string[] {
  switch (symbol) {
    case "google.protobuf.Empty":
      return ["google/protobuf/empty.proto"];
    case "google.protobuf.Timestamp":
      return ["google/protobuf/timestamp.proto"];
    case "google.protobuf.Struct":
    case "google.protobuf.Value":
    case "google.protobuf.ListValue":
    case "google.protobuf.NullValue":
      return ["google/protobuf/struct.proto"];
    default:
      return packages.find(([prefix]) => symbol.startsWith(prefix))?.[1] ?? [];
  }
}

/** FileDescriptorResponse { repeated bytes file_descriptor_proto = 1 } as field 4 */
function writeFiles(w: BinaryWriter, descriptors: readonly string[]): void {
  const at = w.begin(34);
  for (const descriptor of descriptors) w.bytes(10, Buffer.from(descriptor, "base64"));
  w.end(at);
}

/** ListServiceResponse { repeated ServiceResponse { string name = 1 } service = 1 } as field 6 */
function writeServices(w: BinaryWriter, services: readonly string[]): void {
  const at = w.begin(50);
  for (const name of services) {
    const service = w.begin(10);
    w.text(10, name);
    w.end(service);
  }
  w.end(at);
}

/** ErrorResponse { int32 error_code = 1; string error_message = 2 } as field 7 */
function writeError(w: BinaryWriter, text: string): void {
  const at = w.begin(58);
  w.int(8, STATUS.NOT_FOUND);
  w.text(18, `nothing is known of ${text.slice(0, 200)}`);
  w.end(at);
}
