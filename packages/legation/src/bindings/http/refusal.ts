/**
 * Refusals that HTTP itself demands a status or a header for, beside the error that the binding writes in its shape.
 */
import { A2AError } from "../../operations/errors.ts";
import { BodyNotText, BodyTooLarge } from "./exchange.ts";

/** Thrown inside a binding: the error for the body, and what HTTP adds to it. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly error: A2AError;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(error: A2AError, status: number, headers: Readonly<Record<string, string>> = {}) {
    super(error.message);
    this.error = error;
    this.status = status;
    this.headers = headers;
  }
}

/** 404: no such path here. */
export function unknownPath(path: string, hint = "see the interfaces in the agent card"): HttpRefusal {
  return new HttpRefusal(new A2AError("METHOD_NOT_FOUND", `no operation at ${shorten(path)}; ${hint}`), 404);
}

/** 405: the path is right, the method is not. `allow` is the value of the Allow header. */
export function wrongMethod(method: string, path: string, allow: string): HttpRefusal {
  const error = new A2AError("METHOD_NOT_FOUND", `${shorten(method)} is not allowed at ${shorten(path)}; use ${allow}`);
  return new HttpRefusal(error, 405, { allow });
}

/** The refusal of a body that could not be read; anything else is given back as it is. */
export function bodyRefusal(thrown: unknown): unknown {
  if (thrown instanceof BodyTooLarge) {
    return new HttpRefusal(new A2AError("INVALID_REQUEST", `${thrown.message}, the limit of this agent`), 413);
  }
  if (thrown instanceof BodyNotText) return new A2AError("PARSE_ERROR", `${thrown.message}; send JSON in UTF-8`);
  return thrown;
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
