// The face "./extensions": extensions as typed plug-ins, and two of them.

export {
  type ActivatedTurn,
  defineExtension,
  type Extension,
  type ExtensionHooks,
  type ExtensionMethod,
  type ExtensionMethodContext,
  type ExtensionSendOptions,
  type ExtensionSpec,
  type MetadataHolder,
} from "../operations/extension.ts";
export { callExtension, type ExtensionCallOptions } from "./call-extension.ts";
export { TIMESTAMP_EXTENSION, timestamp } from "./timestamp.ts";
export {
  type ResponseTrace,
  type StepFacts,
  TRACEABILITY_EXTENSION,
  type Trace,
  type Traceability,
  type TraceStep,
  traceability,
} from "./traceability.ts";
