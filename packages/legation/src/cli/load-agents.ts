import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Agent } from "../server/agent.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";

/** Imports a module and gives the agents that it exports, under any name. */
export async function loadAgents(file: string, { io, messages }: CommandContext): Promise<readonly Agent[]> {
  let exported: Record<string, unknown>;
  try {
    exported = (await import(pathToFileURL(path.resolve(io.cwd, file)).href)) as Record<string, unknown>;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    const message = messages.cannotLoad(file, cause instanceof Error ? cause.message : String(cause));
    throw isMissing
      ? usageError(message)
      : new CliError("LEGATION_ERR_MODULE", message, { hint: messages.useDebug, cause });
  }
  const agents = new Set(Object.values(exported).flat().filter(isAgent));
  if (agents.size === 0) throw usageError(messages.noAgentIn(file, Object.keys(exported).join(", ")));
  return [...agents];
}

/** By its shape: the module may have another copy of the package. */
function isAgent(value: unknown): value is Agent {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, fetch, options } = value as Partial<Agent>;
  return (
    typeof name === "string" &&
    typeof version === "string" &&
    typeof fetch === "function" &&
    typeof options === "object"
  );
}
