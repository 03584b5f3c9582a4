// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import { fixBool, fixEnum, fixInt, fixIntOrZero, fixList, fixObject, fixPresentBool, fixString, fixStrings, fixTimestamp, unknownKey, type FieldNames } from "../check.ts";
import { checkStruct, isStrings } from "../check-json.ts";
import { refuseMissing, type RequiredField } from "../check-message.ts";
import { TASK_STATE_NAMES } from "../enum-names.ts";
import { under, wrong, type Check, type Loose } from "../notes.ts";
import { isCanonicalTimestamp } from "../timestamp.ts";
import { checkMessage } from "./validate-task.ts";

const SEND_MESSAGE_CONFIGURATION: FieldNames = { message: "SendMessageConfiguration", aliases: /* @__PURE__ */ new Map([
    ["accepted_output_modes", ["acceptedOutputModes", 1]],
    ["task_push_notification_config", ["taskPushNotificationConfig", 2]],
    ["history_length", ["historyLength", 4]],
    ["return_immediately", ["returnImmediately", 8]],
  ]) };

/** Checks a SendMessageConfiguration in place. */
export function checkSendMessageConfiguration(o: Loose, c: Check, depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "acceptedOutputModes":
          if ((todo & 1) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "acceptedOutputModes", v, c);
          break;
        case "taskPushNotificationConfig":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkTaskPushNotificationConfig(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "taskPushNotificationConfig");
          } else fixObject(o, "taskPushNotificationConfig", v, c);
          break;
        case "historyLength":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "number" && (v | 0) === v && !Object.is(v, -0))) fixInt(o, "historyLength", v, c);
          break;
        case "returnImmediately":
          if ((todo & 8) === 0) break;
          if (!(v === true)) fixBool(o, "returnImmediately", v, c);
          break;
        default:
          moved |= unknownKey(o, key, SEND_MESSAGE_CONFIGURATION, c);
      }
    }
    todo = moved;
  }
}

const AUTHENTICATION_INFO: FieldNames = { message: "AuthenticationInfo", aliases: /* @__PURE__ */ new Map() };
const AUTHENTICATION_INFO_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "scheme", kind: "string" },
];

/** Checks a AuthenticationInfo in place. */
export function checkAuthenticationInfo(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "scheme":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "scheme", v, c)) have |= 1;
          break;
        case "credentials":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "credentials", v, c);
          break;
        default:
          moved |= unknownKey(o, key, AUTHENTICATION_INFO, c);
      }
    }
    todo = moved;
  }
  if ((have & 1) !== 1) refuseMissing(have, "AuthenticationInfo", AUTHENTICATION_INFO_REQUIRED, c);
}

const TASK_PUSH_NOTIFICATION_CONFIG: FieldNames = { message: "TaskPushNotificationConfig", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 4]],
  ]) };
const TASK_PUSH_NOTIFICATION_CONFIG_REQUIRED: readonly RequiredField[] = [
  { bit: 8, field: "url", kind: "string" },
];

/** Checks a TaskPushNotificationConfig in place. */
export function checkTaskPushNotificationConfig(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "id":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "id", v, c);
          break;
        case "taskId":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "taskId", v, c);
          break;
        case "url":
          if ((todo & 8) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 8;
          } else if (fixString(o, "url", v, c)) have |= 8;
          break;
        case "token":
          if ((todo & 16) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "token", v, c);
          break;
        case "authentication":
          if ((todo & 32) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkAuthenticationInfo(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "authentication");
          } else fixObject(o, "authentication", v, c);
          break;
        default:
          moved |= unknownKey(o, key, TASK_PUSH_NOTIFICATION_CONFIG, c);
      }
    }
    todo = moved;
  }
  if ((have & 8) !== 8) refuseMissing(have, "TaskPushNotificationConfig", TASK_PUSH_NOTIFICATION_CONFIG_REQUIRED, c);
}

const SEND_MESSAGE_REQUEST: FieldNames = { message: "SendMessageRequest", aliases: /* @__PURE__ */ new Map() };
const SEND_MESSAGE_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "message", kind: "other" },
];

/** Checks a SendMessageRequest in place. */
export function checkSendMessageRequest(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "message":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 2;
            const notes = c.count;
            checkMessage(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "message");
          } else if (fixObject(o, "message", v, c)) have |= 2;
          break;
        case "configuration":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkSendMessageConfiguration(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "configuration");
          } else fixObject(o, "configuration", v, c);
          break;
        case "metadata":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        default:
          moved |= unknownKey(o, key, SEND_MESSAGE_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "SendMessageRequest", SEND_MESSAGE_REQUEST_REQUIRED, c);
}

const GET_TASK_REQUEST: FieldNames = { message: "GetTaskRequest", aliases: /* @__PURE__ */ new Map([
    ["history_length", ["historyLength", 4]],
  ]) };
const GET_TASK_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "id", kind: "string" },
];

/** Checks a GetTaskRequest in place. */
export function checkGetTaskRequest(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "id":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "id", v, c)) have |= 2;
          break;
        case "historyLength":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "number" && (v | 0) === v && !Object.is(v, -0))) fixInt(o, "historyLength", v, c);
          break;
        default:
          moved |= unknownKey(o, key, GET_TASK_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "GetTaskRequest", GET_TASK_REQUEST_REQUIRED, c);
}

const LIST_TASKS_REQUEST: FieldNames = { message: "ListTasksRequest", aliases: /* @__PURE__ */ new Map([
    ["context_id", ["contextId", 2]],
    ["page_size", ["pageSize", 8]],
    ["page_token", ["pageToken", 16]],
    ["history_length", ["historyLength", 32]],
    ["status_timestamp_after", ["statusTimestampAfter", 64]],
    ["include_artifacts", ["includeArtifacts", 128]],
  ]) };

/** Checks a ListTasksRequest in place. */
export function checkListTasksRequest(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "contextId":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "contextId", v, c);
          break;
        case "status":
          if ((todo & 4) === 0) break;
          if (!(v === "TASK_STATE_SUBMITTED" || v === "TASK_STATE_WORKING" || v === "TASK_STATE_COMPLETED" || v === "TASK_STATE_FAILED" || v === "TASK_STATE_CANCELED" || v === "TASK_STATE_INPUT_REQUIRED" || v === "TASK_STATE_REJECTED" || v === "TASK_STATE_AUTH_REQUIRED")) fixEnum(o, "status", v, TASK_STATE_NAMES, c);
          break;
        case "pageSize":
          if ((todo & 8) === 0) break;
          if (!(typeof v === "number" && (v | 0) === v && !Object.is(v, -0))) fixInt(o, "pageSize", v, c);
          break;
        case "pageToken":
          if ((todo & 16) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "pageToken", v, c);
          break;
        case "historyLength":
          if ((todo & 32) === 0) break;
          if (!(typeof v === "number" && (v | 0) === v && !Object.is(v, -0))) fixInt(o, "historyLength", v, c);
          break;
        case "statusTimestampAfter":
          if ((todo & 64) === 0) break;
          if (!(typeof v === "string" && isCanonicalTimestamp(v))) fixTimestamp(o, "statusTimestampAfter", v, c);
          break;
        case "includeArtifacts":
          if ((todo & 128) === 0) break;
          if (!(typeof v === "boolean")) fixPresentBool(o, "includeArtifacts", v, c);
          break;
        default:
          moved |= unknownKey(o, key, LIST_TASKS_REQUEST, c);
      }
    }
    todo = moved;
  }
}

const CANCEL_TASK_REQUEST: FieldNames = { message: "CancelTaskRequest", aliases: /* @__PURE__ */ new Map() };
const CANCEL_TASK_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "id", kind: "string" },
];

/** Checks a CancelTaskRequest in place. */
export function checkCancelTaskRequest(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "id":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "id", v, c)) have |= 2;
          break;
        case "metadata":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        default:
          moved |= unknownKey(o, key, CANCEL_TASK_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "CancelTaskRequest", CANCEL_TASK_REQUEST_REQUIRED, c);
}

const GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST: FieldNames = { message: "GetTaskPushNotificationConfigRequest", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 2]],
  ]) };
const GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "taskId", kind: "string" },
  { bit: 4, field: "id", kind: "string" },
];

/** Checks a GetTaskPushNotificationConfigRequest in place. */
export function checkGetTaskPushNotificationConfigRequest(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "taskId":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "taskId", v, c)) have |= 2;
          break;
        case "id":
          if ((todo & 4) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 4;
          } else if (fixString(o, "id", v, c)) have |= 4;
          break;
        default:
          moved |= unknownKey(o, key, GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 6) !== 6) refuseMissing(have, "GetTaskPushNotificationConfigRequest", GET_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST_REQUIRED, c);
}

const DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST: FieldNames = { message: "DeleteTaskPushNotificationConfigRequest", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 2]],
  ]) };
const DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "taskId", kind: "string" },
  { bit: 4, field: "id", kind: "string" },
];

/** Checks a DeleteTaskPushNotificationConfigRequest in place. */
export function checkDeleteTaskPushNotificationConfigRequest(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "taskId":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "taskId", v, c)) have |= 2;
          break;
        case "id":
          if ((todo & 4) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 4;
          } else if (fixString(o, "id", v, c)) have |= 4;
          break;
        default:
          moved |= unknownKey(o, key, DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 6) !== 6) refuseMissing(have, "DeleteTaskPushNotificationConfigRequest", DELETE_TASK_PUSH_NOTIFICATION_CONFIG_REQUEST_REQUIRED, c);
}

const SUBSCRIBE_TO_TASK_REQUEST: FieldNames = { message: "SubscribeToTaskRequest", aliases: /* @__PURE__ */ new Map() };
const SUBSCRIBE_TO_TASK_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "id", kind: "string" },
];

/** Checks a SubscribeToTaskRequest in place. */
export function checkSubscribeToTaskRequest(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "id":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "id", v, c)) have |= 2;
          break;
        default:
          moved |= unknownKey(o, key, SUBSCRIBE_TO_TASK_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "SubscribeToTaskRequest", SUBSCRIBE_TO_TASK_REQUEST_REQUIRED, c);
}

const LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST: FieldNames = { message: "ListTaskPushNotificationConfigsRequest", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 2]],
    ["page_size", ["pageSize", 4]],
    ["page_token", ["pageToken", 8]],
  ]) };
const LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST_REQUIRED: readonly RequiredField[] = [
  { bit: 2, field: "taskId", kind: "string" },
];

/** Checks a ListTaskPushNotificationConfigsRequest in place. */
export function checkListTaskPushNotificationConfigsRequest(o: Loose, c: Check, _depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        case "taskId":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "taskId", v, c)) have |= 2;
          break;
        case "pageSize":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "number" && (v | 0) === v && v !== 0)) fixIntOrZero(o, "pageSize", v, c);
          break;
        case "pageToken":
          if ((todo & 8) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "pageToken", v, c);
          break;
        default:
          moved |= unknownKey(o, key, LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST, c);
      }
    }
    todo = moved;
  }
  if ((have & 2) !== 2) refuseMissing(have, "ListTaskPushNotificationConfigsRequest", LIST_TASK_PUSH_NOTIFICATION_CONFIGS_REQUEST_REQUIRED, c);
}

const GET_EXTENDED_AGENT_CARD_REQUEST: FieldNames = { message: "GetExtendedAgentCardRequest", aliases: /* @__PURE__ */ new Map() };

/** Checks a GetExtendedAgentCardRequest in place. */
export function checkGetExtendedAgentCardRequest(o: Loose, c: Check, _depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tenant":
          if ((todo & 1) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "tenant", v, c);
          break;
        default:
          moved |= unknownKey(o, key, GET_EXTENDED_AGENT_CARD_REQUEST, c);
      }
    }
    todo = moved;
  }
}

const LIST_TASK_PUSH_NOTIFICATION_CONFIGS_RESPONSE: FieldNames = { message: "ListTaskPushNotificationConfigsResponse", aliases: /* @__PURE__ */ new Map([
    ["next_page_token", ["nextPageToken", 2]],
  ]) };

/** Checks a ListTaskPushNotificationConfigsResponse in place. */
export function checkListTaskPushNotificationConfigsResponse(o: Loose, c: Check, depth: number): void {
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "configs":
          if ((todo & 1) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkTaskPushNotificationConfig(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "configs", i);
            }
          } else fixList(o, "configs", v, c);
          break;
        case "nextPageToken":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "nextPageToken", v, c);
          break;
        default:
          moved |= unknownKey(o, key, LIST_TASK_PUSH_NOTIFICATION_CONFIGS_RESPONSE, c);
      }
    }
    todo = moved;
  }
}
