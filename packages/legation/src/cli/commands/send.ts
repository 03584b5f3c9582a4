import type { SendOptions } from "../../client/send-options.ts";
import type { Message, Part } from "../../model/gen/types.ts";
import { payloadOfValue } from "../../operations/payload.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { followRun } from "../follow-run.ts";
import { readParts } from "../message-parts.ts";
import type { Caller } from "../next-command.ts";
import { shellWord } from "../next-command.ts";
import { type OpenAgent, withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { pollTask } from "../poll-task.ts";
import { presentReply, presentTask } from "../present.ts";
import { renderMessage } from "../render-parts.ts";
import { factsOf } from "../render-task.ts";
import { isSettled } from "../task-states.ts";
import { pollingOf } from "./task-get.ts";

/** `legation send`: begins an interaction or goes on with one, and waits for what comes of it. */
export const send: Command = {
  path: "send",
  words: ["[message]"],
  options: [
    ...AGENT_OPTIONS,
    "async",
    "wait",
    "stream",
    "poll-interval",
    "context-id",
    "task-id",
    "message-id",
    "reference-task-id",
    "text",
    "file",
    "data",
    "media-type",
    "accept-output",
    "history",
    "metadata",
  ],
  examples: [
    'send -a localhost:4000 "Perth to Albany"',
    'send -a localhost:4000 --task-id <task-id> "three days"',
    'send -a localhost:4000 -o json --stream "hello"',
    "send -a localhost:4000 --file report.bin --media-type application/pdf --text 'Summarise this'",
    `send -a localhost:4000 --data '{"rehearse":[{"ask":"which one?"},{"end":"COMPLETED"}]}'`,
  ],
  async run(context) {
    const { settings, io, messages, report } = context;
    const mode = readMode(context);
    const options = readSendOptions(context);
    const parts = await readParts(context.args[0], settings.given, io, messages);
    await withAgent(context, { hints: (caller) => rejectedHints(context, caller) }, async (agent) => {
      const message = composeMessage(parts, options);
      if (report.options.verbose && !report.isJson) await report.text(renderMessage("Sent", message, true));
      if (mode === "async") await sendOnce(context, agent, message, { ...options, returnImmediately: true });
      else if (agent.card.capabilities.streaming === true) {
        await followRun(context, agent, {
          run: agent.client.stream(message, { ...options, signal: agent.signal }),
          isLive: mode === "stream",
          isFollowUp: options.taskId !== undefined,
          isWrapped: true,
          polling: pollingOf(context, options.historyLength),
        });
      } else {
        if (mode === "stream") report.warn(messages.noStreaming);
        await sendOnce(context, agent, message, options);
      }
    });
  },
};

type Mode = "wait" | "async" | "stream";

function readMode({ settings, messages }: CommandContext): Mode {
  for (const other of ["wait", "stream"] as const) {
    if (settings.isGiven("async") && settings.isGiven(other))
      throw usageError(messages.conflict("--async", `--${other}`));
  }
  if (settings.flag("stream")) return "stream";
  return settings.flag("async") && !settings.isGiven("wait") ? "async" : "wait";
}

function readSendOptions({ settings }: CommandContext): SendOptions {
  const modes = settings.list("accept-output");
  const references = settings.list("reference-task-id");
  return {
    contextId: settings.text("context-id"),
    taskId: settings.text("task-id"),
    messageId: settings.text("message-id"),
    metadata: settings.object("metadata"),
    historyLength: settings.count("history", 0, 2_147_483_647),
    ...(references.length === 0 ? {} : { referenceTaskIds: references }),
    ...(modes.length === 0 ? {} : { acceptedOutputModes: modes }),
  };
}

function composeMessage(parts: Part[], { contextId, taskId, messageId, referenceTaskIds }: SendOptions): Message {
  return {
    messageId: messageId ?? globalThis.crypto.randomUUID(),
    role: "ROLE_USER",
    parts,
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(referenceTaskIds === undefined ? {} : { referenceTaskIds: [...referenceTaskIds] }),
  };
}

/** One SendMessage; an agent that answers before the end, or is told to, is asked for the task until it ends. */
async function sendOnce(
  context: CommandContext,
  agent: OpenAgent,
  message: Message,
  options: SendOptions,
): Promise<void> {
  const { acceptedOutputModes, historyLength, returnImmediately, metadata } = options;
  const configuration = {
    ...(acceptedOutputModes === undefined ? {} : { acceptedOutputModes: [...acceptedOutputModes] }),
    ...(historyLength === undefined ? {} : { historyLength }),
    ...(returnImmediately === true ? { returnImmediately } : {}),
  };
  const request = {
    message,
    ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
    ...(metadata === undefined ? {} : { metadata }),
  };
  const answer = await agent.service.sendMessage(request, agent.call());
  if (answer.value.message !== undefined) {
    await presentReply(context, payloadOfValue(answer.value.message));
    return;
  }
  let task = payloadOfValue(answer.value.task);
  agent.saw(factsOf(task.value));
  if (returnImmediately !== true && !isSettled(task.value.status.state)) {
    task = await pollTask(agent, task.value.id, pollingOf(context, historyLength));
  }
  await presentTask(context, agent, task, { isWrapped: true, withHistory: historyLength !== undefined });
}

/** A task that takes no message: nothing is begun in its place, and the caller is told how to begin anew. */
function rejectedHints({ settings, messages }: CommandContext, caller: Caller): Record<string, string> {
  if (settings.text("task-id") === undefined) return {};
  const contextId = settings.text("context-id");
  const inContext = contextId === undefined ? "" : ` --context-id ${shellWord(contextId)}`;
  const hint = messages.rejectedId(`${caller.program} send -a ${shellWord(caller.agentCard)}${inContext} "<message>"`);
  return { TASK_NOT_FOUND: hint, UNSUPPORTED_OPERATION: hint, INVALID_PARAMS: hint };
}
