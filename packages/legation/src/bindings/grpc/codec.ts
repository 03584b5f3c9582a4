/**
 * Messages of the gRPC binding: canonical ProtoJSON objects to protobuf and back, by method.
 *
 * What is decoded has the form of parsed JSON and goes through the same validator as JSON does, so that what is refused
 * there is refused here.
 *
 * @see specification §10.1, §10.4
 */
import type { Loose } from "../../model/notes.ts";
import type { MethodName } from "../../operations/methods.ts";
import { parseRequest } from "../../operations/parse-request.ts";
import { BinaryReader } from "./binary-reader.ts";
import { BinaryWriter } from "./binary-writer.ts";
import * as decode from "./gen/decode.ts";
import * as encode from "./gen/encode.ts";
import { readAnswer, readRequest } from "./wire-faults.ts";

type Write = (writer: BinaryWriter, value: never) => void;
type Read = (reader: BinaryReader, end: number) => Loose;

const REQUESTS: Readonly<Record<MethodName, readonly [Write, Read]>> = {
  SendMessage: [encode.writeSendMessageRequest, decode.readSendMessageRequest],
  SendStreamingMessage: [encode.writeSendMessageRequest, decode.readSendMessageRequest],
  GetTask: [encode.writeGetTaskRequest, decode.readGetTaskRequest],
  ListTasks: [encode.writeListTasksRequest, decode.readListTasksRequest],
  CancelTask: [encode.writeCancelTaskRequest, decode.readCancelTaskRequest],
  SubscribeToTask: [encode.writeSubscribeToTaskRequest, decode.readSubscribeToTaskRequest],
  CreateTaskPushNotificationConfig: [encode.writeTaskPushNotificationConfig, decode.readTaskPushNotificationConfig],
  GetTaskPushNotificationConfig: [
    encode.writeGetTaskPushNotificationConfigRequest,
    decode.readGetTaskPushNotificationConfigRequest,
  ],
  ListTaskPushNotificationConfigs: [
    encode.writeListTaskPushNotificationConfigsRequest,
    decode.readListTaskPushNotificationConfigsRequest,
  ],
  DeleteTaskPushNotificationConfig: [
    encode.writeDeleteTaskPushNotificationConfigRequest,
    decode.readDeleteTaskPushNotificationConfigRequest,
  ],
  GetExtendedAgentCard: [encode.writeGetExtendedAgentCardRequest, decode.readGetExtendedAgentCardRequest],
};

const TASK: readonly [Write, Read] = [encode.writeTask, decode.readTask];
const EVENT: readonly [Write, Read] = [encode.writeStreamResponse, decode.readStreamResponse];
const CONFIG: readonly [Write, Read] = [encode.writeTaskPushNotificationConfig, decode.readTaskPushNotificationConfig];
const EMPTY: readonly [Write, Read] = [() => undefined, (reader, end) => skipAll(reader, end)];

const ANSWERS: Readonly<Record<MethodName, readonly [Write, Read]>> = {
  SendMessage: [encode.writeSendMessageResponse, decode.readSendMessageResponse],
  SendStreamingMessage: EVENT,
  GetTask: TASK,
  ListTasks: [encode.writeListTasksResponse, decode.readListTasksResponse],
  CancelTask: TASK,
  SubscribeToTask: EVENT,
  CreateTaskPushNotificationConfig: CONFIG,
  GetTaskPushNotificationConfig: CONFIG,
  ListTaskPushNotificationConfigs: [
    encode.writeListTaskPushNotificationConfigsResponse,
    decode.readListTaskPushNotificationConfigsResponse,
  ],
  DeleteTaskPushNotificationConfig: EMPTY,
  GetExtendedAgentCard: [encode.writeAgentCard, decode.readAgentCard],
};

// One writer for the process: nothing is awaited between its beginning and its end.
const writer = new BinaryWriter();

/**
 * A request as bytes. One that is not canonical, but that JSON would carry to the same end (another offset of a time,
 * the number of an enum), is put right on a copy.
 *
 * @returns the message without a frame
 * @throws ModelError for what protobuf cannot carry, with the path of each violation, as the agent would refuse it
 */
export function encodeRequest(method: MethodName, request: object): Buffer {
  const [write] = REQUESTS[method];
  try {
    return writer.collect(false, write, request as never);
  } catch {
    const copy = structuredClone(request);
    parseRequest(method, copy);
    return writer.collect(false, write, copy as never);
  }
}

/**
 * Reads a request into the form of parsed JSON; it is not yet validated.
 *
 * @throws PARSE_ERROR for bytes that are no message, INVALID_PARAMS for a field of the wrong form
 */
export function decodeRequest(method: MethodName, bytes: Buffer): object {
  const request = readRequest(method, () => read(REQUESTS[method][1], bytes));
  // The field has presence, and JSON refuses its 0. Over gRPC an official SDK (a2a-go) writes 0 for a size that nobody
  // chose, and no caller can mean a page of none: 0 is unset here, as protobuf's default is everywhere else.
  if (method === "ListTasks" && request["pageSize"] === 0) delete request["pageSize"];
  return request;
}

/** The answer of a unary method as a frame. `value` is canonical; undefined for DeleteTaskPushNotificationConfig. */
export function encodeAnswer(method: MethodName, value: unknown): Buffer {
  return writer.collect(true, ANSWERS[method][0], value as never);
}

/**
 * Reads an answer, or one event of a stream, into the form of parsed JSON; it is not yet validated.
 *
 * @throws INVALID_AGENT_RESPONSE for bytes that are no such message
 */
export function decodeAnswer(method: MethodName, bytes: Buffer): Loose {
  return readAnswer(method, () => read(ANSWERS[method][1], bytes));
}

function read(readMessage: Read, bytes: Buffer): Loose {
  const reader = new BinaryReader(bytes);
  return readMessage(reader, reader.length);
}

function skipAll(reader: BinaryReader, end: number): Loose {
  while (reader.at < end) reader.skip(reader.tag(end), 0, end);
  return {};
}
