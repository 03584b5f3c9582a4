import { isObject, type Loose } from "../../model/notes.ts";
import { get } from "./read-old.ts";

/**
 * The registration of a webhook as the params of JSON-RPC have it, but for the task: from `{config: …}` as §7.5 of 0.3
 * prints, from `{parent, configId, config: …}` of protobuf, or from the config itself.
 */
export function readOldRegistration(body: Loose): Loose {
  const config = body["config"];
  const inner = isObject(config) ? config : body;
  const hook = get(inner, "pushNotificationConfig") ?? (isObject(config) ? config : undefined);
  const id = get(body, "configId");
  if (!isObject(hook) || hook["id"] !== undefined || typeof id !== "string" || id === "")
    return { ...inner, pushNotificationConfig: hook };
  return { ...inner, pushNotificationConfig: { ...hook, id } };
}
