/**
 * One replica for the guarantee tests, in a process of its own: `replica-server.ts <settings as JSON>`. The test that
 * started it arms its faults and tells it to stop over IPC.
 */

import type { PushSigner } from "../../src/auth/push-signer.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createEffects } from "../../src/testing/rehearsal-effects.ts";
import { createFaultStore, die, type Fault } from "./fault-store.ts";
import type { ReplicaSettings } from "./replica.ts";
import { createReplicaAgent } from "./replica-agents.ts";

const MIB = 1_048_576;
const settings = JSON.parse(process.argv[2] ?? "{}") as ReplicaSettings;
const { store, arm } = createFaultStore(await openStore(settings.store));
let armed: Fault | undefined;
/** Signs nothing: it is asked right before a webhook is called. */
const signer: PushSigner = {
  async sign({ eventId }) {
    if (armed?.point === "webhook sent" && armed.when === "before" && Number(eventId.split(":")[1]) > 5) die();
    return "unsigned";
  },
  keySet: async () => ({ keys: [] }),
  rotate: async () => {},
};
const agent = createReplicaAgent(settings, createEffects(settings.effects));
const host = await serve(agent, {
  port: settings.port ?? 0,
  store,
  settings: settings.engine,
  push: { allow: ["127.0.0.0/8"], signer, settings: settings.push ?? { retryMs: 50, leaseMs: 1_500 } },
  secret: "replicas",
  log: settings.log === true ? undefined : false,
});

process.on(
  "message",
  (message: { readonly arm?: Fault; readonly measure?: true; readonly stop?: { readonly graceMs: number } }) => {
    if (message.arm !== undefined) {
      arm(message.arm);
      armed = message.arm;
      process.send?.({ armed: true });
    }
    if (message.measure === true) {
      // What is held, without what only waits to be collected.
      globalThis.gc?.();
      const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
      process.send?.({ heldMb: (heapUsed + external + arrayBuffers) / MIB, rssMb: rss / MIB });
    }
    if (message.stop !== undefined) void host.close(message.stop).then(() => process.disconnect());
  },
);
// The test that started it is gone, or has seen it stop.
process.on("disconnect", () => process.exit());
process.send?.({ url: host.url });
