// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import { ROLE_NAMES, TASK_STATE_NAMES } from "../../../model/enum-names.ts";
import type { Loose } from "../../../model/notes.ts";
import type { BinaryReader } from "../binary-reader.ts";
import { dropArms, listOf, objectOf, readBase64, readEnum } from "../scalars.ts";
import { readStruct, readTimestamp, readValue, setMember } from "../well-known.ts";

/** Reads the fields of a SendMessageConfiguration into `o`. */
export function readSendMessageConfiguration(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.acceptedOutputModes = listOf(o.acceptedOutputModes, r.text(end));
        break;
      case 18:
        o.taskPushNotificationConfig = readTaskPushNotificationConfig(r, r.stop(end), objectOf(o.taskPushNotificationConfig));
        break;
      case 24:
        o.historyLength = r.int(end);
        break;
      case 32:
        o.returnImmediately = r.bool(end);
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a Task into `o`. */
export function readTask(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.id = r.text(end);
        break;
      case 18:
        o.contextId = r.text(end);
        break;
      case 26:
        o.status = readTaskStatus(r, r.stop(end), objectOf(o.status));
        break;
      case 34:
        o.artifacts = listOf(o.artifacts, readArtifact(r, r.stop(end)));
        break;
      case 42:
        o.history = listOf(o.history, readMessage(r, r.stop(end)));
        break;
      case 50:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      default:
        r.skip(tag, 126, end);
    }
  }
  return o;
}

/** Reads the fields of a TaskStatus into `o`. */
export function readTaskStatus(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 8:
        o.state = readEnum(r, end, TASK_STATE_NAMES);
        break;
      case 18:
        o.message = readMessage(r, r.stop(end), objectOf(o.message));
        break;
      case 26:
        o.timestamp = readTimestamp(r, r.stop(end));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

const PART_ARMS: readonly string[] = ["text","raw","url","data"];

/** Reads the fields of a Part into `o`. */
export function readPart(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        dropArms(o, PART_ARMS, "text");
        o.text = r.text(end);
        break;
      case 18:
        dropArms(o, PART_ARMS, "raw");
        o.raw = readBase64(r, end);
        break;
      case 26:
        dropArms(o, PART_ARMS, "url");
        o.url = r.text(end);
        break;
      case 34:
        dropArms(o, PART_ARMS, "data");
        o.data = readValue(r, r.stop(end));
        break;
      case 42:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      case 50:
        o.filename = r.text(end);
        break;
      case 58:
        o.mediaType = r.text(end);
        break;
      default:
        r.skip(tag, 254, end);
    }
  }
  return o;
}

/** Reads the fields of a Message into `o`. */
export function readMessage(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.messageId = r.text(end);
        break;
      case 18:
        o.contextId = r.text(end);
        break;
      case 26:
        o.taskId = r.text(end);
        break;
      case 32:
        o.role = readEnum(r, end, ROLE_NAMES);
        break;
      case 42:
        o.parts = listOf(o.parts, readPart(r, r.stop(end)));
        break;
      case 50:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      case 58:
        o.extensions = listOf(o.extensions, r.text(end));
        break;
      case 66:
        o.referenceTaskIds = listOf(o.referenceTaskIds, r.text(end));
        break;
      default:
        r.skip(tag, 510, end);
    }
  }
  return o;
}

/** Reads the fields of a Artifact into `o`. */
export function readArtifact(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.artifactId = r.text(end);
        break;
      case 18:
        o.name = r.text(end);
        break;
      case 26:
        o.description = r.text(end);
        break;
      case 34:
        o.parts = listOf(o.parts, readPart(r, r.stop(end)));
        break;
      case 42:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      case 50:
        o.extensions = listOf(o.extensions, r.text(end));
        break;
      default:
        r.skip(tag, 126, end);
    }
  }
  return o;
}

/** Reads the fields of a TaskStatusUpdateEvent into `o`. */
export function readTaskStatusUpdateEvent(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.taskId = r.text(end);
        break;
      case 18:
        o.contextId = r.text(end);
        break;
      case 26:
        o.status = readTaskStatus(r, r.stop(end), objectOf(o.status));
        break;
      case 34:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a TaskArtifactUpdateEvent into `o`. */
export function readTaskArtifactUpdateEvent(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.taskId = r.text(end);
        break;
      case 18:
        o.contextId = r.text(end);
        break;
      case 26:
        o.artifact = readArtifact(r, r.stop(end), objectOf(o.artifact));
        break;
      case 32:
        o.append = r.bool(end);
        break;
      case 40:
        o.lastChunk = r.bool(end);
        break;
      case 50:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      default:
        r.skip(tag, 126, end);
    }
  }
  return o;
}

/** Reads the fields of a AuthenticationInfo into `o`. */
export function readAuthenticationInfo(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.scheme = r.text(end);
        break;
      case 18:
        o.credentials = r.text(end);
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentInterface into `o`. */
export function readAgentInterface(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.url = r.text(end);
        break;
      case 18:
        o.protocolBinding = r.text(end);
        break;
      case 26:
        o.tenant = r.text(end);
        break;
      case 34:
        o.protocolVersion = r.text(end);
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentCard into `o`. */
export function readAgentCard(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.name = r.text(end);
        break;
      case 18:
        o.description = r.text(end);
        break;
      case 26:
        o.supportedInterfaces = listOf(o.supportedInterfaces, readAgentInterface(r, r.stop(end)));
        break;
      case 34:
        o.provider = readAgentProvider(r, r.stop(end), objectOf(o.provider));
        break;
      case 42:
        o.version = r.text(end);
        break;
      case 50:
        o.documentationUrl = r.text(end);
        break;
      case 58:
        o.capabilities = readAgentCapabilities(r, r.stop(end), objectOf(o.capabilities));
        break;
      case 66:
        o.securitySchemes = readAgentCardSecuritySchemes(r, r.stop(end), objectOf(o.securitySchemes));
        break;
      case 74:
        o.securityRequirements = listOf(o.securityRequirements, readSecurityRequirement(r, r.stop(end)));
        break;
      case 82:
        o.defaultInputModes = listOf(o.defaultInputModes, r.text(end));
        break;
      case 90:
        o.defaultOutputModes = listOf(o.defaultOutputModes, r.text(end));
        break;
      case 98:
        o.skills = listOf(o.skills, readAgentSkill(r, r.stop(end)));
        break;
      case 106:
        o.signatures = listOf(o.signatures, readAgentCardSignature(r, r.stop(end)));
        break;
      case 114:
        o.iconUrl = r.text(end);
        break;
      default:
        r.skip(tag, 32766, end);
    }
  }
  return o;
}

function readAgentCardSecuritySchemes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = {};
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = readSecurityScheme(r, r.stop(end));
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a AgentProvider into `o`. */
export function readAgentProvider(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.url = r.text(end);
        break;
      case 18:
        o.organization = r.text(end);
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentCapabilities into `o`. */
export function readAgentCapabilities(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 8:
        o.streaming = r.bool(end);
        break;
      case 16:
        o.pushNotifications = r.bool(end);
        break;
      case 26:
        o.extensions = listOf(o.extensions, readAgentExtension(r, r.stop(end)));
        break;
      case 32:
        o.extendedAgentCard = r.bool(end);
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentExtension into `o`. */
export function readAgentExtension(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.uri = r.text(end);
        break;
      case 18:
        o.description = r.text(end);
        break;
      case 24:
        o.required = r.bool(end);
        break;
      case 34:
        o.params = readStruct(r, r.stop(end), objectOf(o.params));
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentSkill into `o`. */
export function readAgentSkill(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.id = r.text(end);
        break;
      case 18:
        o.name = r.text(end);
        break;
      case 26:
        o.description = r.text(end);
        break;
      case 34:
        o.tags = listOf(o.tags, r.text(end));
        break;
      case 42:
        o.examples = listOf(o.examples, r.text(end));
        break;
      case 50:
        o.inputModes = listOf(o.inputModes, r.text(end));
        break;
      case 58:
        o.outputModes = listOf(o.outputModes, r.text(end));
        break;
      case 66:
        o.securityRequirements = listOf(o.securityRequirements, readSecurityRequirement(r, r.stop(end)));
        break;
      default:
        r.skip(tag, 510, end);
    }
  }
  return o;
}

/** Reads the fields of a AgentCardSignature into `o`. */
export function readAgentCardSignature(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.protected = r.text(end);
        break;
      case 18:
        o.signature = r.text(end);
        break;
      case 26:
        o.header = readStruct(r, r.stop(end), objectOf(o.header));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a TaskPushNotificationConfig into `o`. */
export function readTaskPushNotificationConfig(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.id = r.text(end);
        break;
      case 26:
        o.taskId = r.text(end);
        break;
      case 34:
        o.url = r.text(end);
        break;
      case 42:
        o.token = r.text(end);
        break;
      case 50:
        o.authentication = readAuthenticationInfo(r, r.stop(end), objectOf(o.authentication));
        break;
      default:
        r.skip(tag, 126, end);
    }
  }
  return o;
}

/** Reads the fields of a StringList into `o`. */
export function readStringList(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.list = listOf(o.list, r.text(end));
        break;
      default:
        r.skip(tag, 2, end);
    }
  }
  return o;
}

/** Reads the fields of a SecurityRequirement into `o`. */
export function readSecurityRequirement(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.schemes = readSecurityRequirementSchemes(r, r.stop(end), objectOf(o.schemes));
        break;
      default:
        r.skip(tag, 2, end);
    }
  }
  return o;
}

function readSecurityRequirementSchemes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = {};
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = readStringList(r, r.stop(end));
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

const SECURITY_SCHEME_ARMS: readonly string[] = ["apiKeySecurityScheme","httpAuthSecurityScheme","oauth2SecurityScheme","openIdConnectSecurityScheme","mtlsSecurityScheme"];

/** Reads the fields of a SecurityScheme into `o`. */
export function readSecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        dropArms(o, SECURITY_SCHEME_ARMS, "apiKeySecurityScheme");
        o.apiKeySecurityScheme = readAPIKeySecurityScheme(r, r.stop(end), objectOf(o.apiKeySecurityScheme));
        break;
      case 18:
        dropArms(o, SECURITY_SCHEME_ARMS, "httpAuthSecurityScheme");
        o.httpAuthSecurityScheme = readHTTPAuthSecurityScheme(r, r.stop(end), objectOf(o.httpAuthSecurityScheme));
        break;
      case 26:
        dropArms(o, SECURITY_SCHEME_ARMS, "oauth2SecurityScheme");
        o.oauth2SecurityScheme = readOAuth2SecurityScheme(r, r.stop(end), objectOf(o.oauth2SecurityScheme));
        break;
      case 34:
        dropArms(o, SECURITY_SCHEME_ARMS, "openIdConnectSecurityScheme");
        o.openIdConnectSecurityScheme = readOpenIdConnectSecurityScheme(r, r.stop(end), objectOf(o.openIdConnectSecurityScheme));
        break;
      case 42:
        dropArms(o, SECURITY_SCHEME_ARMS, "mtlsSecurityScheme");
        o.mtlsSecurityScheme = readMutualTlsSecurityScheme(r, r.stop(end), objectOf(o.mtlsSecurityScheme));
        break;
      default:
        r.skip(tag, 62, end);
    }
  }
  return o;
}

/** Reads the fields of a APIKeySecurityScheme into `o`. */
export function readAPIKeySecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.description = r.text(end);
        break;
      case 18:
        o.location = r.text(end);
        break;
      case 26:
        o.name = r.text(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a HTTPAuthSecurityScheme into `o`. */
export function readHTTPAuthSecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.description = r.text(end);
        break;
      case 18:
        o.scheme = r.text(end);
        break;
      case 26:
        o.bearerFormat = r.text(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a OAuth2SecurityScheme into `o`. */
export function readOAuth2SecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.description = r.text(end);
        break;
      case 18:
        o.flows = readOAuthFlows(r, r.stop(end), objectOf(o.flows));
        break;
      case 26:
        o.oauth2MetadataUrl = r.text(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a OpenIdConnectSecurityScheme into `o`. */
export function readOpenIdConnectSecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.description = r.text(end);
        break;
      case 18:
        o.openIdConnectUrl = r.text(end);
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}

/** Reads the fields of a MutualTlsSecurityScheme into `o`. */
export function readMutualTlsSecurityScheme(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.description = r.text(end);
        break;
      default:
        r.skip(tag, 2, end);
    }
  }
  return o;
}

const OAUTH_FLOWS_ARMS: readonly string[] = ["authorizationCode","clientCredentials","implicit","password","deviceCode"];

/** Reads the fields of a OAuthFlows into `o`. */
export function readOAuthFlows(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        dropArms(o, OAUTH_FLOWS_ARMS, "authorizationCode");
        o.authorizationCode = readAuthorizationCodeOAuthFlow(r, r.stop(end), objectOf(o.authorizationCode));
        break;
      case 18:
        dropArms(o, OAUTH_FLOWS_ARMS, "clientCredentials");
        o.clientCredentials = readClientCredentialsOAuthFlow(r, r.stop(end), objectOf(o.clientCredentials));
        break;
      case 26:
        dropArms(o, OAUTH_FLOWS_ARMS, "implicit");
        o.implicit = readImplicitOAuthFlow(r, r.stop(end), objectOf(o.implicit));
        break;
      case 34:
        dropArms(o, OAUTH_FLOWS_ARMS, "password");
        o.password = readPasswordOAuthFlow(r, r.stop(end), objectOf(o.password));
        break;
      case 42:
        dropArms(o, OAUTH_FLOWS_ARMS, "deviceCode");
        o.deviceCode = readDeviceCodeOAuthFlow(r, r.stop(end), objectOf(o.deviceCode));
        break;
      default:
        r.skip(tag, 62, end);
    }
  }
  return o;
}

/** Reads the fields of a AuthorizationCodeOAuthFlow into `o`. */
export function readAuthorizationCodeOAuthFlow(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.authorizationUrl = r.text(end);
        break;
      case 18:
        o.tokenUrl = r.text(end);
        break;
      case 26:
        o.refreshUrl = r.text(end);
        break;
      case 34:
        o.scopes = readAuthorizationCodeOAuthFlowScopes(r, r.stop(end), objectOf(o.scopes));
        break;
      case 40:
        o.pkceRequired = r.bool(end);
        break;
      default:
        r.skip(tag, 62, end);
    }
  }
  return o;
}

function readAuthorizationCodeOAuthFlowScopes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = "";
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = r.text(end);
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a ClientCredentialsOAuthFlow into `o`. */
export function readClientCredentialsOAuthFlow(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tokenUrl = r.text(end);
        break;
      case 18:
        o.refreshUrl = r.text(end);
        break;
      case 26:
        o.scopes = readClientCredentialsOAuthFlowScopes(r, r.stop(end), objectOf(o.scopes));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

function readClientCredentialsOAuthFlowScopes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = "";
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = r.text(end);
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a ImplicitOAuthFlow into `o`. */
export function readImplicitOAuthFlow(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.authorizationUrl = r.text(end);
        break;
      case 18:
        o.refreshUrl = r.text(end);
        break;
      case 26:
        o.scopes = readImplicitOAuthFlowScopes(r, r.stop(end), objectOf(o.scopes));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

function readImplicitOAuthFlowScopes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = "";
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = r.text(end);
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a PasswordOAuthFlow into `o`. */
export function readPasswordOAuthFlow(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tokenUrl = r.text(end);
        break;
      case 18:
        o.refreshUrl = r.text(end);
        break;
      case 26:
        o.scopes = readPasswordOAuthFlowScopes(r, r.stop(end), objectOf(o.scopes));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

function readPasswordOAuthFlowScopes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = "";
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = r.text(end);
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a DeviceCodeOAuthFlow into `o`. */
export function readDeviceCodeOAuthFlow(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.deviceAuthorizationUrl = r.text(end);
        break;
      case 18:
        o.tokenUrl = r.text(end);
        break;
      case 26:
        o.refreshUrl = r.text(end);
        break;
      case 34:
        o.scopes = readDeviceCodeOAuthFlowScopes(r, r.stop(end), objectOf(o.scopes));
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

function readDeviceCodeOAuthFlowScopes(r: BinaryReader, end: number, o: Loose): Loose {
  let key = "";
  let value: unknown = "";
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 10) key = r.text(end);
    else if (tag === 18) value = r.text(end);
    else r.skip(tag, 6, end);
  }
  setMember(o, key, value);
  return o;
}

/** Reads the fields of a SendMessageRequest into `o`. */
export function readSendMessageRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.message = readMessage(r, r.stop(end), objectOf(o.message));
        break;
      case 26:
        o.configuration = readSendMessageConfiguration(r, r.stop(end), objectOf(o.configuration));
        break;
      case 34:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a GetTaskRequest into `o`. */
export function readGetTaskRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.id = r.text(end);
        break;
      case 24:
        o.historyLength = r.int(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a ListTasksRequest into `o`. */
export function readListTasksRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.contextId = r.text(end);
        break;
      case 24:
        o.status = readEnum(r, end, TASK_STATE_NAMES);
        break;
      case 32:
        o.pageSize = r.int(end);
        break;
      case 42:
        o.pageToken = r.text(end);
        break;
      case 48:
        o.historyLength = r.int(end);
        break;
      case 58:
        o.statusTimestampAfter = readTimestamp(r, r.stop(end));
        break;
      case 64:
        o.includeArtifacts = r.bool(end);
        break;
      default:
        r.skip(tag, 510, end);
    }
  }
  return o;
}

/** Reads the fields of a ListTasksResponse into `o`. */
export function readListTasksResponse(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tasks = listOf(o.tasks, readTask(r, r.stop(end)));
        break;
      case 18:
        o.nextPageToken = r.text(end);
        break;
      case 24:
        o.pageSize = r.int(end);
        break;
      case 32:
        o.totalSize = r.int(end);
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a CancelTaskRequest into `o`. */
export function readCancelTaskRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.id = r.text(end);
        break;
      case 26:
        o.metadata = readStruct(r, r.stop(end), objectOf(o.metadata));
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a GetTaskPushNotificationConfigRequest into `o`. */
export function readGetTaskPushNotificationConfigRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.taskId = r.text(end);
        break;
      case 26:
        o.id = r.text(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a DeleteTaskPushNotificationConfigRequest into `o`. */
export function readDeleteTaskPushNotificationConfigRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.taskId = r.text(end);
        break;
      case 26:
        o.id = r.text(end);
        break;
      default:
        r.skip(tag, 14, end);
    }
  }
  return o;
}

/** Reads the fields of a SubscribeToTaskRequest into `o`. */
export function readSubscribeToTaskRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      case 18:
        o.id = r.text(end);
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}

/** Reads the fields of a ListTaskPushNotificationConfigsRequest into `o`. */
export function readListTaskPushNotificationConfigsRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 34:
        o.tenant = r.text(end);
        break;
      case 10:
        o.taskId = r.text(end);
        break;
      case 16:
        o.pageSize = r.int(end);
        break;
      case 26:
        o.pageToken = r.text(end);
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a GetExtendedAgentCardRequest into `o`. */
export function readGetExtendedAgentCardRequest(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.tenant = r.text(end);
        break;
      default:
        r.skip(tag, 2, end);
    }
  }
  return o;
}

const SEND_MESSAGE_RESPONSE_ARMS: readonly string[] = ["task","message"];

/** Reads the fields of a SendMessageResponse into `o`. */
export function readSendMessageResponse(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        dropArms(o, SEND_MESSAGE_RESPONSE_ARMS, "task");
        o.task = readTask(r, r.stop(end), objectOf(o.task));
        break;
      case 18:
        dropArms(o, SEND_MESSAGE_RESPONSE_ARMS, "message");
        o.message = readMessage(r, r.stop(end), objectOf(o.message));
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}

const STREAM_RESPONSE_ARMS: readonly string[] = ["task","message","statusUpdate","artifactUpdate"];

/** Reads the fields of a StreamResponse into `o`. */
export function readStreamResponse(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        dropArms(o, STREAM_RESPONSE_ARMS, "task");
        o.task = readTask(r, r.stop(end), objectOf(o.task));
        break;
      case 18:
        dropArms(o, STREAM_RESPONSE_ARMS, "message");
        o.message = readMessage(r, r.stop(end), objectOf(o.message));
        break;
      case 26:
        dropArms(o, STREAM_RESPONSE_ARMS, "statusUpdate");
        o.statusUpdate = readTaskStatusUpdateEvent(r, r.stop(end), objectOf(o.statusUpdate));
        break;
      case 34:
        dropArms(o, STREAM_RESPONSE_ARMS, "artifactUpdate");
        o.artifactUpdate = readTaskArtifactUpdateEvent(r, r.stop(end), objectOf(o.artifactUpdate));
        break;
      default:
        r.skip(tag, 30, end);
    }
  }
  return o;
}

/** Reads the fields of a ListTaskPushNotificationConfigsResponse into `o`. */
export function readListTaskPushNotificationConfigsResponse(r: BinaryReader, end: number, o: Loose = {}): Loose {
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case 10:
        o.configs = listOf(o.configs, readTaskPushNotificationConfig(r, r.stop(end)));
        break;
      case 18:
        o.nextPageToken = r.text(end);
        break;
      default:
        r.skip(tag, 6, end);
    }
  }
  return o;
}
