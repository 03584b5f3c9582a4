/** A connection to one address, over @grpc/grpc-js: calls by path and bytes, whatever service they are of. */
import type { CallOptions, Client, Metadata, ServiceError } from "@grpc/grpc-js";
import type { Call } from "../../operations/call.ts";
import { LocalError } from "../../operations/errors.ts";
import { parseExtensions } from "../../operations/extensions.ts";
import type { EventStream } from "../../operations/service.ts";
import { connectionError, DEFAULT_MAX_RESPONSE_BYTES, shown } from "../http/outgoing.ts";
import { callHeaders } from "../http/transport.ts";
import { parseGrpcAddress } from "./address.ts";
import { callFailure } from "./call-failure.ts";
import type { StatusReader } from "./errors.ts";
import { type IncomingEventsOptions, openIncomingEvents } from "./incoming-events.ts";
import { type GrpcLibrary, loadGrpc } from "./load-grpc.ts";

/** Where to call, whom to trust, and limits. */
export interface ChannelOptions {
  /** The address of the interface, from the agent card: `host:port`, or a URL. */
  readonly url: string;
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
}

/** How soon, in ms, a connection that failed is tried again: the library's own 1 s to 120 s is made for fleets. */
const RECONNECT_MS = { "grpc.initial_reconnect_backoff_ms": 100, "grpc.max_reconnect_backoff_ms": 5_000 };

interface Opened {
  readonly client: Client;
  readonly grpc: GrpcLibrary;
}

/** What is called. */
export interface OutgoingCall {
  /** `/lf.a2a.v1.A2AService/GetTask` */
  readonly path: string;
  /** The request, without its frame. */
  readonly bytes: Buffer;
  /** Tells which error a status without details means, before the rules of 1.0 do. */
  readonly readStatus?: StatusReader | undefined;
}

/** The connection: made by the first call, and kept. Nothing is retried. */
export class Channel {
  readonly #options: ChannelOptions;
  #opened: Promise<Opened> | undefined;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Calls a unary method. @returns the answer, without its frame */
  async unary({ path, bytes, readStatus }: OutgoingCall, call: Call): Promise<Buffer> {
    const { client, metadata } = await this.#prepare(call);
    return new Promise((resolve, reject) => {
      const { url } = this.#options;
      const done = (error: ServiceError | null, answer?: Buffer): void => {
        call.signal?.removeEventListener("abort", cancel);
        if (error !== null) reject(callFailure(error, { url, signal: call.signal, read: readStatus }));
        else resolve(answer ?? Buffer.alloc(0));
      };
      const running = client.makeUnaryRequest(path, asIs, asIs, bytes, metadata, NO_OPTIONS, done);
      const cancel = (): void => running.cancel();
      running.on("metadata", (initial) => noteExtensions(initial, call));
      if (call.signal?.aborted === true) cancel();
      else call.signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  /** Calls a streaming method up to its first event. */
  async stream(
    { path, bytes, readStatus, readEvent }: OutgoingCall & Pick<IncomingEventsOptions, "readEvent">,
    call: Call,
  ): Promise<EventStream> {
    const { client, metadata } = await this.#prepare(call);
    const running = client.makeServerStreamRequest(path, asIs, asIs, bytes, metadata, NO_OPTIONS);
    running.on("metadata", (initial) => noteExtensions(initial, call));
    return openIncomingEvents(running, { url: this.#options.url, signal: call.signal, readEvent, readStatus });
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened?.catch(() => undefined))?.client.close();
  }

  async #prepare(call: Call): Promise<{ readonly client: Client; readonly metadata: Metadata }> {
    const { url } = this.#options;
    this.#opened ??= this.#open();
    const { client, grpc } = await this.#opened;
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(await callHeaders(this.#options, call, {}))) {
      if (isMetadata(name)) metadata.set(name, value);
    }
    if (call.signal?.aborted === true) throw connectionError(undefined, url, call.signal);
    return { client, metadata };
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

/** Headers of HTTP that HTTP/2 or the library sets itself. */
const NOT_METADATA: ReadonlySet<string> = new Set(["connection", "content-type", "host", "te", "user-agent", "accept"]);

function isMetadata(name: string): boolean {
  return !name.startsWith("grpc-") && !name.endsWith("-bin") && !NOT_METADATA.has(name);
}

function noteExtensions(metadata: Metadata, call: Call): void {
  const values = [...metadata.get("a2a-extensions"), ...metadata.get("x-a2a-extensions")];
  if (values.length > 0) call.activeExtensions = parseExtensions(values.join(","));
}
