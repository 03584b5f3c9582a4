// Generated from proto/a2a.proto by `npm run generate`. Do not edit.

import { isCanonicalBase64 } from "../base64.ts";
import { fixBool, fixBytes, fixEnum, fixInt, fixList, fixObject, fixPresentString, fixString, fixStrings, fixTimestamp, unknownKey, type FieldNames } from "../check.ts";
import { checkStruct, checkValue, isStrings } from "../check-json.ts";
import { fillMissing, fixArms, refuseMissing, type OneofArms, type RequiredField } from "../check-message.ts";
import { ROLE_NAMES, TASK_STATE_NAMES } from "../enum-names.ts";
import { under, wrong, type Check, type Loose } from "../notes.ts";
import { isCanonicalTimestamp } from "../timestamp.ts";

const TASK: FieldNames = { message: "Task", aliases: /* @__PURE__ */ new Map([
    ["context_id", ["contextId", 2]],
  ]) };
const TASK_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "id", kind: "string" },
  { bit: 4, field: "status", kind: "other" },
];

/** Checks a Task in place. */
export function checkTask(o: Loose, c: Check, depth: number): void {
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
        case "contextId":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "contextId", v, c);
          break;
        case "status":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkTaskStatus(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "status");
          } else if (fixObject(o, "status", v, c)) have |= 4;
          break;
        case "artifacts":
          if ((todo & 8) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkArtifact(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "artifacts", i);
            }
          } else fixList(o, "artifacts", v, c);
          break;
        case "history":
          if ((todo & 16) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkMessage(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "history", i);
            }
          } else fixList(o, "history", v, c);
          break;
        case "metadata":
          if ((todo & 32) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        default:
          moved |= unknownKey(o, key, TASK, c);
      }
    }
    todo = moved;
  }
  if ((have & 5) !== 5) refuseMissing(have, "Task", TASK_REQUIRED, c);
}

const TASK_STATUS: FieldNames = { message: "TaskStatus", aliases: /* @__PURE__ */ new Map() };
const TASK_STATUS_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "state", kind: "other" },
];

/** Checks a TaskStatus in place. */
export function checkTaskStatus(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "state":
          if ((todo & 1) === 0) break;
          if (v === "TASK_STATE_SUBMITTED" || v === "TASK_STATE_WORKING" || v === "TASK_STATE_COMPLETED" || v === "TASK_STATE_FAILED" || v === "TASK_STATE_CANCELED" || v === "TASK_STATE_INPUT_REQUIRED" || v === "TASK_STATE_REJECTED" || v === "TASK_STATE_AUTH_REQUIRED") {
            have |= 1;
          } else if (fixEnum(o, "state", v, TASK_STATE_NAMES, c)) have |= 1;
          break;
        case "message":
          if ((todo & 2) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkMessage(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "message");
          } else fixObject(o, "message", v, c);
          break;
        case "timestamp":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && isCanonicalTimestamp(v))) fixTimestamp(o, "timestamp", v, c);
          break;
        default:
          moved |= unknownKey(o, key, TASK_STATUS, c);
      }
    }
    todo = moved;
  }
  if ((have & 1) !== 1) refuseMissing(have, "TaskStatus", TASK_STATUS_REQUIRED, c);
}

const PART: FieldNames = { message: "Part", aliases: /* @__PURE__ */ new Map([
    ["media_type", ["mediaType", 64]],
  ]) };
const PART_ARMS: OneofArms = { message: "Part", arms: ["text", "raw", "url", "data"] };

/** Checks a Part in place. */
export function checkPart(o: Loose, c: Check, depth: number): void {
  const from = c.count;
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "text":
          if ((todo & 1) === 0) break;
          if (typeof v === "string") {
            have |= 1;
          } else if (fixPresentString(o, "text", v, c)) have |= 1;
          break;
        case "raw":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && isCanonicalBase64(v)) {
            have |= 2;
          } else if (fixBytes(o, "raw", v, c)) have |= 2;
          break;
        case "url":
          if ((todo & 4) === 0) break;
          if (typeof v === "string") {
            have |= 4;
          } else if (fixPresentString(o, "url", v, c)) have |= 4;
          break;
        case "data":
          if ((todo & 8) === 0) break;
          if (v !== undefined) {
            have |= 8;
            const notes = c.count;
            checkValue(v, c, depth + 1);
            if (c.count !== notes) under(c, notes, "data");
          }
          break;
        case "metadata":
          if ((todo & 16) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        case "filename":
          if ((todo & 32) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "filename", v, c);
          break;
        case "mediaType":
          if ((todo & 64) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "mediaType", v, c);
          break;
        default:
          moved |= unknownKey(o, key, PART, c);
      }
    }
    todo = moved;
  }
  const set = have & 15;
  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, PART_ARMS, from, c);
}

const MESSAGE: FieldNames = { message: "Message", aliases: /* @__PURE__ */ new Map([
    ["message_id", ["messageId", 1]],
    ["context_id", ["contextId", 2]],
    ["task_id", ["taskId", 4]],
    ["reference_task_ids", ["referenceTaskIds", 128]],
  ]) };
const MESSAGE_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "messageId", kind: "string" },
  { bit: 8, field: "role", kind: "other" },
  { bit: 16, field: "parts", kind: "list" },
];

/** Checks a Message in place. */
export function checkMessage(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "messageId":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "messageId", v, c)) have |= 1;
          break;
        case "contextId":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "contextId", v, c);
          break;
        case "taskId":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "taskId", v, c);
          break;
        case "role":
          if ((todo & 8) === 0) break;
          if (v === "ROLE_USER" || v === "ROLE_AGENT") {
            have |= 8;
          } else if (fixEnum(o, "role", v, ROLE_NAMES, c)) have |= 8;
          break;
        case "parts":
          if ((todo & 16) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            have |= 16;
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkPart(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "parts", i);
            }
          } else if (fixList(o, "parts", v, c)) have |= 16;
          break;
        case "metadata":
          if ((todo & 32) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        case "extensions":
          if ((todo & 64) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "extensions", v, c);
          break;
        case "referenceTaskIds":
          if ((todo & 128) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "referenceTaskIds", v, c);
          break;
        default:
          moved |= unknownKey(o, key, MESSAGE, c);
      }
    }
    todo = moved;
  }
  if ((have & 25) !== 25) refuseMissing(have, "Message", MESSAGE_REQUIRED, c);
}

const ARTIFACT: FieldNames = { message: "Artifact", aliases: /* @__PURE__ */ new Map([
    ["artifact_id", ["artifactId", 1]],
  ]) };
const ARTIFACT_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "artifactId", kind: "string" },
  { bit: 8, field: "parts", kind: "list" },
];

/** Checks a Artifact in place. */
export function checkArtifact(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "artifactId":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "artifactId", v, c)) have |= 1;
          break;
        case "name":
          if ((todo & 2) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "name", v, c);
          break;
        case "description":
          if ((todo & 4) === 0) break;
          if (!(typeof v === "string" && v.length !== 0)) fixString(o, "description", v, c);
          break;
        case "parts":
          if ((todo & 8) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            have |= 8;
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkPart(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "parts", i);
            }
          } else if (fixList(o, "parts", v, c)) have |= 8;
          break;
        case "metadata":
          if ((todo & 16) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        case "extensions":
          if ((todo & 32) === 0) break;
          if (!(isStrings(v))) fixStrings(o, "extensions", v, c);
          break;
        default:
          moved |= unknownKey(o, key, ARTIFACT, c);
      }
    }
    todo = moved;
  }
  if ((have & 9) !== 9) refuseMissing(have, "Artifact", ARTIFACT_REQUIRED, c);
}

const TASK_STATUS_UPDATE_EVENT: FieldNames = { message: "TaskStatusUpdateEvent", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 1]],
    ["context_id", ["contextId", 2]],
  ]) };
const TASK_STATUS_UPDATE_EVENT_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "taskId", kind: "string" },
  { bit: 2, field: "contextId", kind: "string" },
  { bit: 4, field: "status", kind: "other" },
];

/** Checks a TaskStatusUpdateEvent in place. */
export function checkTaskStatusUpdateEvent(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "taskId":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "taskId", v, c)) have |= 1;
          break;
        case "contextId":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "contextId", v, c)) have |= 2;
          break;
        case "status":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkTaskStatus(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "status");
          } else if (fixObject(o, "status", v, c)) have |= 4;
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
          moved |= unknownKey(o, key, TASK_STATUS_UPDATE_EVENT, c);
      }
    }
    todo = moved;
  }
  if ((have & 7) !== 7) refuseMissing(have, "TaskStatusUpdateEvent", TASK_STATUS_UPDATE_EVENT_REQUIRED, c);
}

const TASK_ARTIFACT_UPDATE_EVENT: FieldNames = { message: "TaskArtifactUpdateEvent", aliases: /* @__PURE__ */ new Map([
    ["task_id", ["taskId", 1]],
    ["context_id", ["contextId", 2]],
    ["last_chunk", ["lastChunk", 16]],
  ]) };
const TASK_ARTIFACT_UPDATE_EVENT_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "taskId", kind: "string" },
  { bit: 2, field: "contextId", kind: "string" },
  { bit: 4, field: "artifact", kind: "other" },
];

/** Checks a TaskArtifactUpdateEvent in place. */
export function checkTaskArtifactUpdateEvent(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "taskId":
          if ((todo & 1) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 1;
          } else if (fixString(o, "taskId", v, c)) have |= 1;
          break;
        case "contextId":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "contextId", v, c)) have |= 2;
          break;
        case "artifact":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkArtifact(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "artifact");
          } else if (fixObject(o, "artifact", v, c)) have |= 4;
          break;
        case "append":
          if ((todo & 8) === 0) break;
          if (!(v === true)) fixBool(o, "append", v, c);
          break;
        case "lastChunk":
          if ((todo & 16) === 0) break;
          if (!(v === true)) fixBool(o, "lastChunk", v, c);
          break;
        case "metadata":
          if ((todo & 32) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            const notes = c.count;
            checkStruct(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "metadata");
          } else fixObject(o, "metadata", v, c);
          break;
        default:
          moved |= unknownKey(o, key, TASK_ARTIFACT_UPDATE_EVENT, c);
      }
    }
    todo = moved;
  }
  if ((have & 7) !== 7) refuseMissing(have, "TaskArtifactUpdateEvent", TASK_ARTIFACT_UPDATE_EVENT_REQUIRED, c);
}

const LIST_TASKS_RESPONSE: FieldNames = { message: "ListTasksResponse", aliases: /* @__PURE__ */ new Map([
    ["next_page_token", ["nextPageToken", 2]],
    ["page_size", ["pageSize", 4]],
    ["total_size", ["totalSize", 8]],
  ]) };
const LIST_TASKS_RESPONSE_REQUIRED: readonly RequiredField[] = [
  { bit: 1, field: "tasks", kind: "list" },
  { bit: 2, field: "nextPageToken", kind: "string" },
  { bit: 4, field: "pageSize", kind: "number" },
  { bit: 8, field: "totalSize", kind: "number" },
];

/** Checks a ListTasksResponse in place. */
export function checkListTasksResponse(o: Loose, c: Check, depth: number): void {
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "tasks":
          if ((todo & 1) === 0) break;
          if (Array.isArray(v) && v.length > 0) {
            have |= 1;
            for (let i = 0; i < v.length; i++) {
              const e = v[i];
              const notes = c.count;
              if (typeof e === "object" && e !== null && !Array.isArray(e)) {
                checkTask(e, c, depth + 2);
              } else wrong(c, "", "an object", e);
              if (c.count !== notes) under(c, notes, "tasks", i);
            }
          } else if (fixList(o, "tasks", v, c)) have |= 1;
          break;
        case "nextPageToken":
          if ((todo & 2) === 0) break;
          if (typeof v === "string" && v.length !== 0) {
            have |= 2;
          } else if (fixString(o, "nextPageToken", v, c)) have |= 2;
          break;
        case "pageSize":
          if ((todo & 4) === 0) break;
          if (typeof v === "number" && (v | 0) === v && !Object.is(v, -0)) {
            have |= 4;
          } else if (fixInt(o, "pageSize", v, c)) have |= 4;
          break;
        case "totalSize":
          if ((todo & 8) === 0) break;
          if (typeof v === "number" && (v | 0) === v && !Object.is(v, -0)) {
            have |= 8;
          } else if (fixInt(o, "totalSize", v, c)) have |= 8;
          break;
        default:
          moved |= unknownKey(o, key, LIST_TASKS_RESPONSE, c);
      }
    }
    todo = moved;
  }
  if ((have & 15) !== 15) fillMissing(o, have, LIST_TASKS_RESPONSE_REQUIRED);
}

const SEND_MESSAGE_RESPONSE: FieldNames = { message: "SendMessageResponse", aliases: /* @__PURE__ */ new Map() };
const SEND_MESSAGE_RESPONSE_ARMS: OneofArms = { message: "SendMessageResponse", arms: ["task", "message"] };

/** Checks a SendMessageResponse in place. */
export function checkSendMessageResponse(o: Loose, c: Check, depth: number): void {
  const from = c.count;
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "task":
          if ((todo & 1) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 1;
            const notes = c.count;
            checkTask(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "task");
          } else if (fixObject(o, "task", v, c)) have |= 1;
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
        default:
          moved |= unknownKey(o, key, SEND_MESSAGE_RESPONSE, c);
      }
    }
    todo = moved;
  }
  const set = have & 3;
  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, SEND_MESSAGE_RESPONSE_ARMS, from, c);
}

const STREAM_RESPONSE: FieldNames = { message: "StreamResponse", aliases: /* @__PURE__ */ new Map([
    ["status_update", ["statusUpdate", 4]],
    ["artifact_update", ["artifactUpdate", 8]],
  ]) };
const STREAM_RESPONSE_ARMS: OneofArms = { message: "StreamResponse", arms: ["task", "message", "statusUpdate", "artifactUpdate"] };

/** Checks a StreamResponse in place. */
export function checkStreamResponse(o: Loose, c: Check, depth: number): void {
  const from = c.count;
  let have = 0;
  for (let todo = -1; todo !== 0; ) {
    let moved = 0;
    for (const key in o) {
      const v = o[key];
      switch (key) {
        case "task":
          if ((todo & 1) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 1;
            const notes = c.count;
            checkTask(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "task");
          } else if (fixObject(o, "task", v, c)) have |= 1;
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
        case "statusUpdate":
          if ((todo & 4) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 4;
            const notes = c.count;
            checkTaskStatusUpdateEvent(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "statusUpdate");
          } else if (fixObject(o, "statusUpdate", v, c)) have |= 4;
          break;
        case "artifactUpdate":
          if ((todo & 8) === 0) break;
          if (typeof v === "object" && v !== null && !Array.isArray(v)) {
            have |= 8;
            const notes = c.count;
            checkTaskArtifactUpdateEvent(v as Loose, c, depth + 1);
            if (c.count !== notes) under(c, notes, "artifactUpdate");
          } else if (fixObject(o, "artifactUpdate", v, c)) have |= 8;
          break;
        default:
          moved |= unknownKey(o, key, STREAM_RESPONSE, c);
      }
    }
    todo = moved;
  }
  const set = have & 15;
  if (set === 0 || (set & (set - 1)) !== 0) fixArms(o, STREAM_RESPONSE_ARMS, from, c);
}
