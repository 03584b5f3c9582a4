/** The media types of JSON bodies on both bindings. */
import { A2AError } from "../../operations/errors.ts";
import { bareMediaType } from "../../operations/media-type.ts";

const OTHER_CHARSET = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/**
 * Refuses a body that is compressed: its length tells nothing of what it grows to, and callers of agents send little.
 *
 * @param contentEncoding the header
 * @throws CONTENT_TYPE_NOT_SUPPORTED that says what to send
 */
export function requirePlainBody(contentEncoding: string | undefined): void {
  if (contentEncoding === undefined || /^\s*(identity)?\s*$/i.test(contentEncoding)) return;
  throw new A2AError(
    "CONTENT_TYPE_NOT_SUPPORTED",
    `Content-Encoding ${contentEncoding.slice(0, 100)} is not read here; send the body as it is`,
    { metadata: { accepted: "identity" } },
  );
}

/**
 * Refuses a body that does not say that it is JSON. A body without a type is refused too: a web page of another
 * origin can post one without asking.
 *
 * @param contentType the header
 * @param accepted in lower case, best first
 * @throws CONTENT_TYPE_NOT_SUPPORTED that says what to send
 */
export function requireMediaType(contentType: string | undefined, accepted: readonly string[]): void {
  if (contentType !== undefined) {
    if (accepted.includes(contentType)) return;
    if (accepted.includes(bareMediaType(contentType)) && !OTHER_CHARSET.test(contentType)) return;
  }
  const found = contentType === undefined ? "a body without Content-Type" : `Content-Type ${contentType.slice(0, 100)}`;
  throw new A2AError(
    "CONTENT_TYPE_NOT_SUPPORTED",
    `${found} is not read here; send Content-Type: ${accepted[0]} in UTF-8`,
    {
      metadata: { accepted: accepted.join(", ") },
    },
  );
}
