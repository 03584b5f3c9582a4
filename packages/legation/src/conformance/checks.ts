/** All checks, by the sections of the specification. */
import type { Check } from "./check.ts";
import { AGENT_CARD } from "./checks/agent-card.ts";
import { AUTHENTICATION } from "./checks/authentication.ts";
import { CANCEL_TASK } from "./checks/cancel-task.ts";
import { CAPABILITIES } from "./checks/capabilities.ts";
import { DATA_MODEL } from "./checks/data-model.ts";
import { EQUIVALENCE } from "./checks/equivalence.ts";
import { ERRORS } from "./checks/errors.ts";
import { HTTP_JSON } from "./checks/http-json.ts";
import { IN_TASK_AUTHORIZATION } from "./checks/in-task-authorization.ts";
import { JSON_RPC } from "./checks/json-rpc.ts";
import { MULTI_TURN } from "./checks/multi-turn.ts";
import { PUSH } from "./checks/push.ts";
import { READ_TASKS } from "./checks/read-tasks.ts";
import { SEND_MESSAGE } from "./checks/send-message.ts";
import { STREAMING } from "./checks/streaming.ts";
import { VERSIONS } from "./checks/versions.ts";

/** Every check, in the order in which they run. */
export const CHECKS: readonly Check[] = [
  ...AGENT_CARD,
  ...EQUIVALENCE,
  ...SEND_MESSAGE,
  ...STREAMING,
  ...READ_TASKS,
  ...CANCEL_TASK,
  ...PUSH,
  ...CAPABILITIES,
  ...MULTI_TURN,
  ...VERSIONS,
  ...ERRORS,
  ...DATA_MODEL,
  ...AUTHENTICATION,
  ...IN_TASK_AUTHORIZATION,
  ...JSON_RPC,
  ...HTTP_JSON,
];
