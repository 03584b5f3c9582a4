/** §4.1, §4.2 and §5.5 to §5.7: the form of what an agent sends, and what it reads. */
import type { JsonObject } from "../../model/json.ts";
import { endedTask, getTask, idOf, kindOf, rehearse, rehearseStream, say, sendParams } from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectEqual, expectResult, Inapplicable, Mismatch } from "../expect.ts";
import { show, textAt, valueAt } from "../json-path.ts";
import { answerFaults, cardNamingFaults, type ShapeFault } from "../shape-faults.ts";
import type { Frame } from "../wire-stream.ts";

/** Everything that a task can hold. */
const RICH = [
  { state: "WORKING", text: "on it" },
  { artifact: { name: "a.txt", text: "text" } },
  { artifact: { name: "b.json", data: { snake_case: null, list: [1, 2.5, "x"] } } },
  { artifact: { name: "c.bin", rawBase64: "AAEC" } },
  { artifact: { name: "d.txt", url: "https://example.com/d.txt" } },
  { end: "COMPLETED", text: "done" },
];

/** Titles by the rule whose faults the check looks for. */
const RULES: readonly (readonly [string, string, string])[] = [
  ["4.1/task", "4.1.1/task", "MUST send tasks with id and status"],
  ["4.1/status", "4.1.2/status", "MUST send a status with its state"],
  ["4.1/state", "4.1.3/state", "MUST send one of the eight states by its name"],
  ["4.1/message", "4.1.4/message", "MUST send messages with messageId, role and parts"],
  ["4.1/agent-role", "4.1.5/agent-role", "MUST send its own messages as ROLE_AGENT"],
  ["4.1/part", "4.1.6/part", "MUST send parts with exactly one content"],
  ["4.1/artifact", "4.1.7/artifact", "MUST send artifacts with artifactId and parts"],
  ["4.1/artifact-id", "4.1.7/unique-id", "MUST send each artifactId once in a task"],
  ["5.5/camel-case", "5.5/camel-case", "MUST name fields in camelCase"],
  ["5.5/enum-names", "5.5/enum-names", "MUST send enum values by their names"],
  ["5.6.1/utc", "5.6.1/utc", "MUST send timestamps in UTC with Z"],
  ["5.6.1/milliseconds", "5.6.1/milliseconds", "SHOULD send timestamps with milliseconds"],
];

/** Rules that are also the general ones of §5.7. */
const REQUIRED_FIELDS: readonly string[] = ["4.1.1/task", "4.1.2/status", "4.1.4/message", "4.1.7/artifact"];

/** Checks of §4.1, §4.2, §5.5, §5.6.1 and §5.7. */
export const DATA_MODEL: readonly Check[] = [
  ...RULES.map(
    ([id, rule, title]): Check => ({
      id,
      title,
      verifies: REQUIRED_FIELDS.includes(rule) ? [rule, "5.7/required-present", "5.7/required-lists"] : [rule],
      async run(probe) {
        const answer = probe.facts.rehearsal ? await rehearse(probe, RICH) : await say(probe);
        const taskId = textAt(answer, "task.id");
        const read = taskId === undefined ? answer : { task: await getTask(probe, taskId) };
        refuse([...answerFaults(answer), ...answerFaults(read), ...cardNamingFaults(probe.card)], rule);
      },
    }),
  ),
  ...(["4.2.1/status-update", "4.2.2/artifact-update"] as const).map(
    (rule): Check => ({
      id: rule.replace(/^4\.2\.\d/, "4.2"),
      title: `MUST name task and context in every ${rule.slice(6).replace("-", " ")}`,
      verifies: [rule, "5.7/required-present"],
      needs: ["rehearsal", "streaming"],
      async run(probe) {
        // The pause lets the stream be open before the updates come; without any there is nothing to judge.
        const frames = await rehearseStream(probe, [{ wait: 150 }, ...RICH]);
        expect(frames.length > 0, "a stream with events", "none");
        const wanted = rule === "4.2.1/status-update" ? "statusUpdate" : "artifactUpdate";
        if (
          kindOf(frames[0] as Frame) === "task" &&
          !frames.some(({ payload }) => valueAt(payload, wanted) !== undefined)
        ) {
          throw new Inapplicable("everything was in the Task when the stream was opened");
        }
        refuse(
          frames.flatMap(({ payload }) => answerFaults(payload)),
          rule,
        );
      },
    }),
  ),
  {
    id: "4.2/forms",
    title: "MUST send the objects of a stream in the same form",
    verifies: ["5.5/camel-case", "5.5/enum-names", "5.6.1/utc", "4.1.3/state"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const frames = await rehearseStream(probe, RICH);
      refuse(
        frames.flatMap(({ payload }) => answerFaults(payload)).filter(({ rule }) => rule !== "5.6.1/milliseconds"),
      );
    },
  },
  {
    id: "5.5/proto-json",
    title: "MUST read enum numbers, null for unset and numbers in strings",
    verifies: ["5.5/proto-json-input"],
    async run(probe) {
      const message = { role: 1, contextId: null, metadata: null };
      expectAnswer(
        expectResult(await probe.wire.call("SendMessage", sendParams(probe, [{ text: "hello" }], { message }))),
      );
      expectResult(await probe.wire.call("ListTasks", { status: 3 }));
      const page = expectResult(await probe.wire.call("ListTasks", { pageSize: "7" }));
      expectEqual("pageSize", valueAt(page, "pageSize"), 7);
    },
  },
  {
    id: "5.5/bytes",
    title: "MUST read base64 in both alphabets, and send the standard one",
    verifies: ["5.5/proto-json-input"],
    needs: ["rehearsal"],
    async run(probe) {
      const answer = await rehearse(probe, [{ artifact: { name: "a.bin", rawBase64: "-_8" } }]);
      expectEqual("the raw part", textAt(answer, "task.artifacts.0.parts.0.raw"), "+/8=");
    },
  },
  {
    id: "5.6.1/parses",
    title: "MUST read timestamps of any precision",
    verifies: ["5.6.1/parses"],
    async run(probe) {
      const future = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
      for (const time of [`${future}Z`, `${future}.5Z`, `${future}.123456789Z`]) {
        const page = expectResult(await probe.wire.call("ListTasks", { statusTimestampAfter: time }));
        expectEqual(`the tasks since ${time}`, valueAt(page, "tasks"), []);
      }
    },
  },
  {
    id: "5.7/ignores-unknown",
    title: "SHOULD ignore fields that it does not know",
    verifies: ["5.7/ignores-unknown"],
    async run(probe) {
      const params = sendParams(probe, [{ text: "hello", fieldOfTomorrow: 1 }], { message: { fieldOfTomorrow: {} } });
      const answer = expectResult(await probe.wire.call("SendMessage", { ...params, fieldOfTomorrow: [] }));
      expectAnswer(answer);
      expect(!JSON.stringify(answer).includes("fieldOfTomorrow"), "the field not sent back", answer);
    },
  },
  {
    id: "5.7/text-kept",
    title: "MUST keep texts and structured data exactly",
    verifies: ["4/equivalent", "3.1.3/current-state"],
    needs: ["rehearsal"],
    async run(probe) {
      const text = 'héllo 日本 😀\u2028\u0007\r\n\\"';
      const data = { list: [0, -1.5, 1e21, true, null, ""], __proto__x: 1, constructor: { nested: [] } };
      const answer = await rehearse(probe, [
        { artifact: { name: "a.txt", text } },
        { artifact: { name: "b.json", data } },
      ]);
      const task = await getTask(probe, textAt(answer, "task.id") ?? "");
      expectEqual("the text", textAt(task, "artifacts.0.parts.0.text"), text);
      expectEqual("the data", valueAt(task, "artifacts.1.parts.0.data"), data);
    },
  },
  {
    id: "5.7/omits-empty",
    title: "MUST NOT send null where a field is unset",
    verifies: ["5.7/required-present"],
    async run(probe) {
      const task = await getTask(probe, idOf(await endedTask(probe)));
      const empty = Object.entries(task).filter(([, value]) => value === null);
      expectEqual("the null members of a task", empty, []);
    },
  },
];

function expectAnswer(answer: JsonObject): void {
  const arms = Object.keys(answer).filter((name) => name === "task" || name === "message");
  expect(arms.length === 1, "a task or a message", answer);
}

/** Fails on the first fault, of one rule when that is given. */
function refuse(faults: readonly ShapeFault[], rule?: string): void {
  const [fault, ...more] = faults.filter((one) => rule === undefined || one.rule === rule);
  if (fault === undefined) return;
  throw new Mismatch(
    `no breach of ${fault.rule}`,
    `${fault.path}: ${show(fault.problem)}${more.length > 0 ? ` and ${more.length} more` : ""}`,
  );
}
