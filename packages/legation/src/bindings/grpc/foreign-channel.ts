import { A2AError } from "../../operations/errors.ts";
import type { RpcChannel, RpcReading, RpcSchema } from "../http/rpc-service.ts";
import { Channel, type ChannelOptions, type OutgoingCall } from "./channel.ts";
import { createTableCodec } from "./table-codec.ts";
import { readAnswer } from "./wire-faults.ts";

/**
 * Calls a service of another version of the protocol.
 *
 * @param options address, trust, limits
 * @param schema the service and its messages
 * @param reading how its events and errors are read
 */
export function createForeignChannel(options: ChannelOptions, schema: RpcSchema, reading: RpcReading): RpcChannel {
  const codec = createTableCodec(schema);
  const channel = new Channel(options);
  const rowOf = (method: string): RpcSchema["methods"][string] => {
    const row = schema.methods[method];
    if (row === undefined) throw new TypeError(`${schema.service} has no method ${method}`);
    return row;
  };
  function outgoing(method: string, request: object): OutgoingCall {
    try {
      return {
        path: `/${schema.service}/${method}`,
        bytes: codec.write(rowOf(method).request, request, false),
        readStatus: (status, message) => reading.codeOf(method, status, message),
      };
    } catch (thrown) {
      throw A2AError.from(thrown);
    }
  }
  const decode = (method: string, bytes: Buffer): object =>
    readAnswer(method, () => codec.read(rowOf(method).answer, bytes));
  return {
    async unary(method, request, call) {
      return decode(method, await channel.unary(outgoing(method, request), call));
    },
    async stream(method, request, call) {
      const readEvent = (bytes: Buffer) => reading.readEvent(decode(method, bytes));
      return await channel.stream({ ...outgoing(method, request), readEvent }, call);
    },
    [Symbol.asyncDispose]: () => channel.close(),
  };
}
