/** §3.1.2, §3.1.6 and §3.5.2: streams of events. */
import {
  endedTask,
  getTask,
  idOf,
  kindOf,
  rehearseStream,
  rehearseTask,
  script,
  sendParams,
  stateOf,
  until,
  waitingTask,
} from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError, Inapplicable, Mismatch } from "../expect.ts";
import { textAt } from "../json-path.ts";
import { pictureOf } from "../stream-picture.ts";
import type { Frame, WireStream } from "../wire-stream.ts";

const IMMEDIATELY = { configuration: { returnImmediately: true } };

/** Long enough for a subscriber to be there before the artifacts come. */
const SLOW_STORY = [
  { state: "WORKING" },
  { wait: 300 },
  { stream: { name: "a.txt", chunks: 20, bytes: 8 } },
  { end: "COMPLETED", text: "done" },
];

/** Checks of §3.1.2, §3.1.6 and §3.5.2. */
export const STREAMING: readonly Check[] = [
  {
    id: "3.1.2/any-text",
    title: "MUST open a stream that begins with a Task or is one Message",
    verifies: ["3.1.2/opens-stream", "3.1.2/begins-with-task", "3.1.2/message-stream", "3.1.2/only-updates-follow"],
    needs: ["streaming"],
    async run(probe) {
      const stream = await probe.wire.stream("SendStreamingMessage", sendParams(probe, [{ text: "hello" }]));
      expect(stream.isStream, "an event stream", stream.error?.message ?? `status ${stream.status}`);
      const frames = await stream.rest();
      const kinds = frames.map(kindOf);
      if (kinds[0] === "message") {
        expectEqual("the events", kinds, ["message"]);
        return;
      }
      expectEqual("the first event", kinds[0], "task");
      const foreign = kinds.slice(1).find((kind) => kind === "message" || kind.includes("+") || kind === "nothing");
      expect(foreign === undefined, "status and artifact updates after the Task", kinds.join(", "));
    },
  },
  {
    id: "3.1.2/task-stream",
    title: "MUST stream the life of a task and close at its terminal state",
    verifies: [
      "3.1.2/begins-with-task",
      "3.1.2/only-updates-follow",
      "3.1.2/closes-at-terminal",
      "4.2.2/append",
      "3.5.2/order",
    ],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const frames = await rehearseStream(probe, [
        { state: "WORKING", text: "on it" },
        { artifact: { name: "a.txt", text: "one " } },
        { artifact: { name: "a.txt", text: "two", append: true, lastChunk: true } },
        { end: "COMPLETED" },
      ]);
      const kinds = frames.map(kindOf);
      expectEqual("the first event", kinds[0], "task");
      expectEqual("the whole", pictureOf(frames), { state: "COMPLETED", artifacts: { "a.txt": "one two" } });
      expect(
        kinds.slice(1).every((kind) => kind === "artifact" || /^[A-Z_]+$/.test(kind)),
        "status and artifact updates after the Task",
        kinds.join(", "),
      );
    },
  },
  {
    id: "3.1.2/message-stream",
    title: "MUST send exactly one Message and close where there is no task",
    verifies: ["3.1.2/message-stream"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const frames = await rehearseStream(probe, [{ reply: "hello" }]);
      expectEqual("the events", frames.map(kindOf), ["message"]);
      expectEqual("the text", textAt(frames[0]?.payload, "message.parts.0.text"), "hello");
    },
  },
  ...["FAILED", "REJECTED", "CANCELED"].map(
    (state): Check => ({
      id: `3.1.2/closes-at-${state.toLowerCase()}`,
      title: `MUST close at ${state}`,
      verifies: ["3.1.2/closes-at-terminal"],
      needs: ["rehearsal", "streaming"],
      async run(probe) {
        const frames = await rehearseStream(probe, [{ state: "WORKING" }, { end: state, text: "over" }]);
        expectEqual("the last state", pictureOf(frames).state, state);
      },
    }),
  ),
  {
    id: "3.1.2/immediate-feedback",
    title: "MUST send progress while the agent still works",
    verifies: ["3.1.2/immediate-feedback"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const steps = [{ state: "WORKING" }, { artifact: { name: "a.txt", text: "early" } }, { wait: 30_000 }];
      const stream = await openScript(probe, steps);
      const frames: Frame[] = [];
      while (pictureOf(frames).artifacts["a.txt"] === undefined) {
        const frame = await stream.next();
        expect(frame !== undefined, "an artifact", "the end of the stream");
        frames.push(frame);
      }
      const taskId = textAt(frames[0]?.payload, "task.id") ?? "";
      const state = stateOf(await getTask(probe, taskId));
      expect(!state.endsWith("COMPLETED"), "an artifact before the task is over", state);
      await stream.close();
      await probe.wire.call("CancelTask", { id: taskId });
    },
  },
  {
    id: "3.1.2/terminal-task",
    title: "MUST refuse to stream a message to a terminal task",
    verifies: ["3.1.2/terminal-task"],
    needs: ["streaming"],
    async run(probe) {
      const taskId = idOf(await endedTask(probe));
      const params = sendParams(probe, [{ text: "more" }], { message: { taskId } });
      await expectNoStream(probe, await probe.wire.stream("SendStreamingMessage", params), "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.1.2/unknown-task",
    title: "MUST refuse to stream a message to an unknown task",
    verifies: ["3.1.2/unknown-task"],
    needs: ["streaming"],
    async run(probe) {
      const params = sendParams(probe, [{ text: "hello" }], { message: { taskId: probe.newId() } });
      await expectNoStream(probe, await probe.wire.stream("SendStreamingMessage", params), "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.2/content-type",
    title: "MUST refuse to stream a message of a media type that the card does not name",
    verifies: ["3.1.2/content-type"],
    needs: ["streaming"],
    async run(probe) {
      if (JSON.stringify(probe.card).includes('"*/*"')) throw new Inapplicable("the card takes every media type");
      const part = { raw: "AAAA", mediaType: "application/x-legation-unheard-of" };
      const stream = await probe.wire.stream("SendStreamingMessage", sendParams(probe, [part]));
      await expectNoStream(probe, stream, "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    id: "3.1.6/subscribe",
    title: "MUST begin with the Task and end at the terminal state",
    verifies: ["3.1.6/begins-with-task", "3.1.6/ends-at-terminal"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const task = await rehearseTask(probe, SLOW_STORY, IMMEDIATELY);
      const frames = await (await probe.wire.stream("SubscribeToTask", { id: idOf(task) })).rest();
      expectEqual("the first event", kindOf(frames[0] ?? NO_FRAME), "task");
      expectEqual("the id in it", textAt(frames[0]?.payload, "task.id"), idOf(task));
      expectEqual("the last state", pictureOf(frames).state, "COMPLETED");
    },
  },
  {
    id: "3.1.6/waiting-task",
    title: "MUST stream a task that waits for input, and go on when the answer comes",
    verifies: ["3.1.6/any-open-task", "3.1.6/begins-with-task", "3.1.6/ends-at-terminal"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const task = await waitingTask(probe);
      const stream = await probe.wire.stream("SubscribeToTask", { id: idOf(task) });
      const first = await stream.next();
      expectEqual("the state in the first event", textAt(first?.payload, "task.status.state"), stateOf(task));
      await probe.wire.call("SendMessage", sendParams(probe, [{ text: "this" }], { message: { taskId: idOf(task) } }));
      const rest = await stream.rest();
      expectEqual("the last state", pictureOf(rest).state, "COMPLETED");
    },
  },
  {
    id: "3.1.6/terminal-task",
    title: "MUST refuse to subscribe to a terminal task",
    verifies: ["3.1.6/terminal-task"],
    needs: ["streaming"],
    async run(probe) {
      const id = idOf(await endedTask(probe));
      await expectNoStream(probe, await probe.wire.stream("SubscribeToTask", { id }), "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.1.6/unknown-task",
    title: "MUST refuse to subscribe to an unknown task",
    verifies: ["3.1.6/unknown-task"],
    needs: ["streaming"],
    async run(probe) {
      const stream = await probe.wire.stream("SubscribeToTask", { id: probe.newId() });
      await expectNoStream(probe, stream, "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.5.2/order",
    title: "MUST deliver events in the order in which they were made",
    verifies: ["3.5.2/order"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const frames = await rehearseStream(probe, [{ stream: { name: "a.txt", chunks: 200, bytes: 8 } }]);
      expectEqual("the text of the artifact", pictureOf(frames).artifacts["a.txt"], textOfChunks(200));
    },
  },
  {
    id: "3.5.2/two-streams",
    title: "MUST give every stream of a task the same events in the same order",
    verifies: ["3.5.2/broadcast", "3.5.2/same-order"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const task = await rehearseTask(probe, SLOW_STORY, IMMEDIATELY);
      const open = (): Promise<WireStream> => probe.wire.stream("SubscribeToTask", { id: idOf(task) });
      const streams = await Promise.all([open(), open()]);
      const [one = [], two = []] = await Promise.all(streams.map((stream) => stream.rest()));
      expectEqual("the text in the first", pictureOf(one).artifacts["a.txt"], textOfChunks(20));
      // What came before a stream was opened is in its Task; from there on both have the same.
      const shared = Math.min(one.length, two.length) - 1;
      const updates = (frames: readonly Frame[]): unknown[] => frames.map(({ payload }) => payload).slice(-shared);
      expect(shared > 0, "events after the Task", shared);
      expectEqual("the events of the second stream:", updates(two), updates(one));
    },
  },
  {
    id: "3.5.2/closing-one",
    title: "MUST go on when one of the streams is closed",
    verifies: ["3.5.2/independent-streams", "3.5.2/independent-task"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const task = await rehearseTask(probe, SLOW_STORY, IMMEDIATELY);
      const closing = await probe.wire.stream("SubscribeToTask", { id: idOf(task) });
      const staying = await probe.wire.stream("SubscribeToTask", { id: idOf(task) });
      await closing.next();
      await closing.close();
      expectEqual("the text in the other", pictureOf(await staying.rest()).artifacts["a.txt"], textOfChunks(20));
      const ended = await getTask(probe, idOf(task));
      expectEqual("the state afterwards", stateOf(ended), "TASK_STATE_COMPLETED");
    },
  },
  {
    id: "3.5.2/all-closed",
    title: "MUST carry the task on when its only stream is closed",
    verifies: ["3.5.2/independent-task"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const stream = await openScript(probe, SLOW_STORY);
      const first = await stream.next();
      await stream.close();
      const taskId = textAt(first?.payload, "task.id") ?? "";
      await until(probe, taskId, (task) => stateOf(task) === "TASK_STATE_COMPLETED");
    },
  },
];

const NO_FRAME: Frame = {
  id: undefined,
  event: undefined,
  data: "",
  json: undefined,
  payload: undefined,
  error: undefined,
};

function openScript(probe: Probe, steps: Parameters<typeof script>[0]): Promise<WireStream> {
  return probe.wire.stream("SendStreamingMessage", sendParams(probe, [script(steps)]));
}

async function expectNoStream(
  probe: Probe,
  stream: WireStream,
  code: Parameters<typeof expectError>[2],
): Promise<void> {
  if (stream.isStream) {
    const first = await stream.next();
    await stream.close();
    // JSON-RPC has its errors in the body and may send this one as the only event; HTTP+JSON owes a status.
    const isOnlyEvent = probe.wire.binding === "jsonrpc" && first?.error !== undefined;
    if (!isOnlyEvent) throw new Mismatch(`the error ${code} instead of a stream`, first?.data ?? "an empty stream");
    expectError("jsonrpc", { status: 200, error: first.error }, code);
    return;
  }
  expectError(probe.wire.binding, stream, code);
}

/** What the `stream` step of the rehearsal extension writes: each chunk its number and a space, padded with dots. */
function textOfChunks(chunks: number): string {
  return Array.from({ length: chunks }, (_, index) => `${index} `.padStart(8, ".")).join("");
}
