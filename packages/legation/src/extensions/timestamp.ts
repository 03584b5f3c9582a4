/** The timestamp extension: when each message and artifact of an agent came to be. */
import { defineExtension, type Extension } from "../operations/extension.ts";

const PATH = "github.com/a2aproject/a2a-samples/extensions/timestamp/v1";

/** Its URI, as the samples of the A2A project have it. */
export const TIMESTAMP_EXTENSION: string = `https://${PATH}`;

/**
 * Makes the extension. Given to an agent it writes a time in UTC into the metadata of every message and artifact that
 * the agent makes for callers that asked for it; `read` gives the time of what another agent made.
 *
 * A turn that runs again after a crash keeps the times of what it had already said. Clocks of different machines are
 * not compared.
 *
 * @param options `now` tells the time in ms, default that of the system
 */
export function timestamp(options: { readonly now?: (() => number) | undefined } = {}): Extension<string> {
  const now = options.now ?? Date.now;
  const tell = (): string => new Date(now()).toISOString();
  return defineExtension<string>({
    uri: TIMESTAMP_EXTENSION,
    description: "Messages and artifacts carry the time at which they were made.",
    key: `${PATH}/timestamp`,
    check: (value) =>
      typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : "must be a time such as 2026-01-31T12:00:00.000Z",
    activate: () => ({ onMessage: tell, onArtifact: tell }),
  });
}
