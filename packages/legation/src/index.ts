// The face ".": the words of the protocol, its errors and its version. Runs wherever JavaScript does.

export type * from "./model/gen/types.ts";
export type { JsonObject, JsonValue } from "./model/json.ts";
export type { A2AErrorOptions, ErrorCode, FieldViolation, LocalErrorCode } from "./operations/errors.ts";
export { A2AError, isA2AError, isLocalError, LocalError } from "./operations/errors.ts";
export { PROTOCOL_VERSION } from "./operations/version.ts";
