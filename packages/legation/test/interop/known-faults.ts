/**
 * What peers are known to do wrong, each with the smallest reproduction. A scenario named here must fail as described:
 * when it passes, the test turns red, and the entry goes.
 */
import type { Binding, Scenario } from "./scenario.ts";

/** Which side of a pair the peer is. */
export type Role = "client" | "server";

/** One fault of a peer. */
export interface KnownFault {
  readonly peer: string;
  readonly role: Role;
  readonly bindings: readonly Binding[];
  readonly scenarios: readonly Scenario[];
  /** How the failure must read, so that another one is not taken for it. */
  readonly shows: RegExp;
  /** What the peer does, against which clause. */
  readonly fault: string;
  /** How to see it without this project. */
  readonly reproduction: string;
}

/** All known faults. */
export const KNOWN_FAULTS: readonly KnownFault[] = [
  {
    peer: "a2a-go",
    role: "client",
    bindings: ["JSONRPC"],
    scenarios: ["refused"],
    shows: /ended: 'none'.*lost: 'none'/s,
    fault:
      "An error that is answered in place of a stream is lost over JSON-RPC: a body of application/json is searched " +
      "for lines of events, has none, and the stream ends as if all were well. A subscription to an ended task is " +
      "refused before any stream (§3.1.6), and so is an unknown task.",
    reproduction:
      "a server that answers every POST with 200, `Content-Type: application/json` and " +
      '`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}`; `client.SubscribeToTask` yields nothing, ' +
      "no error either.",
  },
  {
    peer: "a2a-go",
    role: "server",
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    scenarios: ["refused"],
    shows: /ended: 'TASK_NOT_FOUND'.*lost: 'TASK_NOT_FOUND'/s,
    fault: "SubscribeToTask of a task that has ended is TASK_NOT_FOUND, not UNSUPPORTED_OPERATION (§3.1.6).",
    reproduction:
      "complete a task of `a2asrv.NewHandler` with the store in memory, `GetTask` it, then `SubscribeToTask` it.",
  },
  {
    peer: "a2a-js 0.3",
    role: "client",
    bindings: ["GRPC"],
    scenarios: ["parts"],
    shows: /Request message serialization failure: invalid int32: object/,
    fault: "A null in data or metadata cannot be sent over gRPC: the call fails before anything is sent.",
    reproduction:
      '`GrpcTransport.sendMessage` with the part `{ kind: "data", data: { a: null } }`; its `Value.wrap` keeps null ' +
      "itself where the number of NULL_VALUE belongs.",
  },
  {
    peer: "a2a-js 0.3",
    role: "server",
    bindings: ["GRPC"],
    scenarios: ["parts"],
    shows: /\+\s+0,\s+-\s+null,/,
    fault: "A null in data or metadata that came over gRPC is read as 0.",
    reproduction: "a server of `grpcService` that answers with the data it was sent; send it `{ a: null }`.",
  },
  {
    peer: "a2a-python 0.3",
    role: "client",
    bindings: ["HTTP+JSON", "GRPC"],
    scenarios: ["parts"],
    shows: /UnicodeDecodeError: 'utf-8' codec can't decode byte 0xfe/,
    fault:
      "The bytes of a file, where the messages are those of the proto, are taken for the text of their base64 and read " +
      "as UTF-8: bytes that are none end in an error, others in a wrong file. The proto says bytes.",
    reproduction: "`proto_utils.FromProto.file(a2a_pb2.FilePart(file_with_bytes=b'\\xfe'))`.",
  },
  {
    peer: "a2a-python 0.3",
    role: "server",
    bindings: ["HTTP+JSON", "GRPC"],
    scenarios: ["parts"],
    shows: /bytes: 'QUFIKy93PT0='/,
    fault:
      "The bytes of a file, where the messages are those of the proto, are sent as the text of their base64: whoever " +
      "reads bytes, as the proto says, gets that text.",
    reproduction: "`proto_utils.ToProto.file(FileWithBytes(bytes='AA=='))` has four bytes, not one.",
  },
  {
    peer: "a2a-go 0.3",
    role: "client",
    bindings: ["GRPC"],
    scenarios: ["parts"],
    shows: /bytes: '\\x00\\x01/,
    fault: "The bytes of a file that come over gRPC are taken for the text of their base64. The proto says bytes.",
    reproduction:
      "`pbconv.FromProtoTask` of a task with a file of the bytes 0 and 1: its `FileBytes.Bytes` is no base64.",
  },
  {
    peer: "a2a-go 0.3",
    role: "server",
    bindings: ["GRPC"],
    scenarios: ["parts"],
    shows: /bytes: 'QUFIKy93PT0='/,
    fault: "The bytes of a file are sent over gRPC as the text of their base64. The proto says bytes.",
    reproduction: 'an agent whose artifact holds `FileBytes{Bytes: "AA=="}`: four bytes arrive, not one.',
  },
  {
    peer: "a2a-java 0.3",
    role: "client",
    bindings: ["HTTP+JSON", "GRPC"],
    scenarios: ["parts"],
    shows: /Request payload validation error/,
    fault:
      "What comes as protobuf, over HTTP+JSON too, is read wrongly: a null in a data part is refused, and the bytes of " +
      "a file are taken for text in UTF-8.",
    reproduction:
      "`ProtoUtils.FromProto.message` of a message with a `DataPart` whose `Struct` holds a `NULL_VALUE` throws " +
      "`InvalidRequestError`; of one with a `FilePart` of the bytes 00 01 fe ff it gives four characters of text.",
  },
  {
    peer: "a2a-java 0.3",
    role: "client",
    bindings: ["HTTP+JSON"],
    scenarios: ["errors"],
    shows: /NullPointerException/,
    fault:
      "Errors over HTTP+JSON are read in a form of its own alone: without a member `error` that names a class of Java " +
      "the client throws a NullPointerException, and the reason is lost.",
    reproduction: '`RestErrorMapper` on an answer of 404 with the body `{"code":-32001,"message":"no"}`.',
  },
  {
    peer: "a2a-java 0.3",
    role: "client",
    bindings: ["GRPC"],
    scenarios: ["errors"],
    shows: /FAILED_PRECONDITION/,
    fault:
      "Errors over gRPC are told by names of classes in the text of the status: FAILED_PRECONDITION for a task that " +
      "has ended is no TaskNotCancelableError, whatever its details say.",
    reproduction: "`GrpcErrorMapper.mapGrpcError` of `Status.FAILED_PRECONDITION` gives a plain A2AClientException.",
  },
  {
    peer: "a2a-java 0.3",
    role: "server",
    bindings: ["HTTP+JSON"],
    scenarios: ["parts"],
    shows: /Request payload validation error/,
    fault: "A null in a data part is refused over HTTP+JSON, as by its client.",
    reproduction: 'POST `/v1/message:send` with `{"message":{…,"content":[{"data":{"data":{"n":null}}}]}}`.',
  },
  {
    peer: "a2a-java 0.3",
    role: "server",
    bindings: ["HTTP+JSON"],
    scenarios: ["subscribe"],
    shows: /Task not found/,
    fault:
      "`blocking` false is not heeded over HTTP+JSON: the message is answered when its task has ended, and there is " +
      "nothing to resubscribe to.",
    reproduction: 'POST `/v1/message:send` with `"configuration":{"blocking":false}` to an agent that takes a second.',
  },
];

/** The fault that explains why a scenario fails, if one is known. */
export function findFault(peer: string, role: Role, binding: Binding, scenario: Scenario): KnownFault | undefined {
  return KNOWN_FAULTS.find(
    (known) =>
      known.peer === peer &&
      known.role === role &&
      known.bindings.includes(binding) &&
      known.scenarios.includes(scenario),
  );
}
