/** How the instruction agent calls another agent: by sending, streaming, with a webhook, or by leaving and coming back. */
import type { Client, Reply } from "../../../src/client/index.ts";
import { connect } from "../../../src/hosts/node/connect.ts";
import type { Part } from "../../../src/model/gen/types.ts";
import type { Binding } from "../scenario.ts";
import { type AgentCall, encodeInstruction, INSTRUCTION_FILE, INSTRUCTION_MEDIA_TYPE } from "./instruction.ts";

/** What stands at the end of what a held task says: it will say no more. */
export const HELD_MARK = "task-finished";

/** The bindings by the spellings that instructions use. */
const BINDINGS: Readonly<Record<string, Binding>> = {
  JSONRPC: "JSONRPC",
  "HTTP+JSON": "HTTP+JSON",
  HTTP_JSON: "HTTP+JSON",
  REST: "HTTP+JSON",
  GRPC: "GRPC",
};

/**
 * Calls an agent and gives what it answers, line by line.
 *
 * @throws Error for a transport that there is not, or that the agent does not offer; whatever the client throws
 */
export async function callAgent(call: AgentCall, signal: AbortSignal): Promise<string[]> {
  const binding = BINDINGS[call.transport.toUpperCase()];
  if (binding === undefined)
    throw new Error(`transport ${call.transport} is none of ${Object.keys(BINDINGS).join(", ")}`);
  const client = await connect(call.agentCardUri.replace(/\/$/, ""), { prefer: [binding], signal });
  try {
    if (client.interface.protocolBinding !== binding) throw new Error(`${call.agentCardUri} offers no ${binding}`);
    const part: Part = {
      raw: Buffer.from(encodeInstruction(call.instruction)).toString("base64"),
      mediaType: INSTRUCTION_MEDIA_TYPE,
      filename: INSTRUCTION_FILE,
    };
    if (call.resubscribe) return await leaveAndComeBack(client, part, signal);
    const push =
      call.pushUrl === undefined ? undefined : { taskId: "", url: webhookAt(call.pushUrl), token: "itk-token" };
    const options = { signal, push };
    const reply = call.streaming ? await client.stream(part, options).result : await client.send(part, options);
    return linesOf(reply);
  } finally {
    await client.close();
  }
}

async function leaveAndComeBack(client: Client, part: Part, signal: AbortSignal): Promise<string[]> {
  const first = client.stream(part, { signal });
  let taskId: string | undefined;
  for await (const event of first) {
    taskId = event.kind === "task" ? event.task.id : first.taskId;
    if (taskId !== undefined) break;
  }
  if (taskId === undefined) throw new Error("the stream named no task");
  const lines: string[] = [];
  for await (const event of client.subscribe(taskId, { signal })) {
    const text = event.kind === "task" ? event.task.text : event.kind === "status" ? event.text : "";
    lines.push(...text.replace(HELD_MARK, "").split("\n"));
    if (text.includes(HELD_MARK)) break;
  }
  await client.cancel(taskId, { signal });
  return lines.filter((line) => line !== "");
}

function linesOf(reply: Reply): string[] {
  if (reply.kind === "task" && reply.state !== "COMPLETED")
    throw new Error(`task ${reply.id} is ${reply.state}: ${reply.text}`);
  return reply.text.split("\n").filter((line) => line !== "");
}

function webhookAt(url: string): string {
  return `${url.startsWith("http") ? url : `http://${url}`}/notifications`;
}
