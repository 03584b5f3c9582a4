// The reporter of `npm test` where no one watches: failures in full, then node's own summary, and nothing about what passed.

import { Duplex } from "node:stream";
import type { TestEvent } from "node:test/reporters";
import { spec } from "node:test/reporters";

const shown: ReadonlySet<TestEvent["type"]> = new Set(["test:fail", "test:diagnostic", "test:stderr", "test:summary"]);

async function* onlyFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events) if (shown.has(event.type)) yield event;
}

const filter = Duplex.from(onlyFailures);
const printer = new spec();
filter.pipe(printer);

const reporter: Duplex = Duplex.from({ writable: filter, readable: printer });

// biome-ignore lint/style/noDefaultExport: node's test runner takes a reporter as a default export
export default reporter;
