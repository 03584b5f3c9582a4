import { cardLocations } from "../client/discover-card.ts";
import type { JsonValue } from "../model/json.ts";
import { pathOfReference } from "./card-reference.ts";
import type { CommandContext } from "./command.ts";
import { createHttpFetch } from "./http-fetch.ts";
import { readValue } from "./read-value.ts";

/**
 * Reads the card that a command is to look at, as it is: an argument, a file, stdin, or what the agent of `-a` serves.
 *
 * @throws A usage error for what is no JSON; LocalError NOT_AN_AGENT where there is no card.
 */
export async function readCard(context: CommandContext): Promise<JsonValue> {
  const { settings, args, io, signal } = context;
  const reference = args[0] === undefined ? settings.text("agent-card") : undefined;
  if (reference === undefined) return readValue(context, args[0]);
  if (pathOfReference(reference, io) !== undefined) return readValue(context, reference);
  const fetch = createHttpFetch({ isInsecure: settings.flag("insecure"), isPatient: false });
  const { send, readText } = await import("../bindings/http/outgoing.ts");
  const { LocalError } = await import("../operations/errors.ts");
  for (const url of cardLocations(reference)) {
    const response = await send(fetch as Parameters<typeof send>[0], url, {
      method: "GET",
      headers: {},
      redirect: "manual",
      signal,
    });
    const text = await readText(response, url, { maxBytes: MAX_CARD_BYTES, signal });
    if (response.status === 200) return readValue(context, text);
  }
  throw new LocalError("NOT_AN_AGENT", `no agent card at ${cardLocations(reference).join(" or ")}`);
}

/** Longest card that is read. */
const MAX_CARD_BYTES = 1024 * 1024;
