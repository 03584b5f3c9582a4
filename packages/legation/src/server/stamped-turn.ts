/** A turn whose emissions carry what extensions add. */
import type { ArtifactDraft, Incoming, Turn, Utterance } from "../engine/turn.ts";
import type { Stamps } from "./extension-stamps.ts";

/**
 * The turn with stamps on everything that it says; endings are stamped by whoever takes them.
 *
 * Metadata of artifacts and messages is not compared when a turn runs again, so that a stamp may tell the time.
 */
export function stampedTurn(turn: Turn, stamps: Stamps): Turn {
  const stampedDraft = <T extends Partial<ArtifactDraft>>(name: string, draft: T): T => {
    const stamp = draft.append === true ? undefined : stamps.artifact(name);
    if (stamp === undefined) return draft;
    return {
      ...draft,
      metadata: { ...stamp.metadata, ...draft.metadata },
      extensions: [...new Set([...(draft.extensions ?? []), ...stamp.extensions])],
    };
  };
  return {
    taskId: turn.taskId,
    contextId: turn.contextId,
    tenant: turn.tenant,
    owner: turn.owner,
    number: turn.number,
    get signal() {
      return turn.signal;
    },
    snapshot: () => turn.snapshot(),
    working: (utterance) => turn.working(stamps.utterance(utterance)),
    artifact: (draft) => turn.artifact(stampedDraft(draft.name, draft)),
    append: (name, text) => turn.append(name, text),
    write: (name, source, options = {}) => turn.write(name, source, stampedDraft(name, options)),
    step: (name, fn, options) => turn.step(name, fn, options),
    ask: ((question: Utterance, accept?: (incoming: Incoming) => never) =>
      accept === undefined
        ? turn.ask(stamps.utterance(question))
        : turn.ask(stamps.utterance(question), accept)) as Turn["ask"],
    requestAuth: (request) => turn.requestAuth(stamps.utterance(request)),
    sleep: (ms) => turn.sleep(ms),
    now: () => turn.now(),
    random: () => turn.random(),
    receive: () => turn.receive(),
    patched: (id) => turn.patched(id),
    branch: (name, run) => turn.branch(name, run),
    defer: (options) => turn.defer(options),
    complete: (utterance) => turn.complete(utterance),
    pause: (question) => turn.pause(question),
    reject: (reason) => turn.reject(reason),
    fail: (reason) => turn.fail(reason),
  };
}
