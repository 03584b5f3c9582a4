/**
 * Calls over gRPC for judges of agents: requests go out as they are given, answers come back as they came, without the
 * validator and the leniency of a client in between.
 */
import type { Client, ClientReadableStream, Metadata, ServiceError } from "@grpc/grpc-js";
import type { Loose } from "../../model/notes.ts";
import type { GrpcStatusName } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { parseGrpcAddress } from "./address.ts";
import { decodeAnswer, encodeRequest } from "./codec.ts";
import { type DetailObject, detailObjects } from "./detail-objects.ts";
import { STATUS } from "./errors.ts";
import { type GrpcLibrary, loadGrpc } from "./load-grpc.ts";
import { pathOf } from "./names.ts";

/** How a call ended. */
export interface RawStatus {
  readonly code: number;
  /** `NOT_FOUND`; the number as text where it has no name here. */
  readonly name: string;
  readonly message: string;
  /** The details as the HTTP bindings have them: objects with `@type`. */
  readonly details: readonly DetailObject[];
}

/** The answer of a unary call. */
export interface RawGrpcReply {
  /** Undefined for a good answer. */
  readonly error: RawStatus | undefined;
  /** In the form of parsed JSON, not validated; undefined for an error. */
  readonly result: Loose | undefined;
  /** Initial metadata, or that of the trailers, by lower-case name. */
  header(name: string): string | undefined;
}

/** The answer of a streaming call. */
export interface RawGrpcStream {
  /** Initial metadata by lower-case name. */
  header(name: string): string | undefined;
  /** The next event or the error at the end; undefined at a good end. */
  next(): Promise<{ readonly event: Loose } | { readonly error: RawStatus } | undefined>;
  close(): void;
}

/** Calls of one interface. */
export interface RawGrpc {
  unary(method: MethodName, request: object, metadata: Readonly<Record<string, string>>): Promise<RawGrpcReply>;
  stream(method: MethodName, request: object, metadata: Readonly<Record<string, string>>): Promise<RawGrpcStream>;
  close(): Promise<void>;
}

/**
 * Opens an interface. The first call connects.
 *
 * @param url `host:port`, or a URL
 * @param signal ends every call
 */
export function openRawGrpc(url: string, signal: AbortSignal): RawGrpc {
  let opened: Promise<{ readonly client: Client; readonly grpc: GrpcLibrary }> | undefined;
  async function prepare(given: Readonly<Record<string, string>>): Promise<{ client: Client; metadata: Metadata }> {
    opened ??= openClient(url);
    const { client, grpc } = await opened;
    const metadata = new grpc.Metadata();
    for (const [name, value] of Object.entries(given)) metadata.set(name, value);
    return { client, metadata };
  }
  return {
    async unary(method, request, given) {
      const { client, metadata } = await prepare(given);
      return callUnary(client, method, { bytes: encodeRequest(method, request), metadata, signal });
    },
    async stream(method, request, given) {
      const { client, metadata } = await prepare(given);
      const bytes = encodeRequest(method, request);
      const call = client.makeServerStreamRequest(pathOf(method), asIs, asIs, bytes, metadata);
      const cancel = (): void => call.cancel();
      signal.addEventListener("abort", cancel, { once: true });
      call.on("status", () => signal.removeEventListener("abort", cancel));
      return openStream(call, method);
    },
    async close() {
      (await opened?.catch(() => undefined))?.client.close();
    },
  };
}

async function openClient(url: string): Promise<{ readonly client: Client; readonly grpc: GrpcLibrary }> {
  const address = parseGrpcAddress(url);
  if (address === undefined) throw new TypeError(`${url.slice(0, 200)} is no address of gRPC`);
  const grpc = await loadGrpc();
  const trust = address.isTls ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
  return { client: new grpc.Client(address.target, trust, { "grpc.use_local_subchannel_pool": 1 }), grpc };
}

function callUnary(
  client: Client,
  method: MethodName,
  { bytes, metadata, signal }: { readonly bytes: Buffer; readonly metadata: Metadata; readonly signal: AbortSignal },
): Promise<RawGrpcReply> {
  return new Promise((resolve, reject) => {
    let initial: Metadata | undefined;
    const cancel = (): void => call.cancel();
    const call = client.makeUnaryRequest(pathOf(method), asIs, asIs, bytes, metadata, (error, answer) => {
      signal.removeEventListener("abort", cancel);
      try {
        resolve({
          error: error === null ? undefined : statusOf(error),
          result: error === null ? resultOf(method, answer) : undefined,
          header: (name) => headerOf(initial, name) ?? headerOf(error?.metadata, name),
        });
      } catch (thrown) {
        reject(thrown);
      }
    });
    call.on("metadata", (found) => {
      initial = found;
    });
    signal.addEventListener("abort", cancel, { once: true });
  });
}

// Protobuf has no presence for the four fields that a list always has: what is not there is empty, never missing.
function resultOf(method: MethodName, answer: Buffer | undefined): Loose {
  const result = decodeAnswer(method, answer ?? Buffer.alloc(0));
  return method === "ListTasks" ? { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0, ...result } : result;
}

function openStream(call: ClientReadableStream<Buffer>, method: MethodName): Promise<RawGrpcStream> {
  let initial: Metadata | undefined;
  let failure: RawStatus | undefined;
  let hasEnded = false;
  let wake: () => void = () => undefined;
  call.on("readable", () => wake());
  call.on("error", (error: ServiceError) => {
    failure = statusOf(error);
    wake();
  });
  call.on("status", () => {
    hasEnded = true;
    wake();
  });
  const next: RawGrpcStream["next"] = async () => {
    for (;;) {
      const bytes = call.read() as Buffer | null;
      if (bytes !== null) return { event: decodeAnswer(method, bytes) };
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        return { error };
      }
      if (hasEnded) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const stream: RawGrpcStream = { header: (name) => headerOf(initial, name), next, close: () => call.cancel() };
  // Metadata comes before everything else; an error alone comes without.
  return new Promise((resolve) => {
    call.on("metadata", (found) => {
      initial = found;
      resolve(stream);
    });
    call.on("error", () => resolve(stream));
  });
}

function statusOf({ code, details: message, metadata }: ServiceError): RawStatus {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const name = Object.entries(STATUS).find(([, number]) => number === code)?.[0] as GrpcStatusName | undefined;
  return { code, name: name ?? String(code), message, details: typeof bytes === "object" ? detailObjects(bytes) : [] };
}

function headerOf(metadata: Metadata | undefined, name: string): string | undefined {
  const values = metadata?.get(name) ?? [];
  return values.length === 0 ? undefined : values.join(", ");
}

function asIs(bytes: Buffer): Buffer {
  return bytes;
}
