/**
 * The effects of `{"step":"…"}`: what a step does to the world outside, for tests to count.
 *
 * Every run of a step writes one line, synced to the disk before the step returns, so that no kill can hide one. A
 * step that crashed between its effect and its record runs again under the same key: two lines, one key. As a callee
 * with idempotency keys would, the counts count keys.
 */
import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from "node:fs";

/** One line of the file. */
export interface Effect {
  readonly key: string;
  readonly task: string;
  readonly name: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** Where effects are kept. */
export interface Effects {
  /** Durable when it returns. */
  record(effect: Effect): void;
  /** How many different keys each name has in one task. */
  counts(task: string): Record<string, number>;
}

/** Keeps effects in a file of JSON lines; in memory where there is no file. */
export function createEffects(file: string | undefined): Effects {
  const kept: Effect[] = [];
  return {
    record(effect) {
      if (file === undefined) kept.push(effect);
      else appendSynced(file, `${JSON.stringify(effect)}\n`);
    },
    counts(task) {
      const keys = new Map<string, Set<string>>();
      for (const effect of file === undefined ? kept : readEffects(file)) {
        if (effect.task !== task) continue;
        const seen = keys.get(effect.name) ?? new Set();
        keys.set(effect.name, seen.add(effect.key));
      }
      return Object.fromEntries([...keys].map(([name, seen]) => [name, seen.size]));
    },
  };
}

function appendSynced(file: string, line: string): void {
  const handle = openSync(file, "a");
  try {
    appendFileSync(handle, line);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** The effects of a file in order; none where it does not exist. A line that a crash cut off is passed over. */
export function readEffects(file: string): readonly Effect[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as Effect];
    } catch {
      return [];
    }
  });
}
