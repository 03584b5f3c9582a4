/**
 * The server side of the gRPC binding over node:http2: a stream of HTTP/2 in, frames and trailers out.
 *
 * @see specification §10
 */
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { ANONYMOUS, type Call, type Principal } from "../../operations/call.ts";
import { A2AError } from "../../operations/errors.ts";
import { parseExtensions } from "../../operations/extensions.ts";
import { METHODS, type MethodName } from "../../operations/methods.ts";
import { parseRequest } from "../../operations/parse-request.ts";
import type { EventStream, Service, StreamEvent } from "../../operations/service.ts";
import { decideVersion, PROTOCOL_VERSION, requestedVersion, versionNotSupported } from "../../operations/version.ts";
import { DEFAULT_MAX_BODY_BYTES, type HttpBindingOptions } from "../http/binding-options.ts";
import { parseEventId, passedHeaders } from "../http/http-call.ts";
import { report } from "../http/respond.ts";
import { goodbyeError } from "../http/sse-writer.ts";
import { requireKnownTenant } from "../http/tenants.ts";
import { decodeRequest, encodeAnswer } from "./codec.ts";
import { EventFrames } from "./event-frames.ts";
import { type ForeignMethod, foreignMethods, teachForeign } from "./foreign-methods.ts";
import { createHealth, type Health } from "./health.ts";
import { ACCEPTED_ENCODINGS } from "./incoming-message.ts";
import { IncomingRequests } from "./incoming-requests.ts";
import { GRPC_SERVICE, methodOfPath, teachMethod } from "./names.ts";
import { OpenCalls } from "./open-calls.ts";
import { reflectionMethods } from "./reflection.ts";
import { failureOf, ServerCall } from "./server-call.ts";

/** Settings of the handler: those of the HTTP bindings. There are no heartbeats; HTTP/2 has pings of its own. */
export interface GrpcBindingOptions extends Omit<HttpBindingOptions, "heartbeatMs"> {
  /** How long a request may take to arrive, default 300,000; 0 is as long as it takes. Then: DEADLINE_EXCEEDED. */
  readonly requestMs?: number | undefined;
}

/** Carries out one method of another service on the same port. */
export type GrpcMethod = (call: ServerCall) => Promise<void>;

/** Answers calls, and can be stopped in good order. */
export interface GrpcHandler {
  /** Answers one stream of HTTP/2; a listener for the event `stream`. */
  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void;
  /** From now on calls are refused with UNAVAILABLE, and open streams are told so. */
  stop(): void;
}

/**
 * The gRPC binding of a service, with grpc.health.v1 and grpc.reflection.v1.
 *
 * @param service carries the operations out
 * @param options who may call, limits, log
 */
export function createGrpcHandler(service: Service, options: GrpcBindingOptions = {}): GrpcHandler {
  return new Handler(service, options);
}

/** A call of which the message is there. */
interface Received {
  readonly method: MethodName;
  readonly message: Buffer;
  readonly context: Call;
}

class Handler implements GrpcHandler {
  readonly #service: Service;
  readonly #options: GrpcBindingOptions;
  readonly #others: ReadonlyMap<string, GrpcMethod>;
  readonly #foreign: ReadonlyMap<string, ForeignMethod>;
  readonly #health: Health;
  readonly #streams = new OpenCalls<ServerCall>();
  readonly #incoming: IncomingRequests;
  #stopping = false;

  constructor(service: Service, options: GrpcBindingOptions) {
    this.#service = service;
    this.#options = options;
    this.#incoming = new IncomingRequests(options.requestMs);
    const { rpcServices = [] } = options;
    const schemas = rpcServices.map(({ schema }) => schema);
    this.#foreign = foreignMethods(rpcServices);
    this.#health = createHealth([GRPC_SERVICE, ...schemas.map(({ service: name }) => name)]);
    this.#others = new Map([...this.#health.methods, ...reflectionMethods(schemas)]);
  }

  handle(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const call = new ServerCall(stream, headers, this.#incoming);
    if (!isGrpc(headers)) {
      call.refuse(headers[":method"] === "POST" ? 415 : 405, headers[":method"] === "POST" ? {} : { allow: "POST" });
      return;
    }
    try {
      const method = methodOfPath(call.path) ?? this.#foreign.get(call.path);
      if (method === undefined) this.#answerOther(call);
      else this.#admit(call, method);
    } catch (thrown) {
      this.#fail(call, thrown);
    }
  }

  stop(): void {
    this.#stopping = true;
    this.#health.stop();
    for (const call of this.#streams.list()) call.fail(goodbyeError());
  }

  #answerOther(call: ServerCall): void {
    const other = this.#others.get(call.path);
    if (other === undefined) throw this.#unknownMethod(call.path);
    this.#track(call);
    other(call).catch((thrown: unknown) => this.#fail(call, thrown));
  }

  /** Asks who calls. Whatever else is wrong with the call, one who may not call is told that. */
  #admit(call: ServerCall, method: MethodName | ForeignMethod): void {
    if (this.#stopping) throw goodbyeError();
    requireEncoding(call.header("grpc-encoding"));
    const { authenticate } = this.#options;
    if (authenticate === undefined) {
      this.#receive(call, method, ANONYMOUS);
      return;
    }
    authenticate(call.asHttpRequest())
      .then((principal) => this.#receive(call, method, principal ?? ANONYMOUS))
      .catch((thrown: unknown) => this.#fail(call, thrown));
  }

  // A call of one answer costs no promise but that of its operation.
  #receive(call: ServerCall, method: MethodName | ForeignMethod, principal: Principal): void {
    const onFailure = (thrown: unknown): void => this.#fail(call, thrown);
    const maxBytes = this.#options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
    if (typeof method === "string") {
      const version = this.#versionOf(call);
      const onMessage = (message: Buffer): void =>
        this.#carryOut(call, { method, message, context: grpcCall(call, version, principal) });
      call.receive(maxBytes, { onMessage, onFailure });
      return;
    }
    const { service } = method;
    service.assertVersion(call.header("a2a-version"));
    const onMessage = (message: Buffer): void => {
      this.#carryOutForeign(call, method, message, grpcCall(call, service.version, principal)).catch(onFailure);
    };
    call.receive(maxBytes, { onMessage, onFailure });
  }

  #versionOf(call: ServerCall): string {
    const { versions, rpcServices = [] } = this.#options;
    const requested = requestedVersion(call.header("a2a-version"));
    if (requested.version === PROTOCOL_VERSION) return decideVersion(requested, versions);
    const served = rpcServices.find(({ version }) => version === requested.version);
    if (served === undefined) return decideVersion(requested, versions);
    throw versionNotSupported(requested, versions, `${served.version} is served as ${served.schema.service}`);
  }

  #unknownMethod(path: string): A2AError {
    const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path;
    const { rpcServices = [], absentRpcServices = [] } = this.#options;
    const hint = teachForeign([...rpcServices, ...absentRpcServices], path) ?? teachMethod(path);
    return new A2AError("METHOD_NOT_FOUND", `no method at ${shown}; ${hint}`);
  }

  #carryOut(call: ServerCall, { method, message, context }: Received): void {
    // Its deadline may have passed while the message came.
    if (!call.isOpen) return;
    const request = parseRequest(method, decodeRequest(method, message));
    requireKnownTenant(request.tenant, this.#options.tenants);
    const { operation, kind } = METHODS[method];
    const carryOut = this.#service[operation] as (request: unknown, call: Call) => Promise<unknown>;
    const onFailure = (thrown: unknown): void => this.#fail(call, thrown);
    carryOut.call(this.#service, request, context).then((result) => {
      if (kind === "stream") {
        this.#stream(call, result as EventStream, { context, foreign: undefined }).catch(onFailure);
        return;
      }
      try {
        const value = result === undefined ? undefined : (result as { readonly value: unknown }).value;
        const frame = encodeAnswer(method, value);
        call.respond(context.activeExtensions);
        call.finish(frame);
      } catch (thrown) {
        onFailure(thrown);
      }
    }, onFailure);
  }

  async #carryOutForeign(call: ServerCall, method: ForeignMethod, message: Buffer, context: Call): Promise<void> {
    if (!call.isOpen) return;
    const { service, name } = method;
    const request = method.read(message);
    requireKnownTenant(undefined, this.#options.tenants);
    const { origin } = call.asHttpRequest();
    const result = await service.carryOut(name, request, { call: context, origin });
    if (method.isStream) {
      await this.#stream(call, result as EventStream, { context, foreign: method });
      return;
    }
    const frame = method.frame(result as object);
    call.respond(context.activeExtensions, service.extensionsHeader);
    call.finish(frame);
  }

  async #stream(
    call: ServerCall,
    events: EventStream,
    { context, foreign }: { readonly context: Call; readonly foreign: ForeignMethod | undefined },
  ): Promise<void> {
    const batches = events[Symbol.asyncIterator]();
    const frames = new EventFrames();
    // The next batch is awaited while the caller may go away: then nobody else ends the source.
    const end = (): void => void batches.return?.().catch(ignore);
    let leave: (() => void) | undefined;
    call.onEnd(end);
    try {
      // The first event is awaited before anything is sent, so that an early error is a plain error.
      let batch = await batches.next();
      call.respond(context.activeExtensions, foreign?.service.extensionsHeader);
      leave = this.#streams.add(call);
      while (batch.done !== true && call.isOpen) {
        const full = call.write(
          foreign === undefined ? frames.encode(batch.value) : foreignFrames(batch.value, foreign),
        );
        if (full !== undefined) await full;
        batch = await batches.next();
      }
      call.finish();
    } finally {
      leave?.();
      end();
    }
  }

  /** The call is told when the host stops. */
  #track(call: ServerCall): void {
    call.onEnd(this.#streams.add(call));
  }

  #fail(call: ServerCall, thrown: unknown): void {
    if (!call.isOpen) return;
    const { error, status } = failureOf(thrown, this.#foreign.get(call.path)?.service);
    report(this.#options, { binding: "grpc", operation: call.path, error });
    const challenge =
      error.code === "UNAUTHENTICATED"
        ? (this.#options.challenge?.(error, call.asHttpRequest()) ?? "Bearer")
        : undefined;
    call.fail(error, status, challenge);
  }
}

function isGrpc(headers: IncomingHttpHeaders): boolean {
  const type = headers["content-type"] ?? "";
  if (headers[":method"] !== "POST") return false;
  return type === "application/grpc" || /^application\/grpc(\+proto)?\s*(;|$)/.test(type);
}

function requireEncoding(encoding: string | undefined): void {
  if (encoding === undefined || ACCEPTED_ENCODINGS.split(",").includes(encoding)) return;
  throw new A2AError(
    "METHOD_NOT_FOUND",
    `grpc-encoding ${encoding.slice(0, 40)} is not read here; use ${ACCEPTED_ENCODINGS}`,
  );
}

/** The call that the metadata makes (§10.2). */
function grpcCall(call: ServerCall, version: string, principal: Principal): Call {
  return {
    version,
    extensions: parseExtensions(call.header("a2a-extensions"), call.header("x-a2a-extensions")),
    principal,
    signal: call.signal,
    lastEventId: parseEventId(call.header("last-event-id")),
    headers: passedHeaders(call),
    activeExtensions: undefined,
  };
}

function foreignFrames(batch: readonly StreamEvent[], method: ForeignMethod): Buffer {
  return Buffer.concat(batch.map(({ value }) => method.event(value)));
}

function ignore(): void {}
