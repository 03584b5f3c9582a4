const QUOTE = 34;
const BACKSLASH = 92;

/**
 * Leaves the artifacts out of a task as JSON text, which is not parsed: listings leave them out of every task.
 *
 * @param json a Task as the engine writes it, without space between its tokens
 */
export function withoutArtifacts(json: string): string {
  const member = '"artifacts":';
  for (let at = 1; at < json.length; ) {
    const value = json.indexOf(":", endOfString(json, at)) + 1;
    const end = endOfValue(json, value);
    // Never the first member, which is the id: the comma before it goes with it.
    if (json.startsWith(member, at)) return json.slice(0, at - 1) + json.slice(end);
    at = end + 1;
  }
  return json;
}

/** Where the comma or bracket behind a value stands. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        if (depth === 0) return at;
        depth -= 1;
        break;
      case 0x2c:
        if (depth === 0) return at;
    }
    if (at >= json.length) return at;
  }
}

/** Where the closing quote of the string stands that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return json.length;
}
