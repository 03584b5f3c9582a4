import type { ListTasksRequest, ListTasksResponse, Task, TaskState } from "../../model/gen/types.ts";
import { canonicalTimestamp } from "../../model/timestamp.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { listHeld } from "../list-held.ts";
import { shellWord } from "../next-command.ts";
import { type OpenAgent, withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { renderTask } from "../render-task.ts";
import { stateOnWire } from "../task-states.ts";
import { formatField } from "../text-output.ts";

/** `legation task list`: one page, or all of them. With `--held` those that wait for an operator, out of the store. */
export const taskList: Command = {
  path: "task list",
  options: [
    ...AGENT_OPTIONS,
    "context-id",
    "status",
    "since",
    "page-size",
    "page-token",
    "all",
    "history",
    "include-artifacts",
    "stream",
    "held",
    "store",
  ],
  examples: [
    "task list -a localhost:4000",
    "task list -a localhost:4000 --status WORKING -o json --all",
    "task list --held --store sqlite:./planner.db",
  ],
  async run(context) {
    if (context.settings.flag("held")) return listHeld(context);
    const request = readRequest(context);
    const { settings } = context;
    await withAgent(context, {}, async (agent) => {
      const isJsonLines = context.report.isJson && settings.flag("stream");
      let page = await agent.service.listTasks(request, agent.call());
      if (isJsonLines) await presentLines(context, page.value.tasks);
      const tasks = [...page.value.tasks];
      while (settings.flag("all") && page.value.nextPageToken !== "") {
        page = await agent.service.listTasks({ ...request, pageToken: page.value.nextPageToken }, agent.call());
        if (isJsonLines) await presentLines(context, page.value.tasks);
        tasks.push(...page.value.tasks);
      }
      if (isJsonLines) return;
      await presentList(context, agent, settings.flag("all") ? payloadOfValue({ ...page.value, tasks }) : page);
    });
  },
};

function readRequest({ settings, messages }: CommandContext): ListTasksRequest {
  const request: ListTasksRequest = {};
  const contextId = settings.text("context-id");
  if (contextId !== undefined) request.contextId = contextId;
  const status = settings.text("status");
  if (status !== undefined) {
    const state = stateOnWire(status);
    if (state === undefined) throw usageError(messages.wrongValue("--status", status, messages.aState));
    request.status = state as TaskState;
  }
  const since = settings.text("since");
  if (since !== undefined) {
    const time = canonicalTimestamp(since);
    if (time === undefined) throw usageError(messages.wrongValue("--since", since, messages.aTime));
    request.statusTimestampAfter = time;
  }
  const pageSize = settings.count("page-size", 1, 100);
  if (pageSize !== undefined) request.pageSize = pageSize;
  const pageToken = settings.text("page-token");
  if (pageToken !== undefined) request.pageToken = pageToken;
  const historyLength = settings.count("history", 0, 2_147_483_647);
  if (historyLength !== undefined) request.historyLength = historyLength;
  if (settings.flag("include-artifacts")) request.includeArtifacts = true;
  return request;
}

async function presentLines({ report }: CommandContext, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) await report.json(JSON.stringify(task));
}

async function presentList(context: CommandContext, agent: OpenAgent, page: Payload<ListTasksResponse>): Promise<void> {
  const { report, messages } = context;
  if (report.isJson) {
    await report.json(page.json);
    return;
  }
  const { tasks, totalSize, nextPageToken } = page.value;
  const isVerbose = report.options.verbose;
  const withHistory = context.settings.isGiven("history");
  for (const task of tasks) await report.text(renderTask(task, { isVerbose, withHistory }));
  await report.text(formatField("Total", String(totalSize)));
  if (nextPageToken === "") return;
  await report.text(formatField("Next page token", nextPageToken));
  const { program, agentCard } = agent.caller;
  const next = `${program} task list -a ${shellWord(agentCard)} --page-token ${shellWord(nextPageToken)}`;
  report.progress(messages.morePages(next));
}
