// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import type { JsonObject, JsonValue } from "../json.ts";

/**
 * The states of a task (§4.1.3). Four are terminal and never left, two wait for somebody.
 *
 * "TASK_STATE_UNSPECIFIED" is not part of the type: the strict validator refuses it. A value read leniently from a peer may be
 * it, or any other string that this version does not know.
 */
export type TaskState =
  /** Accepted, not begun. */
  | "TASK_STATE_SUBMITTED"
  /** In progress. */
  | "TASK_STATE_WORKING"
  /** Ended with a result; terminal. */
  | "TASK_STATE_COMPLETED"
  /** Ended with an error; terminal. */
  | "TASK_STATE_FAILED"
  /** Stopped on request; terminal. */
  | "TASK_STATE_CANCELED"
  /** Waits for another message from the caller; interrupted, not terminal. */
  | "TASK_STATE_INPUT_REQUIRED"
  /** The agent will not do it; terminal. */
  | "TASK_STATE_REJECTED"
  /** Waits for an authorisation; interrupted, not terminal. */
  | "TASK_STATE_AUTH_REQUIRED";

/**
 * Who speaks in a message (§4.1.5).
 *
 * "ROLE_UNSPECIFIED" is not part of the type: the strict validator refuses it. A value read leniently from a peer may be
 * it, or any other string that this version does not know.
 */
export type Role =
  /** The caller. */
  | "ROLE_USER"
  /** The agent. */
  | "ROLE_AGENT";

/** How a message is to be handled and answered (§3.2.2). */
export interface SendMessageConfiguration {
  /** Media types that the caller can read in the answer. */
  acceptedOutputModes?: string[];
  /** A webhook for the task that this message starts or continues; its task id is filled in by the server. */
  taskPushNotificationConfig?: TaskPushNotificationConfig;
  /** How many of the newest messages the answer carries: unset is no limit by the caller, 0 is none. */
  historyLength?: number;
  /** True: answer as soon as the task exists. False: answer when the task ends or waits for someone. */
  returnImmediately?: boolean;
}

/** A piece of work with a state, a history of messages and artifacts as its result (§4.1.1). */
export interface Task {
  /** Made by the server when the task is created. */
  id: string;
  /** The conversation that the task belongs to. */
  contextId?: string;
  /** Where the task stands now. */
  status: TaskStatus;
  /** What the task has produced. */
  artifacts?: Artifact[];
  /** The messages of the task, oldest first, without the one in the current status. */
  history?: Message[];
  /** Free key-value data of the agent. */
  metadata?: JsonObject;
}

/** The state of a task, since when, and what the agent said with it (§4.1.2). */
export interface TaskStatus {
  /** The state. */
  state: TaskState;
  /** A message for the caller, such as a question or a reason. */
  message?: Message;
  /** When the task took this state. */
  timestamp?: string;
}

/** One piece of content: exactly one of text, raw bytes, a URL or structured data (§4.1.6). */
export type Part =
  | {
      /** Plain text. */
      text: string;
      raw?: never;
      url?: never;
      data?: never;
      /** Free key-value data about this part. */
      metadata?: JsonObject;
      /** A name for the content as a file, such as "report.pdf". */
      filename?: string;
      /** The media type of the content, such as "image/png". */
      mediaType?: string;
    }
  | {
      /** The bytes of a file; base64 in JSON. */
      raw: string;
      text?: never;
      url?: never;
      data?: never;
      /** Free key-value data about this part. */
      metadata?: JsonObject;
      /** A name for the content as a file, such as "report.pdf". */
      filename?: string;
      /** The media type of the content, such as "image/png". */
      mediaType?: string;
    }
  | {
      /** Where the content can be fetched. */
      url: string;
      text?: never;
      raw?: never;
      data?: never;
      /** Free key-value data about this part. */
      metadata?: JsonObject;
      /** A name for the content as a file, such as "report.pdf". */
      filename?: string;
      /** The media type of the content, such as "image/png". */
      mediaType?: string;
    }
  | {
      /** Any JSON value, null included. */
      data: JsonValue;
      text?: never;
      raw?: never;
      url?: never;
      /** Free key-value data about this part. */
      metadata?: JsonObject;
      /** A name for the content as a file, such as "report.pdf". */
      filename?: string;
      /** The media type of the content, such as "image/png". */
      mediaType?: string;
    };

/** One turn of talk between caller and agent (§4.1.4). */
export interface Message {
  /** Made by the sender of the message; sent again it means the same message. */
  messageId: string;
  /** The conversation that the message belongs to; given together with taskId they must agree. */
  contextId?: string;
  /** The task that the message is for. */
  taskId?: string;
  /** Who speaks. */
  role: Role;
  /** The content; at least one part. */
  parts: Part[];
  /** Free key-value data about the message. */
  metadata?: JsonObject;
  /** URIs of the extensions that shaped this message. */
  extensions?: string[];
  /** Ids of other tasks that the message refers to. */
  referenceTaskIds?: string[];
}

/** A result of a task (§4.1.7). */
export interface Artifact {
  /** Unique within its task. */
  artifactId: string;
  /** A name for people. */
  name?: string;
  /** A description for people. */
  description?: string;
  /** The content; at least one part. */
  parts: Part[];
  /** Free key-value data about the artifact. */
  metadata?: JsonObject;
  /** URIs of the extensions that shaped this artifact. */
  extensions?: string[];
}

/** Says that a task has a new status (§4.2.1). */
export interface TaskStatusUpdateEvent {
  /** The task. */
  taskId: string;
  /** The conversation that the task belongs to. */
  contextId: string;
  /** The new status. */
  status: TaskStatus;
  /** Free key-value data about the event. */
  metadata?: JsonObject;
}

/** Carries an artifact of a task, whole or one chunk of it (§4.2.2). */
export interface TaskArtifactUpdateEvent {
  /** The task. */
  taskId: string;
  /** The conversation that the task belongs to. */
  contextId: string;
  /** The artifact, or the parts to append to it. */
  artifact: Artifact;
  /** True: append the parts to the artifact of the same id. False: replace it. */
  append?: boolean;
  /** True: no more chunks of this artifact follow. */
  lastChunk?: boolean;
  /** Free key-value data about the event. */
  metadata?: JsonObject;
}

/** How a webhook is authenticated (§4.3.2). */
export interface AuthenticationInfo {
  /** An HTTP authentication scheme such as "Bearer"; upper and lower case mean the same. */
  scheme: string;
  /** What follows the scheme in the Authorization header. */
  credentials?: string;
}

/** One address of an agent: a URL, a binding, a protocol version (§4.4.6). */
export interface AgentInterface {
  /** An absolute URL, https in production; "host:port" for gRPC. */
  url: string;
  /** "JSONRPC", "GRPC", "HTTP+JSON", or the name of another binding. */
  protocolBinding: string;
  /** When set, every request to this interface carries this value in its own tenant field. */
  tenant?: string;
  /** The protocol version spoken here, such as "1.0". */
  protocolVersion: string;
}

/** What an agent says about itself: who it is, what it can do, where and how to reach it (§4.4.1). */
export interface AgentCard {
  /** A name for people. */
  name: string;
  /** What the agent is for. */
  description: string;
  /** The addresses of the agent in order of preference. */
  supportedInterfaces: AgentInterface[];
  /** Who runs the agent. */
  provider?: AgentProvider;
  /** The version of the agent itself, not of the protocol. */
  version: string;
  /** Where people read more. */
  documentationUrl?: string;
  /** Which optional parts of the protocol the agent supports. */
  capabilities: AgentCapabilities;
  /** The ways to authenticate, by a name of the agent's choice. */
  securitySchemes?: Record<string, SecurityScheme>;
  /** What a caller needs; one entry of the list is enough. */
  securityRequirements?: SecurityRequirement[];
  /** Media types that all skills read, unless a skill says otherwise. */
  defaultInputModes: string[];
  /** Media types that all skills write, unless a skill says otherwise. */
  defaultOutputModes: string[];
  /** What the agent can be asked to do. */
  skills: AgentSkill[];
  /** Signatures of this card (§8.4). */
  signatures?: AgentCardSignature[];
  /** An icon for people. */
  iconUrl?: string;
}

/** Who runs an agent (§4.4.2). */
export interface AgentProvider {
  /** A web page of the provider. */
  url: string;
  /** The provider's name. */
  organization: string;
}

/** Which optional parts of the protocol an agent supports (§4.4.3). */
export interface AgentCapabilities {
  /** Answers as a stream. */
  streaming?: boolean;
  /** Calls webhooks. */
  pushNotifications?: boolean;
  /** Protocol extensions that the agent knows. */
  extensions?: AgentExtension[];
  /** Has a fuller card for authenticated callers. */
  extendedAgentCard?: boolean;
}

/** An extension of the protocol that an agent knows (§4.4.4). */
export interface AgentExtension {
  /** The name of the extension. */
  uri?: string;
  /** How the agent uses it. */
  description?: string;
  /** True: a caller that does not know the extension is refused. */
  required?: boolean;
  /** Settings that the extension itself defines. */
  params?: JsonObject;
}

/** Something that an agent can be asked to do (§4.4.5). */
export interface AgentSkill {
  /** Unique within the card. */
  id: string;
  /** A name for people. */
  name: string;
  /** What the skill does. */
  description: string;
  /** Keywords to find the skill by. */
  tags: string[];
  /** Requests that the skill can serve. */
  examples?: string[];
  /** Media types that this skill reads, in place of the card's. */
  inputModes?: string[];
  /** Media types that this skill writes, in place of the card's. */
  outputModes?: string[];
  /** What a caller needs for this skill. */
  securityRequirements?: SecurityRequirement[];
}

/** A JSON Web Signature over a card (§4.4.7, RFC 7515). */
export interface AgentCardSignature {
  /** The protected header: a JSON object in base64url. */
  protected: string;
  /** The signature in base64url. */
  signature: string;
  /** Header values that the signature does not cover. */
  header?: JsonObject;
}

/** A webhook for the updates of a task (§4.3.1). */
export interface TaskPushNotificationConfig {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The id of this registration, unique within its task; made by the server when absent. */
  id?: string;
  /** The task whose updates are sent. */
  taskId?: string;
  /** Where updates are sent. */
  url: string;
  /** A secret of the caller that comes back with every update. */
  token?: string;
  /** How the agent authenticates at the webhook. */
  authentication?: AuthenticationInfo;
}

/** A list of strings as the value of a map. */
export interface StringList {
  /** The strings. */
  list?: string[];
}

/** Schemes that are needed together (§4.5.1). */
export interface SecurityRequirement {
  /** The needed scopes by the name of a scheme of the card; an empty list needs no scope. */
  schemes?: Record<string, StringList>;
}

/** One way to authenticate: exactly one kind (§4.5.1). */
export type SecurityScheme =
  | {
      /** A key in a header, a query parameter or a cookie. */
      apiKeySecurityScheme: APIKeySecurityScheme;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      /** An HTTP authentication scheme such as Bearer. */
      httpAuthSecurityScheme: HTTPAuthSecurityScheme;
      apiKeySecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      /** OAuth 2.0. */
      oauth2SecurityScheme: OAuth2SecurityScheme;
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      /** OpenID Connect. */
      openIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      mtlsSecurityScheme?: never;
    }
  | {
      /** A client certificate. */
      mtlsSecurityScheme: MutualTlsSecurityScheme;
      apiKeySecurityScheme?: never;
      httpAuthSecurityScheme?: never;
      oauth2SecurityScheme?: never;
      openIdConnectSecurityScheme?: never;
    };

/** A key that is sent with each request (§4.5.2). */
export interface APIKeySecurityScheme {
  /** A description for people. */
  description?: string;
  /** "header", "query" or "cookie". */
  location: string;
  /** The name of the header, parameter or cookie. */
  name: string;
}

/** An HTTP authentication scheme (§4.5.3). */
export interface HTTPAuthSecurityScheme {
  /** A description for people. */
  description?: string;
  /** The scheme as in the Authorization header, such as "Bearer". */
  scheme: string;
  /** A hint about the form of the token, such as "JWT". */
  bearerFormat?: string;
}

/** OAuth 2.0 (§4.5.4). */
export interface OAuth2SecurityScheme {
  /** A description for people. */
  description?: string;
  /** The flow to use. */
  flows: OAuthFlows;
  /** Where the metadata of the authorization server is (RFC 8414); https. */
  oauth2MetadataUrl?: string;
}

/** OpenID Connect (§4.5.5). */
export interface OpenIdConnectSecurityScheme {
  /** A description for people. */
  description?: string;
  /** The discovery URL of the provider. */
  openIdConnectUrl: string;
}

/** Mutual TLS (§4.5.6). */
export interface MutualTlsSecurityScheme {
  /** A description for people. */
  description?: string;
}

/** The OAuth 2.0 flow of a scheme: exactly one (§4.5.7). */
export type OAuthFlows =
  | {
      /** A person approves in a browser. */
      authorizationCode: AuthorizationCodeOAuthFlow;
      clientCredentials?: never;
      implicit?: never;
      password?: never;
      deviceCode?: never;
    }
  | {
      /** A program authenticates as itself. */
      clientCredentials: ClientCredentialsOAuthFlow;
      authorizationCode?: never;
      implicit?: never;
      password?: never;
      deviceCode?: never;
    }
  | {
      /**
       * Use authorizationCode with PKCE in its place.
       * @deprecated
       */
      implicit: ImplicitOAuthFlow;
      authorizationCode?: never;
      clientCredentials?: never;
      password?: never;
      deviceCode?: never;
    }
  | {
      /**
       * Use authorizationCode with PKCE, or deviceCode, in its place.
       * @deprecated
       */
      password: PasswordOAuthFlow;
      authorizationCode?: never;
      clientCredentials?: never;
      implicit?: never;
      deviceCode?: never;
    }
  | {
      /** A person approves on another device. */
      deviceCode: DeviceCodeOAuthFlow;
      authorizationCode?: never;
      clientCredentials?: never;
      implicit?: never;
      password?: never;
    };

/** The authorization code flow (§4.5.8). */
export interface AuthorizationCodeOAuthFlow {
  /** Where the person is sent. */
  authorizationUrl: string;
  /** Where the code is exchanged. */
  tokenUrl: string;
  /** Where a token is refreshed. */
  refreshUrl?: string;
  /** A description of each scope by its name. */
  scopes: Record<string, string>;
  /** True: PKCE (RFC 7636) is demanded. */
  pkceRequired?: boolean;
}

/** The client credentials flow (§4.5.9). */
export interface ClientCredentialsOAuthFlow {
  /** Where a token is asked for. */
  tokenUrl: string;
  /** Where a token is refreshed. */
  refreshUrl?: string;
  /** A description of each scope by its name. */
  scopes: Record<string, string>;
}

/** The implicit flow; deprecated, use the authorization code flow with PKCE. */
export interface ImplicitOAuthFlow {
  /** Where the person is sent. */
  authorizationUrl?: string;
  /** Where a token is refreshed. */
  refreshUrl?: string;
  /** A description of each scope by its name. */
  scopes?: Record<string, string>;
}

/** The password flow; deprecated, use the authorization code flow with PKCE or the device code flow. */
export interface PasswordOAuthFlow {
  /** Where a token is asked for. */
  tokenUrl?: string;
  /** Where a token is refreshed. */
  refreshUrl?: string;
  /** A description of each scope by its name. */
  scopes?: Record<string, string>;
}

/** The device code flow (§4.5.10, RFC 8628). */
export interface DeviceCodeOAuthFlow {
  /** Where the device asks for a code. */
  deviceAuthorizationUrl: string;
  /** Where a token is asked for. */
  tokenUrl: string;
  /** Where a token is refreshed. */
  refreshUrl?: string;
  /** A description of each scope by its name. */
  scopes: Record<string, string>;
}

/** What SendMessage and SendStreamingMessage take (§3.2.1). */
export interface SendMessageRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The message. */
  message: Message;
  /** How it is to be handled and answered. */
  configuration?: SendMessageConfiguration;
  /** Free key-value data for the agent. */
  metadata?: JsonObject;
}

/** What GetTask takes. */
export interface GetTaskRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  id: string;
  /** How many of the newest messages the answer carries: unset is no limit by the caller, 0 is none. */
  historyLength?: number;
}

/** What ListTasks takes. A filter that is not set lets everything through. */
export interface ListTasksRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** Only tasks of this conversation. */
  contextId?: string;
  /** Only tasks in this state. */
  status?: TaskState;
  /** At most this many tasks: 1 to 100, 50 when unset. */
  pageSize?: number;
  /** The nextPageToken of the page before. */
  pageToken?: string;
  /** How many of the newest messages each task carries. */
  historyLength?: number;
  /** Only tasks whose status is of this time or later. */
  statusTimestampAfter?: string;
  /** True: tasks carry their artifacts. */
  includeArtifacts?: boolean;
}

/** One page of tasks. All four fields are always there. */
export interface ListTasksResponse {
  /** The tasks of this page. */
  tasks: Task[];
  /** Asks for the next page; empty on the last one. */
  nextPageToken: string;
  /** The page size that was applied. */
  pageSize: number;
  /** How many tasks match, on all pages together. */
  totalSize: number;
}

/** What CancelTask takes. */
export interface CancelTaskRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  id: string;
  /** Free key-value data for the agent. */
  metadata?: JsonObject;
}

/** What GetTaskPushNotificationConfig takes. */
export interface GetTaskPushNotificationConfigRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  taskId: string;
  /** The registration. */
  id: string;
}

/** What DeleteTaskPushNotificationConfig takes. */
export interface DeleteTaskPushNotificationConfigRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  taskId: string;
  /** The registration. */
  id: string;
}

/** What SubscribeToTask takes. */
export interface SubscribeToTaskRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  id: string;
}

/** What ListTaskPushNotificationConfigs takes. */
export interface ListTaskPushNotificationConfigsRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
  /** The task. */
  taskId: string;
  /** At most this many registrations; the server chooses when unset. */
  pageSize?: number;
  /** The nextPageToken of the page before. */
  pageToken?: string;
}

/** What GetExtendedAgentCard takes. */
export interface GetExtendedAgentCardRequest {
  /** The tenant of the interface that is called. */
  tenant?: string;
}

/** What SendMessage answers: a task or a message (§3.1.1). */
export type SendMessageResponse =
  | {
      /** The task that the message started or continued. */
      task: Task;
      message?: never;
    }
  | {
      /** The agent's reply, when it needed no task. */
      message: Message;
      task?: never;
    };

/** One event of a stream (§3.2.3). */
export type StreamResponse =
  | {
      /** The task as it is; always the first event of a task's stream. */
      task: Task;
      message?: never;
      statusUpdate?: never;
      artifactUpdate?: never;
    }
  | {
      /** The agent's reply; then it is the only event. */
      message: Message;
      task?: never;
      statusUpdate?: never;
      artifactUpdate?: never;
    }
  | {
      /** The task has a new status. */
      statusUpdate: TaskStatusUpdateEvent;
      task?: never;
      message?: never;
      artifactUpdate?: never;
    }
  | {
      /** An artifact, or a chunk of one. */
      artifactUpdate: TaskArtifactUpdateEvent;
      task?: never;
      message?: never;
      statusUpdate?: never;
    };

/** One page of webhook registrations. */
export interface ListTaskPushNotificationConfigsResponse {
  /** The registrations of this page. */
  configs?: TaskPushNotificationConfig[];
  /** Asks for the next page; empty on the last one. */
  nextPageToken?: string;
}
