import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";

/** The texts in the language of the environment: Chinese where the locale says `zh`, English otherwise. */
export async function loadMessages(env: Io["env"]): Promise<Messages> {
  const locale = env["LC_ALL"] || env["LC_MESSAGES"] || env["LANG"] || "";
  if (/^zh\b/i.test(locale.replace("_", "-"))) return (await import("./messages/zh.ts")).zh;
  return (await import("./messages/en.ts")).en;
}
