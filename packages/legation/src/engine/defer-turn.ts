/** The decision that gives a turn away: it issues the token, and nothing of the turn is decided or said after it. */
import type { Decisions } from "./decisions.ts";
import { checkDeferOptions, type DeferOptions, draftDeferral, issueToken } from "./deferral.ts";
import type { Frame } from "./frame.ts";
import { Deferred } from "./turn.ts";

/**
 * Defers the turn of a frame. Resolves after COMMIT.
 *
 * A turn that runs again, because its process died while it handed over or because the worker stopped reporting, comes
 * here again and gets the next token; the one before is refused from then on.
 */
export async function deferTurn(frame: Frame, decisions: Decisions, options: DeferOptions): Promise<Deferred> {
  const checked = checkDeferOptions(options);
  return decisions.alone("defer", "defer", async (identity) => {
    const { log, epoch, replay } = frame;
    try {
      // What the journal has beyond this place was decided by other code.
      replay.finish();
    } catch (held) {
      return frame.hold(held);
    }
    const { token, hash } = await replay.deliveries.during(issueToken(log.id, epoch));
    let attempt = 1;
    await frame.append((draft) => {
      attempt = draftDeferral(draft, identity, { ...checked, hash });
    });
    replay.done(identity);
    decisions.close("the turn is deferred: hand the token over, then return what defer() gave");
    return new Deferred(token, attempt);
  });
}
