/** What many callers do at once: tasks, streams, bursts, reads, lists, and large parts where they are wanted. */
import { setTimeout as sleep } from "node:timers/promises";
import { ANSWER } from "../servers/behaviour.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import { Connection, type ReadOptions } from "./connection.ts";
import { requireGood } from "./load.ts";
import { planText, rpc, sendRequest } from "./requests.ts";

/** How long, and with what. */
export interface Mixture {
  readonly seconds: number;
  /** Bytes of the text of a message every half second; 0 for none. */
  readonly largeBytes: number;
}

/** One kind of caller. */
interface Kind {
  readonly callers: number;
  /** From the beginning of one call to that of the next, where an answer does not take longer. */
  readonly everyMs: number;
  readonly request: () => string;
  readonly read?: ReadOptions | undefined;
}

function kindsOf(server: ServerProcess, { largeBytes }: Mixture): readonly Kind[] {
  const { contender } = server;
  const send = (text: string): string => sendRequest(contender, "jsonrpc", "SendMessage", { text });
  const stream = (chunks: number, perTurn: number): string => {
    const text = planText({ chunks, perTurn, chars: 40, gated: false });
    return sendRequest(contender, "jsonrpc", "SendStreamingMessage", { text });
  };
  const large = "a".repeat(largeBytes);
  // A page of megabytes is the caller's own choice.
  const page = largeBytes > 0 ? { historyLength: 0 } : {};
  return [
    { callers: 16, everyMs: 50, request: () => send(ANSWER) },
    { callers: 4, everyMs: 200, request: () => stream(100, 1), read: { keep: false } },
    { callers: 1, everyMs: 500, request: () => stream(1_000, 0), read: { keep: false } },
    { callers: 2, everyMs: 50, request: () => rpc("ListTasks", { pageSize: 50, ...page }) },
    ...(largeBytes > 0 ? [{ callers: 1, everyMs: 500, request: () => send(large) }] : []),
  ];
}

async function call(server: ServerProcess, kind: Kind, until: number): Promise<void> {
  const connection = await Connection.open(server.port);
  try {
    // Not all in one moment.
    await sleep(Math.random() * kind.everyMs);
    while (performance.now() < until) {
      const begun = performance.now();
      requireGood(await connection.exchange(kind.request(), kind.read));
      await sleep(Math.max(0, begun + kind.everyMs - performance.now()));
    }
  } finally {
    connection.close();
  }
}

/** Runs it all; resolves when the time is over and every call has its answer. */
export async function runMixture(server: ServerProcess, mixture: Mixture): Promise<void> {
  const until = performance.now() + mixture.seconds * 1_000;
  const callers = kindsOf(server, mixture).flatMap((kind) => Array.from({ length: kind.callers }, () => kind));
  await Promise.all(callers.map((kind) => call(server, kind, until)));
}
