import { readdirSync, readFileSync } from "node:fs";

/**
 * Time on a processor, of all threads of a process, in µs: user and system, as in /proc/<pid>/stat, but read from
 * schedstat, which counts nanoseconds where stat counts ticks of 10 ms.
 */
export function cpuMicrosOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  let nanos = 0;
  for (const thread of readdirSync(tasks)) {
    try {
      nanos += Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ", 1)[0]);
    } catch {
      // The thread ended between the two looks.
    }
  }
  return nanos / 1_000;
}
