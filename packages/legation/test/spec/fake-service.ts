/** A service without an engine: it remembers what it was called with and answers what the test says. */
import type { SendMessageRequest, StreamResponse, Task } from "../../src/model/gen/types.ts";
import type { Call } from "../../src/operations/call.ts";
import { METHODS, type MethodName } from "../../src/operations/methods.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import type { EventStream, Service, StreamEvent } from "../../src/operations/service.ts";
import { streamEventOfValue } from "../../src/operations/stream-event.ts";

/** A task that is canonical as it stands. */
export function task(id = "t-1", state: Task["status"]["state"] = "TASK_STATE_WORKING"): Task {
  return { id, contextId: "c-1", status: { state, timestamp: "2026-01-02T03:04:05.006Z" } };
}

/** A status event. */
export function status(state: Task["status"]["state"], seq?: number): StreamEvent {
  return streamEventOfValue({ statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state } } }, seq);
}

/** The smallest valid send request. */
export const SEND: SendMessageRequest = {
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "héllo 日本 😀" }] },
};

/** One call that arrived. */
export interface Arrived {
  readonly method: MethodName;
  readonly request: Record<string, unknown>;
  readonly call: Call;
}

/** What a test may set. */
export interface FakeService extends Service {
  readonly arrived: Arrived[];
  /** Thrown by every operation before it answers. */
  failure: unknown;
  /** Answers of unary methods. */
  readonly answers: Partial<Record<MethodName, unknown>>;
  /** Makes the stream of a streaming method. */
  events: (call: Call) => EventStream;
  /** Extensions to mark as active. */
  active: readonly string[] | undefined;
  /** The last call that arrived. */
  last(): Arrived;
}

const CONFIG = { taskId: "t-1", id: "p-1", url: "https://hook.example/x" };

const ANSWERS: Partial<Record<MethodName, unknown>> = {
  SendMessage: { task: task() },
  GetTask: task(),
  ListTasks: { tasks: [task()], nextPageToken: "", pageSize: 50, totalSize: 1 },
  CancelTask: task("t-1", "TASK_STATE_CANCELED"),
  CreateTaskPushNotificationConfig: CONFIG,
  GetTaskPushNotificationConfig: CONFIG,
  ListTaskPushNotificationConfigs: { configs: [CONFIG] },
  GetExtendedAgentCard: {
    name: "A",
    description: "b",
    supportedInterfaces: [{ url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    version: "1",
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "s", name: "S", description: "d", tags: ["t"] }],
  },
};

/** A stream of the batches given. */
export function streamOf(...batches: (readonly StreamEvent[])[]): EventStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield* batches;
    },
  };
}

/** The usual stream: a task, then its end. */
export function usualEvents(): EventStream {
  return streamOf(
    [streamEventOfValue({ task: task() }, 1)],
    [status("TASK_STATE_WORKING", 2), status("TASK_STATE_COMPLETED", 3)],
  );
}

/** Makes a service. */
export function createFakeService(): FakeService {
  const arrived: Arrived[] = [];
  const fake: Record<string, unknown> = {
    arrived,
    failure: undefined,
    answers: { ...ANSWERS },
    events: usualEvents,
    active: undefined,
    last: () => {
      const found = arrived.at(-1);
      if (found === undefined) throw new Error("nothing arrived");
      return found;
    },
  };
  const self = fake as unknown as FakeService;
  for (const [method, row] of Object.entries(METHODS) as [MethodName, (typeof METHODS)[MethodName]][]) {
    fake[row.operation] = async (request: Record<string, unknown>, call: Call) => {
      arrived.push({ method, request, call });
      call.activeExtensions = self.active;
      if (self.failure !== undefined) throw self.failure;
      if (row.kind === "stream") return self.events(call);
      const answer = self.answers[method];
      return answer === undefined ? undefined : payloadOfValue(answer);
    };
  }
  return self;
}

/** Everything that a stream gives, flat. */
export async function collect(stream: EventStream): Promise<StreamResponse[]> {
  const all: StreamResponse[] = [];
  for await (const batch of stream) for (const event of batch) all.push(event.value);
  return all;
}
