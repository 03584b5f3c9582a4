/**
 * grpc.health.v1.Health: SERVING until the host begins to stop, so that load balancers send no more calls then.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/health-checking.md
 */
import { A2AError } from "../../operations/errors.ts";
import { BinaryReader } from "./binary-reader.ts";
import { FRAME_HEAD } from "./binary-writer.ts";
import { STATUS } from "./errors.ts";
import type { ServerCall } from "./server-call.ts";

/** A request of this service is a name; guards against more. */
const MAX_BYTES = 4_096;

const SERVING = 1;
const NOT_SERVING = 2;

const SERVICE_UNKNOWN = 3;

/** The methods of the health service, and what says to it that the host stops. */
export interface Health {
  readonly methods: [path: string, method: (call: ServerCall) => Promise<void>][];
  stop(): void;
}

/**
 * Makes the health service of one handler.
 *
 * @param services full names, the one to tell of first
 */
export function createHealth(services: readonly string[]): Health {
  const watchers = new Set<ServerCall>();
  const isKnown = (name: string): boolean => name === "" || services.includes(name);
  let status = SERVING;

  async function check(call: ServerCall): Promise<void> {
    const name = serviceOf(await call.read(MAX_BYTES));
    if (!isKnown(name)) {
      call.fail(
        new A2AError("METHOD_NOT_FOUND", `no service ${name.slice(0, 100)} here; ask for ${services.join(" or ")}`),
        STATUS.NOT_FOUND,
      );
      return;
    }
    call.respond(undefined);
    call.finish(frame(status));
  }

  async function watch(call: ServerCall): Promise<void> {
    const name = serviceOf(await call.read(MAX_BYTES));
    // Unknown services are watched too: they may come to be. Here none does.
    call.respond(undefined);
    await call.write(frame(isKnown(name) ? status : SERVICE_UNKNOWN));
    if (!call.isOpen) return;
    if (isKnown(name)) watchers.add(call);
    call.signal.addEventListener("abort", () => watchers.delete(call), { once: true });
  }

  return {
    methods: [
      ["/grpc.health.v1.Health/Check", check],
      ["/grpc.health.v1.Health/Watch", watch],
    ],
    stop() {
      status = NOT_SERVING;
      for (const call of watchers) void call.write(frame(status));
    },
  };
}

/** HealthCheckRequest { string service = 1 } */
function serviceOf(bytes: Buffer): string {
  const r = new BinaryReader(bytes);
  let service = "";
  while (r.at < r.length) {
    const tag = r.tag(r.length);
    if (tag === 10) service = r.text(r.length);
    else r.skip(tag, 0, r.length);
  }
  return service;
}

/** HealthCheckResponse { ServingStatus status = 1 } in its frame. */
function frame(status: number): Buffer {
  const bytes = Buffer.alloc(FRAME_HEAD + 2);
  bytes.writeUInt32BE(2, 1);
  bytes[FRAME_HEAD] = 8;
  bytes[FRAME_HEAD + 1] = status;
  return bytes;
}
