// `node --conditions=legation-source main.ts --httpPort 10102 --grpcPort 11002`: the instruction agent, for the kit.
import { parseArgs } from "node:util";
import { serveInstructions } from "./serve-instructions.ts";

const { values } = parseArgs({
  options: { httpPort: { type: "string", default: "0" }, grpcPort: { type: "string", default: "0" } },
});
const server = await serveInstructions({ http: Number(values.httpPort), grpc: Number(values.grpcPort) });
console.log(`listening ${server.url}`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
