import { writeFileSync } from "node:fs";
import path from "node:path";
import { usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { AGENT_OPTIONS } from "../options.ts";

/** `legation conformance`: judges an agent by the specification, or with `--client` a client. */
export const conformance: Command = {
  path: "conformance",
  formats: ["junit"],
  options: [
    ...AGENT_OPTIONS.filter((name) => name !== "a2a-version"),
    "only",
    "known-failures",
    "badge",
    "other-bearer",
    "webhook-url",
    "client",
    "for",
    "port",
    "host",
    "fault",
  ],
  examples: [
    "conformance -a localhost:4000",
    "conformance -a localhost:4000 --transport rest --only 3.1.5 --only 3.1.3/unknown-task",
    "conformance -a localhost:4000 -o junit --known-failures ./known-failures.txt --badge ./a2a.svg > report.xml",
    "conformance --client --for 60s",
  ],
  async run(context) {
    const { settings, messages } = context;
    const isOfClient = settings.flag("client");
    if (isOfClient && settings.isGiven("agent-card")) throw usageError(messages.conflict("--client", "--agent-card"));
    const judge = isOfClient
      ? (await import("../judge-client.ts")).judgeClientOf
      : (await import("../judge-agent.ts")).judgeAgent;
    const { badge, failed } = await judge(context);
    const file = settings.text("badge");
    if (file !== undefined) writeFileSync(path.resolve(context.io.cwd, file), badge);
    return failed ? 1 : 0;
  },
};
