/** One word, number, string or sign of a proto file, with the comment that stands right above it. */
export interface Token {
  readonly text: string;
  readonly string: boolean;
  readonly line: number;
  readonly comment: string;
}

const TOKEN = /\s+|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_][A-Za-z0-9_.]*|-?\d+|[{}()[\]<>;:=,]/y;

/**
 * Splits a proto file into tokens.
 *
 * Line comments directly above a token (no blank line between) belong to it. Block comments are not accepted.
 *
 * @param source - The text of the file.
 * @returns The tokens in order.
 * @throws Error with the line of the first character that begins no token.
 */
export function lexProto(source: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let comment: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (match === null) throw new Error(`proto line ${line}: unexpected ${JSON.stringify(source[at])}`);
    const text = match[0];
    if (text.startsWith("//")) {
      comment.push(text.slice(2).trim());
    } else if (/^\s/.test(text)) {
      const breaks = text.split("\n").length - 1;
      if (breaks > 1) comment = [];
      line += breaks;
    } else {
      const string = text.startsWith('"');
      tokens.push({ text: string ? (JSON.parse(text) as string) : text, string, line, comment: comment.join(" ") });
      comment = [];
    }
  }
  return tokens;
}
