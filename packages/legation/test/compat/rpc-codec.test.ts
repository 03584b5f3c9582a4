// The gRPC of v0.3: its proto as the specification has it at v0.3.0, and the codec that reads and writes by the table made
// of it, against protobuf-es.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { createFileRegistry, type DescMessage, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { parseProto } from "../../../../scripts/model/proto-parser.ts";
import { jsonNameOf, type ProtoField } from "../../../../scripts/model/proto-schema.ts";
import { WireFault } from "../../src/bindings/grpc/binary-reader.ts";
import { DESCRIPTORS } from "../../src/bindings/grpc/gen/descriptors.ts";
import { createTableCodec } from "../../src/bindings/grpc/table-codec.ts";
import { OLD_RPC } from "../../src/compat/v0_3/gen/old-rpc.ts";
import { ModelError } from "../../src/model/model-error.ts";
import { decodeByOracle, encodeByOracle, objectsOf } from "../grpc/oracle.ts";

/**
 * Every field of the proto at v0.3.0, written out: `|` for a member of a oneof, `as` for a JSON name of its own, `+` for
 * one that the SDKs added later. A change here is a change of a protocol that no longer changes.
 */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  APIKeySecurityScheme: ["1 string description", "2 string location", "3 string name"],
  AgentCapabilities: ["1 bool streaming", "2 bool push_notifications", "3 repeated AgentExtension extensions"],
  AgentCard: [
    "1 string name",
    "2 string description",
    "3 string url",
    "4 AgentProvider provider",
    "5 string version",
    "6 string documentation_url",
    "7 AgentCapabilities capabilities",
    "8 map<string, SecurityScheme> security_schemes",
    "9 repeated Security security",
    "10 repeated string default_input_modes",
    "11 repeated string default_output_modes",
    "12 repeated AgentSkill skills",
    "13 bool supports_authenticated_extended_card",
    "14 string preferred_transport",
    "15 repeated AgentInterface additional_interfaces",
    "16 string protocol_version",
    "17 repeated AgentCardSignature signatures",
    "18 string icon_url +",
  ],
  AgentCardSignature: ["1 string protected", "2 string signature", "3 Struct header"],
  AgentExtension: ["1 string uri", "2 string description", "3 bool required", "4 Struct params"],
  AgentInterface: ["1 string url", "2 string transport"],
  AgentProvider: ["1 string url", "2 string organization"],
  AgentSkill: [
    "1 string id",
    "2 string name",
    "3 string description",
    "4 repeated string tags",
    "5 repeated string examples",
    "6 repeated string input_modes",
    "7 repeated string output_modes",
    "8 repeated Security security",
  ],
  Artifact: [
    "1 string artifact_id",
    "3 string name",
    "4 string description",
    "5 repeated Part parts",
    "6 Struct metadata",
    "7 repeated string extensions",
  ],
  AuthenticationInfo: ["1 repeated string schemes", "2 string credentials"],
  AuthorizationCodeOAuthFlow: [
    "1 string authorization_url",
    "2 string token_url",
    "3 string refresh_url",
    "4 map<string, string> scopes",
  ],
  CancelTaskRequest: ["1 string name"],
  ClientCredentialsOAuthFlow: ["1 string token_url", "2 string refresh_url", "3 map<string, string> scopes"],
  CreateTaskPushNotificationConfigRequest: [
    "1 string parent",
    "2 string config_id",
    "3 TaskPushNotificationConfig config",
  ],
  DataPart: ["1 Struct data"],
  DeleteTaskPushNotificationConfigRequest: ["1 string name"],
  FilePart: ["1 string file_with_uri |", "2 bytes file_with_bytes |", "3 string mime_type", "4 string name +"],
  GetAgentCardRequest: [],
  GetTaskPushNotificationConfigRequest: ["1 string name"],
  GetTaskRequest: ["1 string name", "2 int32 history_length"],
  HTTPAuthSecurityScheme: ["1 string description", "2 string scheme", "3 string bearer_format"],
  ImplicitOAuthFlow: ["1 string authorization_url", "2 string refresh_url", "3 map<string, string> scopes"],
  ListTaskPushNotificationConfigRequest: ["1 string parent", "2 int32 page_size", "3 string page_token"],
  ListTaskPushNotificationConfigResponse: ["1 repeated TaskPushNotificationConfig configs", "2 string next_page_token"],
  Message: [
    "1 string message_id",
    "2 string context_id",
    "3 string task_id",
    "4 Role role",
    "5 repeated Part content",
    "6 Struct metadata",
    "7 repeated string extensions",
  ],
  MutualTlsSecurityScheme: ["1 string description"],
  OAuth2SecurityScheme: ["1 string description", "2 OAuthFlows flows", "3 string oauth2_metadata_url"],
  OAuthFlows: [
    "1 AuthorizationCodeOAuthFlow authorization_code |",
    "2 ClientCredentialsOAuthFlow client_credentials |",
    "3 ImplicitOAuthFlow implicit |",
    "4 PasswordOAuthFlow password |",
  ],
  OpenIdConnectSecurityScheme: ["1 string description", "2 string open_id_connect_url"],
  Part: ["1 string text |", "2 FilePart file |", "3 DataPart data |", "4 Struct metadata +"],
  PasswordOAuthFlow: ["1 string token_url", "2 string refresh_url", "3 map<string, string> scopes"],
  PushNotificationConfig: ["1 string id", "2 string url", "3 string token", "4 AuthenticationInfo authentication"],
  Security: ["1 map<string, StringList> schemes"],
  SecurityScheme: [
    "1 APIKeySecurityScheme api_key_security_scheme |",
    "2 HTTPAuthSecurityScheme http_auth_security_scheme |",
    "3 OAuth2SecurityScheme oauth2_security_scheme |",
    "4 OpenIdConnectSecurityScheme open_id_connect_security_scheme |",
    "5 MutualTlsSecurityScheme mtls_security_scheme |",
  ],
  SendMessageConfiguration: [
    "1 repeated string accepted_output_modes",
    "2 PushNotificationConfig push_notification",
    "3 int32 history_length",
    "4 bool blocking",
  ],
  SendMessageRequest: ["1 Message request as message", "2 SendMessageConfiguration configuration", "3 Struct metadata"],
  SendMessageResponse: ["1 Task task |", "2 Message msg as message |"],
  StreamResponse: [
    "1 Task task |",
    "2 Message msg as message |",
    "3 TaskStatusUpdateEvent status_update |",
    "4 TaskArtifactUpdateEvent artifact_update |",
  ],
  StringList: ["1 repeated string list"],
  Task: [
    "1 string id",
    "2 string context_id",
    "3 TaskStatus status",
    "4 repeated Artifact artifacts",
    "5 repeated Message history",
    "6 Struct metadata",
  ],
  TaskArtifactUpdateEvent: [
    "1 string task_id",
    "2 string context_id",
    "3 Artifact artifact",
    "4 bool append",
    "5 bool last_chunk",
    "6 Struct metadata",
  ],
  TaskPushNotificationConfig: ["1 string name", "2 PushNotificationConfig push_notification_config"],
  TaskStatus: ["1 TaskState state", "2 Message update as message", "3 Timestamp timestamp"],
  TaskStatusUpdateEvent: [
    "1 string task_id",
    "2 string context_id",
    "3 TaskStatus status",
    "4 bool final",
    "5 Struct metadata",
  ],
  TaskSubscriptionRequest: ["1 string name"],
};

const METHODS: readonly string[] = [
  "SendMessage(SendMessageRequest) -> SendMessageResponse",
  "SendStreamingMessage(SendMessageRequest) -> stream StreamResponse",
  "GetTask(GetTaskRequest) -> Task",
  "CancelTask(CancelTaskRequest) -> Task",
  "TaskSubscription(TaskSubscriptionRequest) -> stream StreamResponse",
  "CreateTaskPushNotificationConfig(CreateTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig",
  "GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig",
  "ListTaskPushNotificationConfig(ListTaskPushNotificationConfigRequest) -> ListTaskPushNotificationConfigResponse",
  "GetAgentCard(GetAgentCardRequest) -> AgentCard",
  "DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest) -> google.protobuf.Empty",
];

const ENUMS: Readonly<Record<string, readonly string[]>> = {
  TaskState: [
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELLED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
  ],
  Role: ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"],
};

const ADDED: ReadonlySet<string> = new Set(["Part.metadata", "FilePart.name", "AgentCard.icon_url"]);

function rowOf(message: string, { number, name, jsonName, type, repeated, oneof }: ProtoField): string {
  const typed = type.kind === "map" ? `map<string, ${type.value.kind === "map" ? "" : type.value.name}>` : type.name;
  const marks = [
    jsonName === jsonNameOf(name) ? "" : ` as ${jsonName}`,
    oneof === undefined ? "" : " |",
    ADDED.has(`${message}.${name}`) ? " +" : "",
  ];
  return `${number} ${repeated ? "repeated " : ""}${typed} ${name}${marks.join("")}`;
}

const proto = parseProto(readFileSync(new URL("../../proto/a2a-v0_3.proto", import.meta.url), "utf8"));

test("the proto has exactly the messages, enums and methods of a2a.v1", () => {
  const byNumber = (a: ProtoField, b: ProtoField): number => a.number - b.number;
  const read = Object.fromEntries(
    proto.messages.map(({ name, fields }) => [name, fields.toSorted(byNumber).map((field) => rowOf(name, field))]),
  );
  assert.equal(proto.package, "a2a.v1");
  assert.deepEqual(read, FIELDS);
  assert.deepEqual(
    Object.fromEntries(proto.enums.map(({ name, values }) => [name, values.map((each) => each.name)])),
    ENUMS,
  );
  const [service] = proto.services;
  assert.deepEqual(
    service?.methods.map(
      ({ name, input, output, serverStreaming }) => `${name}(${input}) -> ${serverStreaming ? "stream " : ""}${output}`,
    ),
    METHODS,
  );
});

const codec = createTableCodec(OLD_RPC);

const registry: FileRegistry = createFileRegistry({
  $typeName: FileDescriptorSetSchema.typeName,
  file: [
    ...Object.entries(DESCRIPTORS).flatMap(([name, text]) => (name.startsWith("google/") ? [text] : [])),
    OLD_RPC.descriptor,
  ].map((text) => fromBinary(FileDescriptorProtoSchema, Buffer.from(text, "base64"))),
});

const MESSAGES: readonly DescMessage[] = [...registry].flatMap((type) =>
  type.kind === "message" && type.typeName.startsWith("a2a.v1.") ? [type] : [],
);

test("every message of the proto is tried", () => {
  assert.deepEqual(MESSAGES.map(({ name }) => name).toSorted(), Object.keys(FIELDS).toSorted());
});

for (const message of MESSAGES) {
  const { name } = message;

  test(`${name} of a2a.v1: protobuf-es reads what we write, and we read what it writes`, () => {
    fc.assert(
      fc.property(objectsOf(message), (object) => {
        const theirs = encodeByOracle(message, object);
        assert.deepEqual(decodeByOracle(message, codec.write(name, object, false)), decodeByOracle(message, theirs));
        assert.deepEqual(encodeByOracle(message, codec.read(name, theirs)), theirs);
      }),
      { numRuns: 40, seed: 20_260_811 },
    );
  });

  test(`${name} of a2a.v1: any change of a byte is read or refused as a fault of the wire`, () => {
    fc.assert(
      fc.property(objectsOf(message), fc.nat(), fc.nat({ max: 255 }), (object, at, byte) => {
        const bytes = encodeByOracle(message, object).subarray(0, 2_000);
        if (bytes.length > 0) bytes[at % bytes.length] = byte;
        try {
          codec.read(name, bytes);
        } catch (thrown) {
          assert.ok(thrown instanceof WireFault, String(thrown));
        }
      }),
      { numRuns: 60, seed: 20_260_812 },
    );
  });
}

test("fields that come twice: the last scalar counts, messages come together, lists go on, the last arm counts", () => {
  const once = codec.write("Message", { messageId: "m-1", role: "ROLE_USER", metadata: { a: 1 } }, false);
  const again = codec.write("Message", { messageId: "m-2", content: [{ text: "x" }], metadata: { b: 2 } }, false);
  assert.deepEqual(codec.read("Message", Buffer.concat([once, again])), {
    messageId: "m-2",
    role: "ROLE_USER",
    metadata: { a: 1, b: 2 },
    content: [{ text: "x" }],
  });
  const text = codec.write("Part", { text: "a" }, false);
  const file = codec.write("Part", { file: { fileWithUri: "https://a.example" } }, false);
  assert.deepEqual(codec.read("Part", Buffer.concat([text, file])), { file: { fileWithUri: "https://a.example" } });
});

test("what is no value of its field is not written", () => {
  const refused: readonly (readonly [message: string, value: object, why: RegExp])[] = [
    ["Message", { role: "user" }, /must be one of ROLE_USER, ROLE_AGENT/],
    ["Message", { messageId: 7 }, /must be a string/],
    ["Message", { content: { text: "a" } }, /must be a list/],
    ["Message", { content: ["a"] }, /must be an object/],
    ["Part", { text: "a", data: {} }, /exactly one/],
    ["FilePart", { fileWithBytes: "***" }, /must be base64/],
    ["GetTaskRequest", { historyLength: 1.5 }, /32-bit/],
    ["Security", { schemes: [] }, /must be an object/],
  ];
  for (const [message, value, why] of refused) {
    assert.throws(
      () => codec.write(message, value, false),
      (thrown) => thrown instanceof ModelError && why.test(thrown.message),
      JSON.stringify(value),
    );
  }
});

test("members that a message does not have are left out, and __proto__ is a name like another", () => {
  assert.deepEqual(codec.read("Part", codec.write("Part", { kind: "text", text: "a" }, false)), { text: "a" });
  const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
  const read = codec.read("Message", codec.write("Message", { metadata }, false));
  assert.equal(JSON.stringify(read), JSON.stringify({ metadata }));
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
