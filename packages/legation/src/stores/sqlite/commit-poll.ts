import type { DatabaseSync } from "node:sqlite";

/**
 * Calls back after other connections have committed to the file; own commits on this connection do not count.
 *
 * @param db the connection whose version of the file is asked for.
 * @param pollMs how often.
 * @param changed called at most once per poll, however many commits there were.
 * @returns what ends it. The timer does not keep the process alive.
 */
export function pollCommits(db: DatabaseSync, pollMs: number, changed: () => void): Disposable {
  const version = db.prepare("PRAGMA data_version");
  const read = () => version.get()?.["data_version"];
  let last = read();
  const timer = setInterval(() => {
    const now = read();
    if (now === last) return;
    last = now;
    changed();
  }, pollMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
