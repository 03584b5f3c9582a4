/**
 * Which webhooks do not answer at all. What is due for one of those is not tried by every task for itself, each waiting
 * its time out: one asks at a time, the others are put off without a failure of their own, and make room.
 *
 * - sound: any answer, whatever its status. Everybody may call.
 * - silent: so many attempts in a row without an answer. Nobody calls for a pause, which grows; then one does, the others
 *   are put off. Any answer → sound.
 */

/** Attempts in a row without an answer, after which a webhook counts as silent. */
const SILENT_AFTER = 5;
/** The longest pause in first ones: half a minute by default. */
const LONGEST_PAUSE = 15;
/** As many are known at once; the one heard of least lately is forgotten, which costs attempts and loses nothing. */
const MAX_KNOWN = 10_000;

interface Silence {
  attempts: number;
  pauseMs: number;
  until: number;
  isAsked: boolean;
}

export class PushHealth {
  readonly #firstPauseMs: number;
  readonly #known = new Map<string, Silence>();

  constructor(firstPauseMs: number) {
    this.#firstPauseMs = firstPauseMs;
  }

  /**
   * When to try what somebody wants to send now; undefined for at once, and then the outcome must be told.
   *
   * @param now monotonic time in ms, as for {@link silent}: a pause must not grow when the clock is set back
   */
  putOff(name: string, now: number): number | undefined {
    const silence = this.#known.get(name);
    if (silence === undefined || silence.attempts < SILENT_AFTER) return undefined;
    if (now < silence.until) return silence.until;
    if (silence.isAsked) return now + silence.pauseMs;
    silence.isAsked = true;
    return undefined;
  }

  answered(name: string): void {
    this.#known.delete(name);
  }

  /** The attempt was given up for reasons of ours. */
  unknown(name: string): void {
    const silence = this.#known.get(name);
    if (silence !== undefined) silence.isAsked = false;
  }

  silent(name: string, now: number): void {
    const silence = this.#known.get(name) ?? { attempts: 0, pauseMs: 0, until: 0, isAsked: false };
    this.#known.delete(name);
    this.#known.set(name, silence);
    silence.attempts += 1;
    silence.isAsked = false;
    // Those that were under way together are one silence, and make one pause.
    if (silence.attempts >= SILENT_AFTER && now >= silence.until) {
      silence.pauseMs = Math.min(LONGEST_PAUSE * this.#firstPauseMs, Math.max(this.#firstPauseMs, 2 * silence.pauseMs));
      silence.until = now + silence.pauseMs;
    }
    const [first] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && first !== undefined) this.#known.delete(first);
  }
}
