/** A process that reads one long stream after another, so that its own work does not slow whoever measures. */

import type { Contender } from "../servers/server-process.ts";
import { Connection } from "./connection.ts";
import { sendRequest } from "./requests.ts";

const [port = "", contender = "", text = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit(0));
const connection = await Connection.open(Number(port));
process.send?.("reading");
for (;;) {
  await connection.exchange(sendRequest(contender as Contender, "jsonrpc", "SendStreamingMessage", { text }), {
    keep: false,
  });
}
