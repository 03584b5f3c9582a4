import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { emitTypes } from "../../../../scripts/model/emit-types.ts";
import { emitValidate } from "../../../../scripts/model/emit-validate.ts";
import { parseProto } from "../../../../scripts/model/proto-parser.ts";
import type { FieldType, ProtoField } from "../../../../scripts/model/proto-schema.ts";

/**
 * Every field, enum value and method of the specification's proto, written out. It is compared with what is read from
 * our own proto/a2a.proto and never computed from it: a change here is a change of the protocol.
 */
const MESSAGES: Readonly<Record<string, readonly string[]>> = {
  SendMessageConfiguration: [
    "1 accepted_output_modes: repeated string",
    "2 task_push_notification_config: TaskPushNotificationConfig",
    "3 history_length: optional int32",
    "4 return_immediately: bool",
  ],
  Task: [
    "1 id: string REQUIRED",
    "2 context_id: string",
    "3 status: TaskStatus REQUIRED",
    "4 artifacts: repeated Artifact",
    "5 history: repeated Message",
    "6 metadata: Struct",
  ],
  TaskStatus: ["1 state: TaskState REQUIRED", "2 message: Message", "3 timestamp: Timestamp"],
  Part: [
    "1 text: string oneof content",
    "2 raw: bytes oneof content",
    "3 url: string oneof content",
    "4 data: Value oneof content",
    "5 metadata: Struct",
    "6 filename: string",
    "7 media_type: string",
  ],
  Message: [
    "1 message_id: string REQUIRED",
    "2 context_id: string",
    "3 task_id: string",
    "4 role: Role REQUIRED",
    "5 parts: repeated Part REQUIRED",
    "6 metadata: Struct",
    "7 extensions: repeated string",
    "8 reference_task_ids: repeated string",
  ],
  Artifact: [
    "1 artifact_id: string REQUIRED",
    "2 name: string",
    "3 description: string",
    "4 parts: repeated Part REQUIRED",
    "5 metadata: Struct",
    "6 extensions: repeated string",
  ],
  TaskStatusUpdateEvent: [
    "1 task_id: string REQUIRED",
    "2 context_id: string REQUIRED",
    "3 status: TaskStatus REQUIRED",
    "4 metadata: Struct",
  ],
  TaskArtifactUpdateEvent: [
    "1 task_id: string REQUIRED",
    "2 context_id: string REQUIRED",
    "3 artifact: Artifact REQUIRED",
    "4 append: bool",
    "5 last_chunk: bool",
    "6 metadata: Struct",
  ],
  AuthenticationInfo: ["1 scheme: string REQUIRED", "2 credentials: string"],
  AgentInterface: [
    "1 url: string REQUIRED",
    "2 protocol_binding: string REQUIRED",
    "3 tenant: string",
    "4 protocol_version: string REQUIRED",
  ],
  AgentCard: [
    "1 name: string REQUIRED",
    "2 description: string REQUIRED",
    "3 supported_interfaces: repeated AgentInterface REQUIRED",
    "4 provider: AgentProvider",
    "5 version: string REQUIRED",
    "6 documentation_url: optional string",
    "7 capabilities: AgentCapabilities REQUIRED",
    "8 security_schemes: map<string, SecurityScheme>",
    "9 security_requirements: repeated SecurityRequirement",
    "10 default_input_modes: repeated string REQUIRED",
    "11 default_output_modes: repeated string REQUIRED",
    "12 skills: repeated AgentSkill REQUIRED",
    "13 signatures: repeated AgentCardSignature",
    "14 icon_url: optional string",
  ],
  AgentProvider: ["1 url: string REQUIRED", "2 organization: string REQUIRED"],
  AgentCapabilities: [
    "1 streaming: optional bool",
    "2 push_notifications: optional bool",
    "3 extensions: repeated AgentExtension",
    "4 extended_agent_card: optional bool",
  ],
  AgentExtension: ["1 uri: string", "2 description: string", "3 required: bool", "4 params: Struct"],
  AgentSkill: [
    "1 id: string REQUIRED",
    "2 name: string REQUIRED",
    "3 description: string REQUIRED",
    "4 tags: repeated string REQUIRED",
    "5 examples: repeated string",
    "6 input_modes: repeated string",
    "7 output_modes: repeated string",
    "8 security_requirements: repeated SecurityRequirement",
  ],
  AgentCardSignature: ["1 protected: string REQUIRED", "2 signature: string REQUIRED", "3 header: Struct"],
  TaskPushNotificationConfig: [
    "1 tenant: string",
    "2 id: string",
    "3 task_id: string",
    "4 url: string REQUIRED",
    "5 token: string",
    "6 authentication: AuthenticationInfo",
  ],
  StringList: ["1 list: repeated string"],
  SecurityRequirement: ["1 schemes: map<string, StringList>"],
  SecurityScheme: [
    "1 api_key_security_scheme: APIKeySecurityScheme oneof scheme",
    "2 http_auth_security_scheme: HTTPAuthSecurityScheme oneof scheme",
    "3 oauth2_security_scheme: OAuth2SecurityScheme oneof scheme",
    "4 open_id_connect_security_scheme: OpenIdConnectSecurityScheme oneof scheme",
    "5 mtls_security_scheme: MutualTlsSecurityScheme oneof scheme",
  ],
  APIKeySecurityScheme: ["1 description: string", "2 location: string REQUIRED", "3 name: string REQUIRED"],
  HTTPAuthSecurityScheme: ["1 description: string", "2 scheme: string REQUIRED", "3 bearer_format: string"],
  OAuth2SecurityScheme: ["1 description: string", "2 flows: OAuthFlows REQUIRED", "3 oauth2_metadata_url: string"],
  OpenIdConnectSecurityScheme: ["1 description: string", "2 open_id_connect_url: string REQUIRED"],
  MutualTlsSecurityScheme: ["1 description: string"],
  OAuthFlows: [
    "1 authorization_code: AuthorizationCodeOAuthFlow oneof flow",
    "2 client_credentials: ClientCredentialsOAuthFlow oneof flow",
    "3 implicit: ImplicitOAuthFlow oneof flow deprecated",
    "4 password: PasswordOAuthFlow oneof flow deprecated",
    "5 device_code: DeviceCodeOAuthFlow oneof flow",
  ],
  AuthorizationCodeOAuthFlow: [
    "1 authorization_url: string REQUIRED",
    "2 token_url: string REQUIRED",
    "3 refresh_url: string",
    "4 scopes: map<string, string> REQUIRED",
    "5 pkce_required: bool",
  ],
  ClientCredentialsOAuthFlow: [
    "1 token_url: string REQUIRED",
    "2 refresh_url: string",
    "3 scopes: map<string, string> REQUIRED",
  ],
  ImplicitOAuthFlow: ["1 authorization_url: string", "2 refresh_url: string", "3 scopes: map<string, string>"],
  PasswordOAuthFlow: ["1 token_url: string", "2 refresh_url: string", "3 scopes: map<string, string>"],
  DeviceCodeOAuthFlow: [
    "1 device_authorization_url: string REQUIRED",
    "2 token_url: string REQUIRED",
    "3 refresh_url: string",
    "4 scopes: map<string, string> REQUIRED",
  ],
  SendMessageRequest: [
    "1 tenant: string",
    "2 message: Message REQUIRED",
    "3 configuration: SendMessageConfiguration",
    "4 metadata: Struct",
  ],
  GetTaskRequest: ["1 tenant: string", "2 id: string REQUIRED", "3 history_length: optional int32"],
  ListTasksRequest: [
    "1 tenant: string",
    "2 context_id: string",
    "3 status: TaskState",
    "4 page_size: optional int32",
    "5 page_token: string",
    "6 history_length: optional int32",
    "7 status_timestamp_after: Timestamp",
    "8 include_artifacts: optional bool",
  ],
  ListTasksResponse: [
    "1 tasks: repeated Task REQUIRED",
    "2 next_page_token: string REQUIRED",
    "3 page_size: int32 REQUIRED",
    "4 total_size: int32 REQUIRED",
  ],
  CancelTaskRequest: ["1 tenant: string", "2 id: string REQUIRED", "3 metadata: Struct"],
  GetTaskPushNotificationConfigRequest: ["1 tenant: string", "2 task_id: string REQUIRED", "3 id: string REQUIRED"],
  DeleteTaskPushNotificationConfigRequest: ["1 tenant: string", "2 task_id: string REQUIRED", "3 id: string REQUIRED"],
  SubscribeToTaskRequest: ["1 tenant: string", "2 id: string REQUIRED"],
  ListTaskPushNotificationConfigsRequest: [
    "4 tenant: string",
    "1 task_id: string REQUIRED",
    "2 page_size: int32",
    "3 page_token: string",
  ],
  GetExtendedAgentCardRequest: ["1 tenant: string"],
  SendMessageResponse: ["1 task: Task oneof payload", "2 message: Message oneof payload"],
  StreamResponse: [
    "1 task: Task oneof payload",
    "2 message: Message oneof payload",
    "3 status_update: TaskStatusUpdateEvent oneof payload",
    "4 artifact_update: TaskArtifactUpdateEvent oneof payload",
  ],
  ListTaskPushNotificationConfigsResponse: [
    "1 configs: repeated TaskPushNotificationConfig",
    "2 next_page_token: string",
  ],
};

const ENUMS: Readonly<Record<string, readonly string[]>> = {
  TaskState: [
    "0 TASK_STATE_UNSPECIFIED",
    "1 TASK_STATE_SUBMITTED",
    "2 TASK_STATE_WORKING",
    "3 TASK_STATE_COMPLETED",
    "4 TASK_STATE_FAILED",
    "5 TASK_STATE_CANCELED",
    "6 TASK_STATE_INPUT_REQUIRED",
    "7 TASK_STATE_REJECTED",
    "8 TASK_STATE_AUTH_REQUIRED",
  ],
  Role: ["0 ROLE_UNSPECIFIED", "1 ROLE_USER", "2 ROLE_AGENT"],
};

const METHODS: readonly string[] = [
  "SendMessage(SendMessageRequest) -> SendMessageResponse | post /message:send body * | post /{tenant}/message:send body *",
  "SendStreamingMessage(SendMessageRequest) -> stream StreamResponse | post /message:stream body * | post /{tenant}/message:stream body *",
  "GetTask(GetTaskRequest) -> Task | get /tasks/{id=*} | get /{tenant}/tasks/{id=*} | signature id",
  "ListTasks(ListTasksRequest) -> ListTasksResponse | get /tasks | get /{tenant}/tasks",
  "CancelTask(CancelTaskRequest) -> Task | post /tasks/{id=*}:cancel body * | post /{tenant}/tasks/{id=*}:cancel body *",
  "SubscribeToTask(SubscribeToTaskRequest) -> stream StreamResponse | get /tasks/{id=*}:subscribe | get /{tenant}/tasks/{id=*}:subscribe",
  "CreateTaskPushNotificationConfig(TaskPushNotificationConfig) -> TaskPushNotificationConfig | post /tasks/{task_id=*}/pushNotificationConfigs body * | post /{tenant}/tasks/{task_id=*}/pushNotificationConfigs body * | signature task_id,config",
  "GetTaskPushNotificationConfig(GetTaskPushNotificationConfigRequest) -> TaskPushNotificationConfig | get /tasks/{task_id=*}/pushNotificationConfigs/{id=*} | get /{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*} | signature task_id,id",
  "ListTaskPushNotificationConfigs(ListTaskPushNotificationConfigsRequest) -> ListTaskPushNotificationConfigsResponse | get /tasks/{task_id=*}/pushNotificationConfigs | get /{tenant}/tasks/{task_id=*}/pushNotificationConfigs | signature task_id",
  "GetExtendedAgentCard(GetExtendedAgentCardRequest) -> AgentCard | get /extendedAgentCard | get /{tenant}/extendedAgentCard",
  "DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest) -> google.protobuf.Empty | delete /tasks/{task_id=*}/pushNotificationConfigs/{id=*} | delete /{tenant}/tasks/{task_id=*}/pushNotificationConfigs/{id=*} | signature task_id,id",
];

const proto = parseProto(readFileSync(new URL("../../proto/a2a.proto", import.meta.url), "utf8"));

test("§4 the proto has exactly the messages and fields of the specification", () => {
  const read = Object.fromEntries(proto.messages.map(({ name, fields }) => [name, fields.map(row)]));
  assert.deepEqual(read, MESSAGES);
});

test("§4 the proto has exactly the enum values of the specification", () => {
  const read = Object.fromEntries(
    proto.enums.map(({ name, values }) => [name, values.map((value) => `${value.number} ${value.name}`)]),
  );
  assert.deepEqual(read, ENUMS);
});

test("§3.1 the service has exactly the methods of the specification", () => {
  assert.equal(proto.package, "lf.a2a.v1");
  assert.deepEqual(
    proto.services.map(({ name }) => name),
    ["A2AService"],
  );
  const read = proto.services[0]!.methods.map((method) => {
    const http = method.http.map(
      ({ verb, path, body }) => `${verb} ${path}${body === undefined ? "" : ` body ${body}`}`,
    );
    const output = `${method.serverStreaming ? "stream " : ""}${method.output}`;
    const signature = method.signature === undefined ? "" : ` | signature ${method.signature}`;
    return `${method.name}(${method.input}) -> ${output} | ${http.join(" | ")}${signature}`;
  });
  assert.deepEqual(read, METHODS);
});

test("the generated files are what the proto gives", () => {
  const outputs: [string, string][] = [["types.ts", emitTypes(proto)], ...emitValidate(proto)];
  assert.equal(outputs.length, 4);
  for (const [name, text] of outputs) {
    assert.equal(readFileSync(new URL(`gen/${name}`, import.meta.url), "utf8"), text, `${name}: run npm run generate`);
  }
});

test("a proto with anything that the generator does not know is refused", () => {
  const refused: [string, RegExp][] = [
    ['syntax = "proto2";', /line 1: only proto3/],
    ["message A { string a = 1 [packed = true]; }", /unknown option packed/],
    ["message A {\n  Missing a = 1;\n}", /unknown type Missing/],
    ["message A {\n  fixed32 a = 1;\n}", /unknown type fixed32/],
    ["message A {\n  string a = x;\n}", /line 2: expected a number, found x/],
    ["extend A {}", /unexpected extend/],
    ["message A { string a = 1;", /ends too early/],
    ["/* block */", /unexpected "\/"/],
  ];
  for (const [source, reason] of refused) assert.throws(() => parseProto(source), reason);
});

function row(field: ProtoField): string {
  const label = field.repeated ? "repeated " : field.optional ? "optional " : "";
  const marks = [
    field.oneof === undefined ? "" : ` oneof ${field.oneof}`,
    field.required ? " REQUIRED" : "",
    field.deprecated ? " deprecated" : "",
  ];
  return `${field.number} ${field.name}: ${label}${typeName(field.type)}${marks.join("")}`;
}

function typeName(type: FieldType): string {
  return type.kind === "map" ? `map<string, ${typeName(type.value)}>` : type.name;
}
