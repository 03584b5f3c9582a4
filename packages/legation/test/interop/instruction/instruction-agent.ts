/** An agent that does what an instruction of the public interop kit says. */
import { type Agent, createAgent } from "../../../src/server/agent.ts";
import type { TaskResult } from "../../../src/server/agent-options.ts";
import type { MessageHandle } from "../../../src/server/message-handle.ts";
import type { TaskContext } from "../../../src/server/task-context.ts";
import { callAgent, HELD_MARK } from "./call-agent.ts";
import { decodeInstruction, INSTRUCTION_FILE, INSTRUCTION_MEDIA_TYPE, type Instruction } from "./instruction.ts";

/** A held task shows a sign of life this often, this many times, and then completes. */
const TICK_MS = 2_000;
const TICKS = 5;

/** Makes the agent. Inert until it is served. */
export function createInstructionAgent(): Agent {
  return createAgent({
    name: "Instructions",
    description: "Does what an instruction of the interop kit says: answers, calls other agents, or both.",
    version: "1.0.0",
    modes: { input: ["text/plain", INSTRUCTION_MEDIA_TYPE], output: ["text/plain"] },
    skills: [{ id: "instruct", name: "Instruct", description: "Carries out an instruction.", tags: ["test"] }],
    onTask: carryOut,
  });
}

async function carryOut(task: TaskContext, message: MessageHandle): Promise<TaskResult> {
  await task.working("working");
  let text: string;
  let isHeld: boolean;
  try {
    const instruction = instructionOf(message);
    text = (await follow(task, instruction, "call")).join("\n");
    isHeld = isHolding(instruction);
  } catch (thrown) {
    if (task.signal.aborted) throw thrown;
    return task.fail(thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (!isHeld) return task.complete(text);
  await task.working(`${text}\n${HELD_MARK}`);
  for (let tick = 0; tick < TICKS; tick++) {
    await task.sleep(TICK_MS);
    await task.working("working");
  }
  return task.complete(text);
}

/** @param path names the call among those of the task, the same one whenever the task runs again */
async function follow(task: TaskContext, instruction: Instruction, path: string): Promise<string[]> {
  switch (instruction.do) {
    case "return":
      return [instruction.response];
    case "call":
      return task.step(path, () => callAgent(instruction.call, task.signal));
    case "steps": {
      const lines: string[] = [];
      for (const [index, step] of instruction.steps.entries())
        lines.push(...(await follow(task, step, `${path}.${index}`)));
      return lines;
    }
  }
}

function isHolding(instruction: Instruction): boolean {
  if (instruction.do === "steps") return instruction.steps.some(isHolding);
  return instruction.do === "return" && instruction.hold;
}

function instructionOf(message: MessageHandle): Instruction {
  const part = message.raw.parts.find(
    ({ mediaType, filename }) => mediaType === INSTRUCTION_MEDIA_TYPE || filename === INSTRUCTION_FILE,
  );
  // Callers that have no raw parts send the same bytes as text.
  const base64 = part?.raw ?? part?.text ?? message.raw.parts[0]?.text;
  if (base64 === undefined) throw new Error(`the message has no part of type ${INSTRUCTION_MEDIA_TYPE}`);
  return decodeInstruction(Buffer.from(base64, "base64"));
}
