/**
 * Where the outside workers of deferred tasks report: one path of the host, whose only credential is the token of the
 * task. It is no part of the protocol, and no card names it.
 */
import { DEFAULT_MAX_BODY_BYTES, type HttpBindingOptions } from "../bindings/http/binding-options.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import { requireMediaType, requirePlainBody } from "../bindings/http/media-types.ts";
import { wrongMethod } from "../bindings/http/refusal.ts";
import { failureOf, report as reportFailure } from "../bindings/http/respond.ts";
import { encodeErrorBody } from "../bindings/rest/errors.ts";
import type { Deferrals } from "../engine/deferrals.ts";
import { DEFERRED_PATH, parseDeferredReport } from "../operations/deferred-report.ts";
import { A2AError } from "../operations/errors.ts";

const JSON_TYPES = ["application/json"] as const;
const HEADERS = { "content-type": "application/json", "cache-control": "no-store" } as const;

/**
 * Makes the handler.
 *
 * @param deferrals takes the reports
 * @param options limits and log; who may call is decided by the token alone
 */
export function createDeferredHandler(
  deferrals: () => Pick<Deferrals, "report">,
  options: Pick<HttpBindingOptions, "maxBodyBytes" | "log">,
): HttpHandler {
  return async (request) => {
    if (request.path !== DEFERRED_PATH) return undefined;
    try {
      return await answer(request, deferrals(), options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
    } catch (thrown) {
      const { error, status, headers } = failureOf(thrown, request, {}, (row) => row.http);
      reportFailure(options, { binding: "rest", operation: "report on a deferred task", error }, request);
      return { status, headers: { ...headers, ...HEADERS }, body: encodeErrorBody(error, status) };
    }
  };
}

async function answer(
  request: HttpRequest,
  deferrals: Pick<Deferrals, "report">,
  maxBytes: number,
): Promise<HttpResponse> {
  if (request.method !== "POST") throw wrongMethod(request.method, request.path, "POST");
  const token = /^bearer +(\S+) *$/i.exec(request.header("authorization") ?? "")?.[1];
  if (token === undefined) {
    throw new A2AError("UNAUTHENTICATED", "a report needs the token of its task; send Authorization: Bearer <token>");
  }
  requireMediaType(request.header("content-type"), JSON_TYPES);
  requirePlainBody(request.header("content-encoding"));
  const report = parseDeferredReport(parsed(await request.text(maxBytes)));
  return { status: 200, headers: HEADERS, body: JSON.stringify(await deferrals.report(token, report, request.signal)) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new A2AError("PARSE_ERROR", 'the body is not valid JSON; send {"report":"heartbeat"}');
  }
}
