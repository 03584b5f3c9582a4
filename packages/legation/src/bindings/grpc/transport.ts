/**
 * The client side of the gRPC binding, over @grpc/grpc-js.
 *
 * @see specification §10
 */
import type { CallOptions, Client, Metadata, ServiceError } from "@grpc/grpc-js";
import type { Call } from "../../operations/call.ts";
import { A2AError, LocalError } from "../../operations/errors.ts";
import { parseExtensions } from "../../operations/extensions.ts";
import type { MethodName } from "../../operations/methods.ts";
import { type PeerWarning, parseAnswer } from "../../operations/parse-answer.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { connectionError, DEFAULT_MAX_RESPONSE_BYTES, shown } from "../http/outgoing.ts";
import { callHeaders, serviceOf, withTenant } from "../http/transport.ts";
import { parseGrpcAddress } from "./address.ts";
import { callFailure } from "./call-failure.ts";
import { decodeAnswer, encodeRequest } from "./codec.ts";
import { openIncomingEvents } from "./incoming-events.ts";
import { type GrpcLibrary, loadGrpc } from "./load-grpc.ts";
import { pathOf } from "./names.ts";

/** Settings of a transport. */
export interface GrpcTransportOptions {
  /** The address of the interface, from the agent card: `host:port`, or a URL. */
  readonly url: string;
  /** The tenant of the interface; it goes with every request. */
  readonly tenant?: string | undefined;
  /** Metadata for each call, such as authorization; asked for anew each time. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** True: no TLS, also where the address is not of this machine. */
  readonly plaintext?: boolean | undefined;
  /** Certificates to trust, as PEM; those that Node trusts by default. */
  readonly ca?: Buffer | undefined;
  /** False: certificates are not checked, for tests alone. */
  readonly rejectUnauthorized?: boolean | undefined;
  /** Longest answer or event in bytes, default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Told of what the agent gets wrong and we put right. */
  readonly onWarning?: PeerWarning | undefined;
}

/**
 * A Service that calls an agent over gRPC. The connection is made by the first call, and kept; disposing of the service
 * closes it.
 *
 * Nothing is retried. Answers are read leniently; errors that the agent sends are thrown as A2AError, everything else
 * that goes wrong as LocalError. Events have no `seq`: a stream that broke is resumed by a snapshot.
 *
 * @param options address, tenant, trust, limits
 * @throws LocalError CONFIGURATION, from the first call: @grpc/grpc-js is not installed, or the address is none
 */
export function createGrpcTransport(options: GrpcTransportOptions): Service & AsyncDisposable {
  const channel = new Channel(options);
  const service = serviceOf({
    async unary(method, request, call): Promise<Payload<unknown> | undefined> {
      const bytes = await channel.unary(method, request, call);
      const value = parseAnswer(method, decodeAnswer(method, bytes), options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    stream: (method, request, call): Promise<EventStream> => channel.stream(method, request, call),
  });
  return Object.assign(service, { [Symbol.asyncDispose]: () => channel.close() });
}

/** How soon, in ms, a connection that failed is tried again: the library's own 1 s to 120 s is made for fleets. */
const RECONNECT_MS = { "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 5_000 };

interface Opened {
  readonly client: Client;
  readonly grpc: GrpcLibrary;
}

class Channel {
  readonly #options: GrpcTransportOptions;
  #opened: Promise<Opened> | undefined;

  constructor(options: GrpcTransportOptions) {
    this.#options = options;
  }

  async unary(method: MethodName, request: object, call: Call): Promise<Buffer> {
    const { client, metadata, bytes } = await this.#prepare(method, request, call);
    return new Promise((resolve, reject) => {
      const { url } = this.#options;
      const done = (error: ServiceError | null, answer?: Buffer): void => {
        call.signal?.removeEventListener("abort", cancel);
        if (error !== null) reject(callFailure(error, url, call.signal));
        else resolve(answer ?? Buffer.alloc(0));
      };
      const running = client.makeUnaryRequest(pathOf(method), asIs, asIs, bytes, metadata, NO_OPTIONS, done);
      const cancel = (): void => running.cancel();
      running.on("metadata", (initial) => noteExtensions(initial, call));
      if (call.signal?.aborted === true) cancel();
      else call.signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  async stream(method: MethodName, request: object, call: Call): Promise<EventStream> {
    const { client, metadata, bytes } = await this.#prepare(method, request, call);
    const running = client.makeServerStreamRequest(pathOf(method), asIs, asIs, bytes, metadata, NO_OPTIONS);
    running.on("metadata", (initial) => noteExtensions(initial, call));
    const { url, onWarning } = this.#options;
    return openIncomingEvents(running, { url, signal: call.signal, method, onWarning });
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened?.catch(() => undefined))?.client.close();
  }

  async #prepare(
    method: MethodName,
    request: object,
    call: Call,
  ): Promise<{ readonly client: Client; readonly metadata: Metadata; readonly bytes: Buffer }> {
    const { url, tenant } = this.#options;
    const bytes = encode(method, withTenant(request, tenant));
    this.#opened ??= this.#open();
    const { client, grpc } = await this.#opened;
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(await callHeaders(this.#options, call, {}))) {
      if (isMetadata(name)) metadata.set(name, value);
    }
    if (call.signal?.aborted === true) throw connectionError(undefined, url, call.signal);
    return { client, metadata, bytes };
  }

  async #open(): Promise<Opened> {
    const {
      url,
      plaintext,
      ca,
      rejectUnauthorized = true,
      maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
    } = this.#options;
    const address = parseGrpcAddress(url);
    if (address === undefined) {
      throw new LocalError("CONFIGURATION", `${shown(url)} is no address of gRPC; a card names host:port`, {
        metadata: { url: shown(url) },
      });
    }
    const grpc = await loadGrpc();
    const isTls = address.isTls && plaintext !== true;
    const credentials = isTls
      ? grpc.credentials.createSsl(ca ?? null, null, null, { rejectUnauthorized })
      : grpc.credentials.createInsecure();
    const client = new grpc.Client(address.target, credentials, {
      ...RECONNECT_MS,
      "grpc.max_receive_message_length": maxResponseBytes,
      "grpc.max_send_message_length": -1,
      "grpc.service_config_disable_resolution": 1,
      // Its own connection: what one client closes, another may be using.
      "grpc.use_local_subchannel_pool": 1,
    });
    return { client, grpc };
  }
}

const NO_OPTIONS: CallOptions = {};

function asIs(bytes: Buffer): Buffer {
  return bytes;
}

function encode(method: MethodName, request: object): Buffer {
  try {
    return encodeRequest(method, request);
  } catch (thrown) {
    throw A2AError.from(thrown);
  }
}

/** Headers of HTTP that HTTP/2 or the library sets itself. */
const NOT_METADATA: ReadonlySet<string> = new Set(["connection", "content-type", "host", "te", "user-agent", "accept"]);

function isMetadata(name: string): boolean {
  return !name.startsWith("grpc-") && !name.endsWith("-bin") && !NOT_METADATA.has(name);
}

function noteExtensions(metadata: Metadata, call: Call): void {
  const values = metadata.get("a2a-extensions");
  if (values.length > 0) call.activeExtensions = parseExtensions(values.join(","));
}
