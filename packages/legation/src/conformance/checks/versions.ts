/** §3.6 and §3.2.6: versions and service parameters. */
import { say, sendParams } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError, expectResult } from "../expect.ts";
import { objectsAt, textAt } from "../json-path.ts";
import type { Reply } from "../wire.ts";

/** Checks of §3.6 and §3.2.6. */
export const VERSIONS: readonly Check[] = [
  {
    id: "3.6/card",
    title: "SHOULD name versions without patch number in the card",
    verifies: ["3.6/no-patch-in-card"],
    once: true,
    async run(probe) {
      for (const one of objectsAt(probe.card, "supportedInterfaces")) {
        const version = textAt(one, "protocolVersion") ?? "";
        expect(/^\d+\.\d+$/.test(version), "Major.Minor", version);
      }
    },
  },
  {
    id: "3.6/patch",
    title: "MUST NOT let a patch number decide",
    verifies: ["3.6/patch-ignored"],
    async run(probe) {
      for (const version of ["1.0.0", "1.0.7"]) {
        const reply = await listAs(probe, version);
        expect(reply.error === undefined, `version ${version} taken for 1.0`, reply.text);
      }
    },
  },
  {
    id: "3.6.2/serves",
    title: "MUST serve the version that it declares",
    verifies: ["3.6.2/serves-version"],
    async run(probe) {
      expectResult(await listAs(probe, "1.0"));
    },
  },
  ...["99.0", "0.5", "latest"].map(
    (version): Check => ({
      id: `3.6.2/unsupported-${version}`,
      title: `MUST refuse version ${version}`,
      verifies: ["3.6.2/unsupported-version", "5.4/version"],
      async run(probe) {
        expectError(probe.wire.binding, await listAs(probe, version), "VERSION_NOT_SUPPORTED");
      },
    }),
  ),
  {
    id: "3.6.2/missing",
    title: "MUST take a request without version for 0.3",
    verifies: ["3.6.2/empty-is-0-3"],
    async run(probe) {
      const speaks03 = objectsAt(probe.card, "supportedInterfaces").some((one) =>
        (textAt(one, "protocolVersion") ?? "").startsWith("0.3"),
      );
      for (const version of [undefined, ""]) {
        const reply = await listAs(probe, version);
        // An agent that speaks 0.3 too knows no ListTasks in it; one that does not must say which version it lacks.
        if (speaks03) expect(reply.error !== undefined, "an error, as ListTasks is not of 0.3", reply.text);
        else expectError(probe.wire.binding, reply, "VERSION_NOT_SUPPORTED");
      }
    },
  },
  {
    id: "3.6.2/stream",
    title: "MUST refuse an unsupported version before a stream is opened",
    verifies: ["3.6.2/unsupported-version"],
    needs: ["streaming"],
    async run(probe) {
      const stream = await probe.wire.stream("SendStreamingMessage", sendParams(probe, [{ text: "hello" }]), {
        headers: { "a2a-version": "99.0" },
      });
      await stream.close();
      expectEqual("an event stream", stream.isStream, false);
      expectError(probe.wire.binding, stream, "VERSION_NOT_SUPPORTED");
    },
  },
  {
    id: "3.2.6/case",
    title: "MUST read the names of service parameters in any case",
    verifies: ["3.2.6/case-insensitive-names", "9.2/headers", "11.2/headers"],
    async run(probe) {
      await say(probe, { options: { headers: { "a2a-version": undefined, "A2A-VERSION": "1.0" } } });
    },
  },
];

function listAs(probe: Probe, version: string | undefined): Promise<Reply> {
  return probe.wire.call("ListTasks", { pageSize: 1 }, { headers: { "a2a-version": version } });
}
