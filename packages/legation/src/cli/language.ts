import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";

/** The texts in the language of the environment: Chinese where the locale says `zh`, English otherwise. */
export async function loadMessages(env: Io["env"]): Promise<Messages> {
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  const program = programName(env);
  if (/^zh\b/i.test(locale.replace("_", "-"))) return { ...(await import("./messages/zh.ts")).zh, program };
  return { ...(await import("./messages/en.ts")).en, program };
}

/** How the program was called, so that what it prints can be pasted: inside the repository it is an npm script. */
function programName(env: Io["env"]): string {
  return env["npm_lifecycle_event"] === "legation" ? "npm run -s legation --" : "legation";
}
