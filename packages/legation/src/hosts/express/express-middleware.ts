/** A middleware for Express and everything that takes `(request, response, next)` on node:http. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpHandler } from "../../bindings/http/exchange.ts";
import type { Principal } from "../../operations/call.ts";
import { carryOne } from "../node/node-listener.ts";

/** The part of an Express request that is read; structural, so that Express is no dependency. */
export interface ExpressRequest extends IncomingMessage {
  /** The body, where a parser in front has read it. */
  readonly body?: unknown;
}

/** Settings of the middleware. */
export interface ExpressOptions {
  /** Who calls, where a middleware in front has told: makes the agent trust it. */
  readonly principal?: ((request: ExpressRequest) => Principal | undefined) | undefined;
}

/** `(request, response, next)`. */
export type ExpressMiddleware = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves a handler below wherever it is mounted: `app.use("/planner", createExpressMiddleware(handler))`.
 *
 * Works before and after `express.json()`; after it, the body is serialised once more, ids of JSON-RPC requests beyond
 * 2^53 are rounded, and a body that the parser refuses never arrives here. Mount it before parsers where you can.
 *
 * @param handler answers, or takes not: then `next` is called
 */
export function createExpressMiddleware(handler: HttpHandler, options: ExpressOptions = {}): ExpressMiddleware {
  return (request, response, next) => {
    carryOne(handler, request, response, {
      principal: options.principal?.(request),
      text: textOfParsed(request),
    }).then(
      (taken) => {
        if (!taken) next();
      },
      (error: unknown) => next(error),
    );
  };
}

/** What a parser in front has left of the body, as text; undefined when nobody has read it. */
export function textOfParsed(request: ExpressRequest): (() => string) | undefined {
  return wasRead(request) ? () => bodyText(request.body) : undefined;
}

// Parsers differ in what they leave in `body` for a request that they did not touch; whether the bytes are gone does not.
function wasRead(request: ExpressRequest): boolean {
  return request.body !== undefined && request.readableDidRead;
}

function bodyText(body: unknown): string {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  return JSON.stringify(body) ?? "";
}
