// What can be imported, by face. A name that appears, goes or moves is a decision: it is made here, in words.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  ".": ["A2AError", "LocalError", "PROTOCOL_VERSION", "isA2AError", "isLocalError"],
  "./client": [
    "A2AError",
    "LocalError",
    "agents",
    "connect",
    "createCardCache",
    "isA2AError",
    "isLocalError",
    "normaliseCard",
  ],
  "./server": [
    "IDEMPOTENT_SEND_EXTENSION",
    "SKILL_EXTENSION",
    "SKILL_SCHEMAS_EXTENSION",
    "createAgent",
    "createPushSealer",
    "deferredTask",
    "mountAgents",
  ],
  "./node": ["connect", "createOutbound", "openStore", "serve"],
  "./express": ["createExpressAgents"],
  "./hono": ["createHonoHandler"],
  "./fastify": ["createFastifyPlugin"],
  "./sqlite": ["createSqliteStore"],
  "./postgres": ["createPostgresStore"],
  "./grpc": ["createGrpcServer", "createGrpcTransport", "grpcTransport"],
  "./extensions": [
    "TIMESTAMP_EXTENSION",
    "TRACEABILITY_EXTENSION",
    "callExtension",
    "defineExtension",
    "timestamp",
    "traceability",
  ],
  "./conformance": [
    "REQUIREMENTS",
    "applyKnownFailures",
    "findRequirement",
    "judgeClient",
    "parseKnownFailures",
    "reportBadge",
    "reportJson",
    "reportJunit",
    "reportText",
    "runConformance",
    "tallyOf",
  ],
  "./auth": ["createPushSigner", "createPushVerifier", "generateSigningKey"],
  "./push": ["createPushReceiver"],
  "./v0_3": [
    "OLD_VERSION",
    "hybridCard",
    "methodOfOld",
    "oldNameOf",
    "readArtifact",
    "readMessage",
    "readOldRequest",
    "readPart",
    "readRole",
    "readState",
    "readStreamResponse",
    "readTask",
    "upgradeCard",
    "v0_3",
    "writeArtifact",
    "writeMessage",
    "writeOldCard",
    "writePart",
    "writeRole",
    "writeState",
    "writeStreamResponse",
    "writeTask",
  ],
  "./testing": ["REHEARSAL_EXTENSION", "createFakeClock", "createRehearsalAgent", "pair", "storeContract"],
};

const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, "../../package.json"), "utf8")) as {
  exports: Record<string, unknown>;
};

test("the faces are these", () => {
  const faces = Object.keys(manifest.exports).filter((face) => face !== "./package.json");
  assert.deepEqual(faces.sort(), Object.keys(EXPORTS).sort());
});

for (const [face, names] of Object.entries(EXPORTS)) {
  test(`legation${face.slice(1)} exports these`, async () => {
    const exported = (await import(`legation${face.slice(1)}`)) as object;
    assert.deepEqual(Object.keys(exported).sort(), names);
  });
}
