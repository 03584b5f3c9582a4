import type { Artifact, ListTasksResponse, Message, StreamResponse, Task } from "./gen/types.ts";
import {
  checkArtifact,
  checkListTasksResponse,
  checkMessage,
  checkStreamResponse,
  checkTask,
} from "./gen/validate-task.ts";
import { type ParseOptions, parseWith } from "./parse.ts";

/**
 * Reads a task.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §4.1.1
 */
export function parseTask(value: unknown, options?: ParseOptions): Task {
  return parseWith(value, options, checkTask) as unknown as Task;
}

/**
 * Reads a message.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §4.1.4
 */
export function parseMessage(value: unknown, options?: ParseOptions): Message {
  return parseWith(value, options, checkMessage) as unknown as Message;
}

/**
 * Reads an artifact.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §4.1.7
 */
export function parseArtifact(value: unknown, options?: ParseOptions): Artifact {
  return parseWith(value, options, checkArtifact) as unknown as Artifact;
}

/**
 * Reads one event of a stream or a webhook call.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.2.3
 */
export function parseStreamResponse(value: unknown, options?: ParseOptions): StreamResponse {
  return parseWith(value, options, checkStreamResponse) as unknown as StreamResponse;
}

/**
 * Reads what ListTasks answers; its four fields are always there.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.4
 */
export function parseListTasksResponse(value: unknown, options?: ParseOptions): ListTasksResponse {
  return parseWith(value, options, checkListTasksResponse) as unknown as ListTasksResponse;
}
