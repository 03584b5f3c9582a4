/** The methods of services of other versions, which plug-ins bring as data and functions of JSON. */
import type { StreamResponse } from "../../model/gen/types.ts";
import type { AbsentRpcService, RpcService } from "../http/rpc-service.ts";
import { createTableCodec } from "./table-codec.ts";
import { readRequest } from "./wire-faults.ts";

/** One method, between the bytes of a request and the frames of an answer. */
export interface ForeignMethod {
  readonly service: RpcService;
  /** Its name in the schema. */
  readonly name: string;
  readonly isStream: boolean;
  /** Reads a request. @throws PARSE_ERROR, INVALID_PARAMS */
  read(bytes: Buffer): object;
  /** The answer of a unary method as a frame. */
  frame(answer: object): Buffer;
  /** One event of a stream as a frame. */
  event(value: StreamResponse): Buffer;
}

/** The methods of services by their paths. */
export function foreignMethods(services: readonly RpcService[]): ReadonlyMap<string, ForeignMethod> {
  return new Map(services.flatMap((service) => methodsOf(service)));
}

function methodsOf(service: RpcService): [path: string, method: ForeignMethod][] {
  const { schema } = service;
  const codec = createTableCodec(schema);
  return Object.entries(schema.methods).map(([name, { request, answer, kind }]) => [
    `/${schema.service}/${name}`,
    {
      service,
      name,
      isStream: kind === "stream",
      read: (bytes) => readRequest(name, () => codec.read(request, bytes)),
      frame: (value) => codec.write(answer, value, true),
      event: (value) => codec.write(answer, service.writeEvent(value), true),
    },
  ]);
}

/** A hint for the caller of a method that is none; undefined for a path of none of the services. */
export function teachForeign(services: readonly AbsentRpcService[], path: string): string | undefined {
  const [, service = "", method = ""] = path.split("/");
  return services.find(({ schema }) => schema.service === service)?.teach(method.slice(0, 80));
}
