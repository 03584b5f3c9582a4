import type { PushShape } from "../../engine/push-options.ts";
import { writeTask } from "./write-old.ts";

/**
 * What a webhook of 0.3 gets: the bare Task, as it is when it is sent. Only where its status has changed, or it has come
 * to be; a piece of an artifact is in the Task of the next status.
 *
 * @see specification of 0.3, §9.5
 */
export const oldPushShape: PushShape = async (event) => {
  const { artifactUpdate } = JSON.parse(event.json) as { readonly artifactUpdate?: unknown };
  if (artifactUpdate !== undefined) return undefined;
  return { contentType: "application/json", body: JSON.stringify(writeTask(await event.task(), "kind")) };
};
