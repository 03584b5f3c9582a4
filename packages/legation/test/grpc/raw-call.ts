/** gRPC by hand over node:http2: requests as wrong as a test wants them, answers as they come. */
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { Readable } from "node:stream";
import { create, createFileRegistry, createRegistry, fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  AnySchema,
  DurationSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  file_google_protobuf_duration,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { jsonNameOf } from "../../../../scripts/model/proto-schema.ts";

/** What came back. */
export interface RawAnswer {
  /** `:status` of HTTP. */
  readonly http: number;
  readonly headers: IncomingHttpHeaders;
  /** Trailers, or the headers where there was nothing else. */
  readonly trailers: IncomingHttpHeaders;
  /** `grpc-status`. */
  readonly status: number;
  /** `grpc-message`, decoded. */
  readonly message: string;
  /** google.rpc.Status as ProtoJSON, by protobuf-es. */
  readonly details: JsonValue | undefined;
  /** The messages, without their frames. */
  readonly messages: readonly Buffer[];
}

/** A message in its frame. */
export function frameOf(message: Buffer, flag = 0): Buffer {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** What a test may send beside or in place of the usual. */
export interface RawOptions {
  /** Beside the usual ones; "" leaves one out. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is, in place of the message in its frame. */
  readonly body?: Buffer;
}

/** Calls a method of the service, or of another one where `method` is a whole path. */
export async function callRaw(
  address: string,
  method: string,
  message: Buffer,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const session = connect(address.includes("://") ? address : `http://${address}`);
  try {
    return await exchange(session, method, options.body ?? frameOf(message), options.headers ?? {});
  } finally {
    session.destroy();
  }
}

/** One call on a connection that is there. */
export function exchange(
  session: ClientHttp2Session,
  method: string,
  body: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<RawAnswer> {
  const all: Record<string, string> = {
    ":method": "POST",
    ":path": method.startsWith("/") ? method : `/lf.a2a.v1.A2AService/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
    "a2a-version": "1.0",
    ...headers,
  };
  for (const [name, value] of Object.entries(all)) if (value === "") delete all[name];
  return new Promise((resolve, reject) => {
    const stream = session.request(all);
    let received: IncomingHttpHeaders = {};
    let trailers: IncomingHttpHeaders | undefined;
    const chunks: Buffer[] = [];
    session.on("error", reject);
    stream.on("error", reject);
    stream.on("response", (found) => {
      received = found;
    });
    stream.on("trailers", (found) => {
      trailers = found;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve(answerOf(received, trailers ?? received, Buffer.concat(chunks))));
    // In one write of many MiB node's client sees the reset behind an early answer, and not the answer.
    Readable.from(piecesOf(body)).pipe(stream);
  });
}

function piecesOf(body: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += 65_536) pieces.push(body.subarray(at, at + 65_536));
  return pieces;
}

function answerOf(headers: IncomingHttpHeaders, trailers: IncomingHttpHeaders, body: Buffer): RawAnswer {
  const bytes = trailers["grpc-status-details-bin"];
  return {
    http: Number(headers[":status"]),
    headers,
    trailers,
    status: Number(trailers["grpc-status"]),
    message: decodeURIComponent(String(trailers["grpc-message"] ?? "")),
    details: typeof bytes === "string" ? statusJson(Buffer.from(bytes, "base64")) : undefined,
    messages: messagesOf(body),
  };
}

function messagesOf(body: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at + 5 <= body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    messages.push(body.subarray(at + 5, end));
    at = end;
  }
  return messages;
}

// ── google.rpc.Status, by protobuf-es ────────────────────────────────────────────────────────────────────────────────

const text = (name: string, number: number) => ({
  name,
  jsonName: jsonNameOf(name),
  number,
  label: Label.OPTIONAL,
  type: Type.STRING,
});
const message = (name: string, number: number, typeName: string, label = Label.OPTIONAL) => ({
  name,
  jsonName: jsonNameOf(name),
  number,
  label,
  type: Type.MESSAGE,
  typeName,
});

const RPC: FileDescriptorProto = create(FileDescriptorProtoSchema, {
  name: "rpc.proto",
  package: "google.rpc",
  syntax: "proto3",
  dependency: ["google/protobuf/any.proto", "google/protobuf/duration.proto"],
  messageType: [
    {
      name: "Status",
      field: [
        { name: "code", jsonName: "code", number: 1, label: Label.OPTIONAL, type: Type.INT32 },
        text("message", 2),
        message("details", 3, ".google.protobuf.Any", Label.REPEATED),
      ],
    },
    {
      name: "ErrorInfo",
      field: [
        text("reason", 1),
        text("domain", 2),
        message("metadata", 3, ".google.rpc.ErrorInfo.MetadataEntry", Label.REPEATED),
      ],
      nestedType: [{ name: "MetadataEntry", options: { mapEntry: true }, field: [text("key", 1), text("value", 2)] }],
    },
    {
      name: "BadRequest",
      field: [message("field_violations", 1, ".google.rpc.BadRequest.FieldViolation", Label.REPEATED)],
      nestedType: [{ name: "FieldViolation", field: [text("field", 1), text("description", 2)] }],
    },
    { name: "RetryInfo", field: [message("retry_delay", 1, ".google.protobuf.Duration")] },
  ],
});

const files = createFileRegistry(RPC, (name) =>
  name.endsWith("any.proto") ? file_google_protobuf_any : file_google_protobuf_duration,
);
const registry = createRegistry(files, AnySchema, DurationSchema);

function statusJson(bytes: Buffer): JsonValue {
  const schema = files.getMessage("google.rpc.Status");
  if (schema === undefined) throw new Error("no Status");
  return toJson(schema, fromBinary(schema, bytes), { registry });
}
