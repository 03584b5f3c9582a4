/** §9 to §11: JSON-RPC, gRPC and HTTP+JSON. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const JSON_RPC: readonly Requirement[] = [
  must("9.1/content-type", "Answers are application/json."),
  must("9.1/method-names", "Methods have the PascalCase names of the proto."),
  must("9.1/sse", "Streams are Server-Sent Events."),
  must("9.2/headers", "Service parameters are read from HTTP headers."),
  clientMust("9.2/client-headers", "A client sends service parameters as HTTP headers."),
  clientShould("9.2/one-header", "A client joins several values of one parameter by commas."),
  clientMust("9.3/client-envelope", "Requests have the envelope of JSON-RPC 2.0."),
  must("9.3/envelope", "Answers have the envelope of JSON-RPC 2.0, with the id of the request."),
  must("9.3/refuses-bad-envelope", "What is no JSON-RPC 2.0 request is refused as such."),
  must("9.4.1/send", "SendMessage takes a SendMessageRequest and gives a SendMessageResponse."),
  must("9.4.2/stream", "SendStreamingMessage answers with 200, text/event-stream and a JSON-RPC response per event."),
  must("9.4.3/get", "GetTask takes id and historyLength and gives the Task."),
  must("9.4.4/list", "ListTasks takes its filters and gives a ListTasksResponse."),
  must("9.4.5/cancel", "CancelTask takes the id and gives the Task."),
  must("9.4.6/subscribe", "SubscribeToTask gives a stream of the form of SendStreamingMessage."),
  must("9.4.7/push", "The four push methods exist by their names."),
  must("9.4.8/extended-card", "GetExtendedAgentCard works without params."),
  must("9.5/error-object", "Errors are JSON-RPC error objects with code and message."),
  must("9.5/parse-error", "Invalid JSON gets -32700."),
  must("9.5/invalid-request", "A body that is no request object gets -32600."),
  must("9.5/method-not-found", "An unknown method gets -32601."),
  must("9.5/invalid-params", "Invalid parameters get -32602."),
  must("9.5/typed-data", "Every object in error.data has an @type."),
  should("9.5/well-known-types", "Error data uses ErrorInfo, and BadRequest for validation errors."),
];

const GRPC: readonly Requirement[] = unseen(
  "the probes of this runner speak HTTP; gRPC needs a wire that the caller of the runner gives",
  must("10.1/service", "The service A2AService of the proto is offered over HTTP/2 with TLS."),
  must("10.2/metadata", "Service parameters are read from gRPC metadata."),
  should("10.2/validates", "Required service parameters are validated."),
  clientMust("10.2/client-metadata", "A client sends service parameters as gRPC metadata."),
  clientShould("10.2/one-entry", "A client joins several values of one parameter by commas."),
  must("10.6/error-info", "Errors of the protocol carry ErrorInfo in the status details."),
);

const REST: readonly Requirement[] = [
  should("11.1/content-type", "Answers are application/a2a+json."),
  must("11.1/sse", "Streams are Server-Sent Events."),
  must("11.2/headers", "Service parameters are read from HTTP headers."),
  clientMust("11.2/client-headers", "A client sends service parameters as HTTP headers."),
  clientShould("11.2/one-header", "A client joins several values of one parameter by commas."),
  must("11.3.1/send", "POST /message:send sends a message."),
  must("11.3.1/stream", "POST /message:stream sends a message and streams the answer."),
  must("11.3.2/get", "GET /tasks/{id} gives a task."),
  must("11.3.2/list", "GET /tasks lists tasks by query parameters."),
  must("11.3.2/cancel", "POST /tasks/{id}:cancel cancels a task."),
  must("11.3.2/subscribe", "POST /tasks/{id}:subscribe streams the updates of a task."),
  must("11.3.3/push", "The push configurations of a task are at /tasks/{id}/pushNotificationConfigs."),
  must("11.3.4/extended-card", "GET /extendedAgentCard gives the extended card."),
  must("11.4/json", "Bodies are the JSON form of the proto messages, with no envelope around them."),
  must("11.5/query-parameters", "The parameters of GET and DELETE are read from path and query."),
  must("11.5/camel-case", "The names of query parameters are camelCase."),
  must("11.5/types", "Numbers, booleans, enum names and times are read from their text in a query."),
  must("11.5/url-encoding", "Values of a query are percent-decoded."),
  clientMust("11.5/client-query", "A client sends the parameters of GET and DELETE camelCase and percent-encoded."),
  must("11.6/status-object", "Errors are google.rpc.Status: error.code, error.status, error.message, error.details."),
  must("11.6/code-is-status", "error.code is the HTTP status."),
  must("11.6/error-info", "Errors of the protocol have an ErrorInfo with reason and domain a2a-protocol.org."),
  must("11.6/typed-details", "Every object in error.details has an @type."),
  should("11.6/well-known-types", "Validation errors carry a BadRequest."),
  must("11.7/data-events", "The data of each event is a StreamResponse."),
  must("11.7/task-first", "A stream is a Task or one Message first, then updates."),
  must("11.7/closes", "A stream closes when the task is terminal or waits for its caller."),
  should("11.7/no-reorder", "Events are not reordered."),
];

/** Every requirement of §9, §10 and §11. */
export const BINDINGS: readonly Requirement[] = [...JSON_RPC, ...GRPC, ...REST];
