import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { emitBinary } from "./model/emit-binary.ts";
import { emitDescriptors } from "./model/emit-descriptor.ts";
import { emitShapes } from "./model/emit-shapes.ts";
import { emitTable } from "./model/emit-table.ts";
import { emitTypes } from "./model/emit-types.ts";
import { emitValidate } from "./model/emit-validate.ts";
import { parseProto } from "./model/proto-parser.ts";

/**
 * `npm run generate`: writes src/model/gen/ and src/bindings/grpc/gen/ from proto/a2a.proto, and the gRPC of 0.3 from
 * proto/a2a-v0_3.proto. With `--check` it writes nothing and fails, naming the files, when the files on disk are not
 * what the protos give.
 */
const PACKAGE = new URL("../packages/legation/", import.meta.url);
const OLD = "a2a-v0_3.proto";
const proto = readProto("a2a.proto");
const outputs: readonly (readonly [path: string, text: string])[] = [
  ["model/gen/types.ts", emitTypes(proto)],
  ["model/gen/shapes.ts", emitShapes(proto)],
  ...within("model/gen", emitValidate(proto)),
  ...within("bindings/grpc/gen", emitBinary(proto)),
  ["bindings/grpc/gen/descriptors.ts", emitDescriptors(proto)],
  [
    "compat/v0_3/gen/old-rpc.ts",
    emitTable(readProto(OLD), {
      constant: "OLD_RPC",
      file: "a2a/v1/a2a.proto",
      source: OLD,
      schemaImport: "../../../bindings/http/rpc-service.ts",
    }),
  ],
];

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [name, text] of outputs) {
  const path = fileURLToPath(new URL(`src/${name}`, PACKAGE));
  if (check) {
    if (readOrEmpty(path) !== text) stale.push(`src/${name}`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
if (stale.length > 0) {
  console.error(`stale: ${stale.join(", ")}; run npm run generate`);
  process.exitCode = 1;
}

function readProto(name: string): ReturnType<typeof parseProto> {
  return parseProto(readFileSync(new URL(`proto/${name}`, PACKAGE), "utf8"));
}

function within(
  folder: string,
  files: readonly (readonly [name: string, text: string])[],
): (readonly [path: string, text: string])[] {
  return files.map(([name, text]) => [`${folder}/${name}`, text]);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
