// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import { fixBool, fixList, fixObject, fixPresentBool, fixPresentString, fixString, fixStrings, unknownKey, type FieldNames } from "../check.ts";
import { checkStruct, isStrings } from "../check-json.ts";
import { fixArms, refuseMissing, type OneofArms, type RequiredField } from "../check-message.ts";
import { under, wrong, type Check, type Loose } from "../notes.ts";

const AGENT_INTERFACE: FieldNames = { message: "AgentInterface", aliases: /* @__PURE__ */ new Map([
    ["protocol_binding", ["protocolBinding", 2]],
    ["protocol_version", ["protocolVersion", 8]],
  ]) };
const AGENT_INTERFACE_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "url", kind: "string" },
  { bit: 2, field: "protocolBinding", kind: "string" },
  { bit: 8, field: "protocolVersion", kind: "string" },
];

/** Checks a AgentInterface in place. */
export function checkAgentInterface(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "url":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "url", v, c)) have |= 1;
          break;
        case "protocolBinding":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "protocolBinding", v, c)) have |= 2;
          break;
        case "tenant":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "protocolVersion":
          if ((todo & 8) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 8;
          } else if (fixString(o, "protocolVersion", v, c)) have |= 8;
          break;
        default:
          moved |= unknownKey(o, key, AGENT_INTERFACE, c);
      }
    }
    todo = moved;
  }
  if ((have & 11) !== 11) refuseMissing(have, "AgentInterface", AGENT_INTERFACE_REQUIRED, c);
}

const AGENT_CARD: FieldNames = { message: "AgentCard", aliases: /* @__PURE__ */ new Map([
    ["supported_interfaces", ["supportedInterfaces", 4]],
    ["documentation_url", ["documentationUrl", 32]],
    ["security_schemes", ["securitySchemes", 128]],
    ["security_requirements", ["securityRequirements", 256]],
    ["default_input_modes", ["defaultInputModes", 512]],
    ["default_output_modes", ["defaultOutputModes", 1024]],
    ["icon_url", ["iconUrl", 8192]],
  ]) };
const AGENT_CARD_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "name", kind: "string" },
  { bit: 2, field: "description", kind: "string" },
  { bit: 4, field: "supportedInterfaces", kind: "list" },
  { bit: 16, field: "version", kind: "string" },
  { bit: 64, field: "capabilities", kind: "other" },
  { bit: 512, field: "defaultInputModes", kind: "list" },
  { bit: 1024, field: "defaultOutputModes", kind: "list" },
  { bit: 2048, field: "skills", kind: "list" },
];

/** Checks a AgentCard in place. */
export function checkAgentCard(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "name":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "name", v, c)) have |= 1;
          break;
        case "description":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "description", v, c)) have |= 2;
          break;
        case "supportedInterfaces":
          if ((todo & 4) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            have |= 4;
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkAgentInterface(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "supportedInterfaces", i);
            }
          } else if (fixList(o, "supportedInterfaces", v, c)) have |= 4;
          break;
        case "provider":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkAgentProvider(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "provider");
          } else fixObject(o, "provider", v, c);
          break;
        case "version":
          if ((todo & 16) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 16;
          } else if (fixString(o, "version", v, c)) have |= 16;
          break;
        case "documentationUrl":
          if ((todo & 32) === 0) break;
          if (!(typeof v === "string")) fixPresentString(o, "documentationUrl", v, c);
          break;
        case "capabilities":
          if ((todo & 64) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 64;
            const notes = c.count;
            checkAgentCapabilities(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "capabilities");
          } else if (fixObject(o, "capabilities", v, c)) have |= 64;
          break;
        case "securitySchemes":
          if ((todo & 128) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const map = v as Loose;
            let empty = true;
            for (const name in map) {
              empty = false;
              const e = map[name];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkSecurityScheme(e as Loose, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "securitySchemes", name);
            }
            if (empty) delete o["securitySchemes"];
          } else fixObject(o, "securitySchemes", v, c);
          break;
        case "securityRequirements":
          if ((todo & 256) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkSecurityRequirement(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "securityRequirements", i);
            }
          } else fixList(o, "securityRequirements", v, c);
          break;
        case "defaultInputModes":
          if ((todo & 512) === 0) break;
          if (isStrings(v)) {
            have |= 512;
          } else if (fixStrings(o, "defaultInputModes", v, c)) have |= 512;
          break;
        case "defaultOutputModes":
          if ((todo & 1024) === 0) break;
          if (isStrings(v)) {
            have |= 1024;
          } else if (fixStrings(o, "defaultOutputModes", v, c)) have |= 1024;
          break;
        case "skills":
          if ((todo & 2048) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            have |= 2048;
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkAgentSkill(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "skills", i);
            }
          } else if (fixList(o, "skills", v, c)) have |= 2048;
          break;
        case "signatures":
          if ((todo & 4096) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkAgentCardSignature(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "signatures", i);
            }
          } else fixList(o, "signatures", v, c);
          break;
        case "iconUrl":
          if ((todo & 8192) === 0) break;
          if (!(typeof v === "string")) fixPresentString(o, "iconUrl", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AGENT_CARD, c);
      }
    }
    todo = moved;
  }
  if ((have & 3671) !== 3671) refuseMissing(have, "AgentCard", AGENT_CARD_REQUIRED, c);
}

const AGENT_PROVIDER: FieldNames = { message: "AgentProvider", aliases: /* @__PURE__ */ new Map() };
const AGENT_PROVIDER_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "url", kind: "string" },
  { bit: 2, field: "organization", kind: "string" },
];

/** Checks a AgentProvider in place. */
export function checkAgentProvider(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "url":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "url", v, c)) have |= 1;
          break;
        case "organization":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "organization", v, c)) have |= 2;
          break;
        default:
          moved |= unknownKey(o, key, AGENT_PROVIDER, c);
      }
    }
    todo = moved;
  }
  if ((have & 3) !== 3) refuseMissing(have, "AgentProvider", AGENT_PROVIDER_REQUIRED, c);
}

const AGENT_CAPABILITIES: FieldNames = { message: "AgentCapabilities", aliases: /* @__PURE__ */ new Map([
    ["push_notifications", ["pushNotifications", 2]],
    ["extended_agent_card", ["extendedAgentCard", 8]],
  ]) };

/** Checks a AgentCapabilities in place. */
export function checkAgentCapabilities(o: Loose, c: Check, depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "streaming":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "boolean")) fixPresentBool(o, "streaming", v, c);
          break;
        case "pushNotifications":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "boolean")) fixPresentBool(o, "pushNotifications", v, c);
          break;
        case "extensions":
          if ((todo & 4) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkAgentExtension(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "extensions", i);
            }
          } else fixList(o, "extensions", v, c);
          break;
        case "extendedAgentCard":
          if ((todo & 8) === 0) break;
          if (!(typeof v === "boolean")) fixPresentBool(o, "extendedAgentCard", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AGENT_CAPABILITIES, c);
      }
    }
    todo = moved;
  }
}

const AGENT_EXTENSION: FieldNames = { message: "AgentExtension", aliases: /* @__PURE__ */ new Map() };

/** Checks a AgentExtension in place. */
export function checkAgentExtension(o: Loose, c: Check, depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "uri":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "uri", v, c);
          break;
        case "description":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "required":
          if ((todo & 4) === 0) break;
          if (!(v === true)) fixBool(o, "required", v, c);
          break;
        case "params":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "params");
          } else fixObject(o, "params", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AGENT_EXTENSION, c);
      }
    }
    todo = moved;
  }
}

const AGENT_SKILL: FieldNames = { message: "AgentSkill", aliases: /* @__PURE__ */ new Map([
    ["input_modes", ["inputModes", 32]],
    ["output_modes", ["outputModes", 64]],
    ["security_requirements", ["securityRequirements", 128]],
  ]) };
const AGENT_SKILL_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "id", kind: "string" },
  { bit: 2, field: "name", kind: "string" },
  { bit: 4, field: "description", kind: "string" },
  { bit: 8, field: "tags", kind: "list" },
];

/** Checks a AgentSkill in place. */
export function checkAgentSkill(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "id":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "id", v, c)) have |= 1;
          break;
        case "name":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "name", v, c)) have |= 2;
          break;
        case "description":
          if ((todo & 4) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 4;
          } else if (fixString(o, "description", v, c)) have |= 4;
          break;
        case "tags":
          if ((todo & 8) === 0) break;
          if (isStrings(v)) {
            have |= 8;
          } else if (fixStrings(o, "tags", v, c)) have |= 8;
          break;
        case "examples":
          if ((todo & 16) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "examples", v, c);
          break;
        case "inputModes":
          if ((todo & 32) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "inputModes", v, c);
          break;
        case "outputModes":
          if ((todo & 64) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "outputModes", v, c);
          break;
        case "securityRequirements":
          if ((todo & 128) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkSecurityRequirement(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "securityRequirements", i);
            }
          } else fixList(o, "securityRequirements", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AGENT_SKILL, c);
      }
    }
    todo = moved;
  }
  if ((have & 15) !== 15) refuseMissing(have, "AgentSkill", AGENT_SKILL_REQUIRED, c);
}

const AGENT_CARD_SIGNATURE: FieldNames = { message: "AgentCardSignature", aliases: /* @__PURE__ */ new Map() };
const AGENT_CARD_SIGNATURE_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "protected", kind: "string" },
  { bit: 2, field: "signature", kind: "string" },
];

/** Checks a AgentCardSignature in place. */
export function checkAgentCardSignature(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "protected":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "protected", v, c)) have |= 1;
          break;
        case "signature":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "signature", v, c)) have |= 2;
          break;
        case "header":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "header");
          } else fixObject(o, "header", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AGENT_CARD_SIGNATURE, c);
      }
    }
    todo = moved;
  }
  if ((have & 3) !== 3) refuseMissing(have, "AgentCardSignature", AGENT_CARD_SIGNATURE_REQUIRED, c);
}

const STRING_LIST: FieldNames = { message: "StringList", aliases: /* @__PURE__ */ new Map() };

/** Checks a StringList in place. */
export function checkStringList(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "list":
          if ((todo & 1) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "list", v, c);
          break;
        default:
          moved |= unknownKey(o, key, STRING_LIST, c);
      }
    }
    todo = moved;
  }
}

const SECURITY_REQUIREMENT: FieldNames = { message: "SecurityRequirement", aliases: /* @__PURE__ */ new Map() };

/** Checks a SecurityRequirement in place. */
export function checkSecurityRequirement(o: Loose, c: Check, depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "schemes":
          if ((todo & 1) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const map = v as Loose;
            let empty = true;
            for (const name in map) {
              empty = false;
              const e = map[name];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkStringList(e as Loose, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "schemes", name);
            }
            if (empty) delete o["schemes"];
          } else fixObject(o, "schemes", v, c);
          break;
        default:
          moved |= unknownKey(o, key, SECURITY_REQUIREMENT, c);
      }
    }
    todo = moved;
  }
}

const SECURITY_SCHEME: FieldNames = { message: "SecurityScheme", aliases: /* @__PURE__ */ new Map([
    ["api_key_security_scheme", ["apiKeySecurityScheme", 1]],
    ["http_auth_security_scheme", ["httpAuthSecurityScheme", 2]],
    ["oauth2_security_scheme", ["oauth2SecurityScheme", 4]],
    ["open_id_connect_security_scheme", ["openIdConnectSecurityScheme", 8]],
    ["mtls_security_scheme", ["mtlsSecurityScheme", 16]],
  ]) };
const SECURITY_SCHEME_ARMS: OneofArms = { message: "SecurityScheme", arms: ["apiKeySecurityScheme", "httpAuthSecurityScheme", "oauth2SecurityScheme", "openIdConnectSecurityScheme", "mtlsSecurityScheme"] };

/** Checks a SecurityScheme in place. */
export function checkSecurityScheme(o: Loose, c: Check, depth: number): void {
  const from = c.count;
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "apiKeySecurityScheme":
          if ((todo & 1) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 1;
            const notes = c.count;
            checkAPIKeySecurityScheme(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "apiKeySecurityScheme");
          } else if (fixObject(o, "apiKeySecurityScheme", v, c)) have |= 1;
          break;
        case "httpAuthSecurityScheme":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 2;
            const notes = c.count;
            checkHTTPAuthSecurityScheme(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "httpAuthSecurityScheme");
          } else if (fixObject(o, "httpAuthSecurityScheme", v, c)) have |= 2;
          break;
        case "oauth2SecurityScheme":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkOAuth2SecurityScheme(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "oauth2SecurityScheme");
          } else if (fixObject(o, "oauth2SecurityScheme", v, c)) have |= 4;
          break;
        case "openIdConnectSecurityScheme":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 8;
            const notes = c.count;
            checkOpenIdConnectSecurityScheme(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "openIdConnectSecurityScheme");
          } else if (fixObject(o, "openIdConnectSecurityScheme", v, c)) have |= 8;
          break;
        case "mtlsSecurityScheme":
          if ((todo & 16) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 16;
            const notes = c.count;
            checkMutualTlsSecurityScheme(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "mtlsSecurityScheme");
          } else if (fixObject(o, "mtlsSecurityScheme", v, c)) have |= 16;
          break;
        default:
          moved |= unknownKey(o, key, SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
  const set = have & 31;
  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, SECURITY_SCHEME_ARMS, from, c);
}

const API_KEY_SECURITY_SCHEME: FieldNames = { message: "APIKeySecurityScheme", aliases: /* @__PURE__ */ new Map() };
const API_KEY_SECURITY_SCHEME_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "location", kind: "string" },
  { bit: 4, field: "name", kind: "string" },
];

/** Checks a APIKeySecurityScheme in place. */
export function checkAPIKeySecurityScheme(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "description":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "location":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "location", v, c)) have |= 2;
          break;
        case "name":
          if ((todo & 4) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 4;
          } else if (fixString(o, "name", v, c)) have |= 4;
          break;
        default:
          moved |= unknownKey(o, key, API_KEY_SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
  if ((have & 6) !== 6) refuseMissing(have, "APIKeySecurityScheme", API_KEY_SECURITY_SCHEME_REQUIRED, c);
}

const HTTP_AUTH_SECURITY_SCHEME: FieldNames = { message: "HTTPAuthSecurityScheme", aliases: /* @__PURE__ */ new Map([
    ["bearer_format", ["bearerFormat", 4]],
  ]) };
const HTTP_AUTH_SECURITY_SCHEME_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "scheme", kind: "string" },
];

/** Checks a HTTPAuthSecurityScheme in place. */
export function checkHTTPAuthSecurityScheme(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "description":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "scheme":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "scheme", v, c)) have |= 2;
          break;
        case "bearerFormat":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "bearerFormat", v, c);
          break;
        default:
          moved |= unknownKey(o, key, HTTP_AUTH_SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "HTTPAuthSecurityScheme", HTTP_AUTH_SECURITY_SCHEME_REQUIRED, c);
}

const O_AUTH2_SECURITY_SCHEME: FieldNames = { message: "OAuth2SecurityScheme", aliases: /* @__PURE__ */ new Map([
    ["oauth2_metadata_url", ["oauth2MetadataUrl", 4]],
  ]) };
const O_AUTH2_SECURITY_SCHEME_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "flows", kind: "other" },
];

/** Checks a OAuth2SecurityScheme in place. */
export function checkOAuth2SecurityScheme(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "description":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "flows":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 2;
            const notes = c.count;
            checkOAuthFlows(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "flows");
          } else if (fixObject(o, "flows", v, c)) have |= 2;
          break;
        case "oauth2MetadataUrl":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "oauth2MetadataUrl", v, c);
          break;
        default:
          moved |= unknownKey(o, key, O_AUTH2_SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "OAuth2SecurityScheme", O_AUTH2_SECURITY_SCHEME_REQUIRED, c);
}

const OPEN_ID_CONNECT_SECURITY_SCHEME: FieldNames = { message: "OpenIdConnectSecurityScheme", aliases: /* @__PURE__ */ new Map([
    ["open_id_connect_url", ["openIdConnectUrl", 2]],
  ]) };
const OPEN_ID_CONNECT_SECURITY_SCHEME_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "openIdConnectUrl", kind: "string" },
];

/** Checks a OpenIdConnectSecurityScheme in place. */
export function checkOpenIdConnectSecurityScheme(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "description":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "openIdConnectUrl":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "openIdConnectUrl", v, c)) have |= 2;
          break;
        default:
          moved |= unknownKey(o, key, OPEN_ID_CONNECT_SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "OpenIdConnectSecurityScheme", OPEN_ID_CONNECT_SECURITY_SCHEME_REQUIRED, c);
}

const MUTUAL_TLS_SECURITY_SCHEME: FieldNames = { message: "MutualTlsSecurityScheme", aliases: /* @__PURE__ */ new Map() };

/** Checks a MutualTlsSecurityScheme in place. */
export function checkMutualTlsSecurityScheme(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "description":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        default:
          moved |= unknownKey(o, key, MUTUAL_TLS_SECURITY_SCHEME, c);
      }
    }
    todo = moved;
  }
}

const O_AUTH_FLOWS: FieldNames = { message: "OAuthFlows", aliases: /* @__PURE__ */ new Map([
    ["authorization_code", ["authorizationCode", 1]],
    ["client_credentials", ["clientCredentials", 2]],
    ["device_code", ["deviceCode", 16]],
  ]) };
const O_AUTH_FLOWS_ARMS: OneofArms = { message: "OAuthFlows", arms: ["authorizationCode", "clientCredentials", "implicit", "password", "deviceCode"] };

/** Checks a OAuthFlows in place. */
export function checkOAuthFlows(o: Loose, c: Check, depth: number): void {
  const from = c.count;
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "authorizationCode":
          if ((todo & 1) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 1;
            const notes = c.count;
            checkAuthorizationCodeOAuthFlow(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "authorizationCode");
          } else if (fixObject(o, "authorizationCode", v, c)) have |= 1;
          break;
        case "clientCredentials":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 2;
            const notes = c.count;
            checkClientCredentialsOAuthFlow(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "clientCredentials");
          } else if (fixObject(o, "clientCredentials", v, c)) have |= 2;
          break;
        case "implicit":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkImplicitOAuthFlow(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "implicit");
          } else if (fixObject(o, "implicit", v, c)) have |= 4;
          break;
        case "password":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 8;
            const notes = c.count;
            checkPasswordOAuthFlow(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "password");
          } else if (fixObject(o, "password", v, c)) have |= 8;
          break;
        case "deviceCode":
          if ((todo & 16) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 16;
            const notes = c.count;
            checkDeviceCodeOAuthFlow(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "deviceCode");
          } else if (fixObject(o, "deviceCode", v, c)) have |= 16;
          break;
        default:
          moved |= unknownKey(o, key, O_AUTH_FLOWS, c);
      }
    }
    todo = moved;
  }
  const set = have & 31;
  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, O_AUTH_FLOWS_ARMS, from, c);
}

const AUTHORIZATION_CODE_O_AUTH_FLOW: FieldNames = { message: "AuthorizationCodeOAuthFlow", aliases: /* @__PURE__ */ new Map([
    ["authorization_url", ["authorizationUrl", 1]],
    ["token_url", ["tokenUrl", 2]],
    ["refresh_url", ["refreshUrl", 4]],
    ["pkce_required", ["pkceRequired", 16]],
  ]) };
const AUTHORIZATION_CODE_O_AUTH_FLOW_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "authorizationUrl", kind: "string" },
  { bit: 2, field: "tokenUrl", kind: "string" },
  { bit: 8, field: "scopes", kind: "other" },
];

/** Checks a AuthorizationCodeOAuthFlow in place. */
export function checkAuthorizationCodeOAuthFlow(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "authorizationUrl":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "authorizationUrl", v, c)) have |= 1;
          break;
        case "tokenUrl":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "tokenUrl", v, c)) have |= 2;
          break;
        case "refreshUrl":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "refreshUrl", v, c);
          break;
        case "scopes":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 8;
            const map = v as Loose;
            for (const name in map) {
              const e = map[name];
              if (typeof e === "string") continue;
              const notes = c.count;
              wrong(c, "", "a string", e);
              if (c.count !== notes) under(c, notes, "scopes", name);
            }
          } else if (fixObject(o, "scopes", v, c)) have |= 8;
          break;
        case "pkceRequired":
          if ((todo & 16) === 0) break;
          if (!(v === true)) fixBool(o, "pkceRequired", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AUTHORIZATION_CODE_O_AUTH_FLOW, c);
      }
    }
    todo = moved;
  }
  if ((have & 11) !== 11) refuseMissing(have, "AuthorizationCodeOAuthFlow", AUTHORIZATION_CODE_O_AUTH_FLOW_REQUIRED, c);
}

const CLIENT_CREDENTIALS_O_AUTH_FLOW: FieldNames = { message: "ClientCredentialsOAuthFlow", aliases: /* @__PURE__ */ new Map([
    ["token_url", ["tokenUrl", 1]],
    ["refresh_url", ["refreshUrl", 2]],
  ]) };
const CLIENT_CREDENTIALS_O_AUTH_FLOW_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "tokenUrl", kind: "string" },
  { bit: 4, field: "scopes", kind: "other" },
];

/** Checks a ClientCredentialsOAuthFlow in place. */
export function checkClientCredentialsOAuthFlow(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tokenUrl":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "tokenUrl", v, c)) have |= 1;
          break;
        case "refreshUrl":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "refreshUrl", v, c);
          break;
        case "scopes":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const map = v as Loose;
            for (const name in map) {
              const e = map[name];
              if (typeof e === "string") continue;
              const notes = c.count;
              wrong(c, "", "a string", e);
              if (c.count !== notes) under(c, notes, "scopes", name);
            }
          } else if (fixObject(o, "scopes", v, c)) have |= 4;
          break;
        default:
          moved |= unknownKey(o, key, CLIENT_CREDENTIALS_O_AUTH_FLOW, c);
      }
    }
    todo = moved;
  }
  if ((have & 5) !== 5) refuseMissing(have, "ClientCredentialsOAuthFlow", CLIENT_CREDENTIALS_O_AUTH_FLOW_REQUIRED, c);
}

const IMPLICIT_O_AUTH_FLOW: FieldNames = { message: "ImplicitOAuthFlow", aliases: /* @__PURE__ */ new Map([
    ["authorization_url", ["authorizationUrl", 1]],
    ["refresh_url", ["refreshUrl", 2]],
  ]) };

/** Checks a ImplicitOAuthFlow in place. */
export function checkImplicitOAuthFlow(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "authorizationUrl":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "authorizationUrl", v, c);
          break;
        case "refreshUrl":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "refreshUrl", v, c);
          break;
        case "scopes":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const map = v as Loose;
            let empty = true;
            for (const name in map) {
              empty = false;
              const e = map[name];
              if (typeof e === "string") continue;
              const notes = c.count;
              wrong(c, "", "a string", e);
              if (c.count !== notes) under(c, notes, "scopes", name);
            }
            if (empty) delete o["scopes"];
          } else fixObject(o, "scopes", v, c);
          break;
        default:
          moved |= unknownKey(o, key, IMPLICIT_O_AUTH_FLOW, c);
      }
    }
    todo = moved;
  }
}

const PASSWORD_O_AUTH_FLOW: FieldNames = { message: "PasswordOAuthFlow", aliases: /* @__PURE__ */ new Map([
    ["token_url", ["tokenUrl", 1]],
    ["refresh_url", ["refreshUrl", 2]],
  ]) };

/** Checks a PasswordOAuthFlow in place. */
export function checkPasswordOAuthFlow(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tokenUrl":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tokenUrl", v, c);
          break;
        case "refreshUrl":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "refreshUrl", v, c);
          break;
        case "scopes":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const map = v as Loose;
            let empty = true;
            for (const name in map) {
              empty = false;
              const e = map[name];
              if (typeof e === "string") continue;
              const notes = c.count;
              wrong(c, "", "a string", e);
              if (c.count !== notes) under(c, notes, "scopes", name);
            }
            if (empty) delete o["scopes"];
          } else fixObject(o, "scopes", v, c);
          break;
        default:
          moved |= unknownKey(o, key, PASSWORD_O_AUTH_FLOW, c);
      }
    }
    todo = moved;
  }
}

const DEVICE_CODE_O_AUTH_FLOW: FieldNames = { message: "DeviceCodeOAuthFlow", aliases: /* @__PURE__ */ new Map([
    ["device_authorization_url", ["deviceAuthorizationUrl", 1]],
    ["token_url", ["tokenUrl", 2]],
    ["refresh_url", ["refreshUrl", 4]],
  ]) };
const DEVICE_CODE_O_AUTH_FLOW_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "deviceAuthorizationUrl", kind: "string" },
  { bit: 2, field: "tokenUrl", kind: "string" },
  { bit: 8, field: "scopes", kind: "other" },
];

/** Checks a DeviceCodeOAuthFlow in place. */
export function checkDeviceCodeOAuthFlow(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "deviceAuthorizationUrl":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "deviceAuthorizationUrl", v, c)) have |= 1;
          break;
        case "tokenUrl":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "tokenUrl", v, c)) have |= 2;
          break;
        case "refreshUrl":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "refreshUrl", v, c);
          break;
        case "scopes":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 8;
            const map = v as Loose;
            for (const name in map) {
              const e = map[name];
              if (typeof e === "string") continue;
              const notes = c.count;
              wrong(c, "", "a string", e);
              if (c.count !== notes) under(c, notes, "scopes", name);
            }
          } else if (fixObject(o, "scopes", v, c)) have |= 8;
          break;
        default:
          moved |= unknownKey(o, key, DEVICE_CODE_O_AUTH_FLOW, c);
      }
    }
    todo = moved;
  }
  if ((have & 11) !== 11) refuseMissing(have, "DeviceCodeOAuthFlow", DEVICE_CODE_O_AUTH_FLOW_REQUIRED, c);
}
