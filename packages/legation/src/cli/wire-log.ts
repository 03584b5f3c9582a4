/** `--debug`: every request and answer as it went over the wire, on stderr, without the secrets. */
import type { HttpFetch } from "./http-fetch.ts";

/** Removes secrets from a text, wherever they stand in it. */
export type Redact = (text: string) => string;

const HIDDEN = "***";

/**
 * Makes the function that hides secrets. Very short ones are hidden in headers only, for elsewhere they would hide
 * half of the text and tell an attentive reader what they are.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter((secret) => secret.length >= 4)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);
}

const SECRET_HEADER = /^(authorization|proxy-authorization|cookie|set-cookie)$|key|token|secret/i;

/**
 * Wraps a `fetch` so that what goes over the wire is logged.
 *
 * @param log - Takes one line.
 * @param secretHeaders - Lower-case names whose values are hidden, beside those that are secret by their name.
 */
export function loggingFetch(
  inner: HttpFetch,
  log: (line: string) => void,
  redact: Redact,
  secretHeaders: ReadonlySet<string>,
): HttpFetch {
  const say = (line: string): void => log(redact(line));
  const sayHeaders = (mark: string, headers: Iterable<readonly [string, string]>): void => {
    for (const [name, value] of headers) {
      const isSecret = SECRET_HEADER.test(name) || secretHeaders.has(name);
      say(`${mark} ${name}: ${isSecret ? HIDDEN : value}`);
    }
  };
  return async (url, init) => {
    const startedAt = performance.now();
    say(`> ${init.method} ${url}`);
    sayHeaders(">", Object.entries(init.headers));
    if (init.body !== undefined) say(`> ${init.body}`);
    let response: Response;
    try {
      response = await inner(url, init);
    } catch (thrown) {
      say(`! ${describeCauses(thrown)} (${elapsed(startedAt)})`);
      throw thrown;
    }
    say(`< ${response.status} ${response.statusText} (${elapsed(startedAt)})`);
    sayHeaders("<", response.headers);
    return withLoggedBody(response, say);
  };
}

function withLoggedBody(response: Response, say: (line: string) => void): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  let rest = "";
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line.trim() !== "") say(`< ${line}`);
        controller.enqueue(piece);
      },
      flush() {
        if (rest !== "") say(`< ${rest}`);
      },
    }),
  );
  const logged = new Response(body, response);
  // A Response made here has no address, and the reader of a card wants to know where it came from.
  Object.defineProperty(logged, "url", { value: response.url });
  return logged;
}

function elapsed(startedAt: number): string {
  return `${Math.round(performance.now() - startedAt)} ms`;
}

function describeCauses(thrown: unknown): string {
  const messages: string[] = [];
  for (let at: unknown = thrown; at instanceof Error && messages.length < 5; at = at.cause) messages.push(at.message);
  return messages.join(": ");
}
