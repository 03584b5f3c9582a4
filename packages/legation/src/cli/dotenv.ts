/** The lines of a `.env` file that are settings of this program: `A2ACLI_…` and `LEGATION_…`. */
export type EnvFile = ReadonlyMap<string, string>;

const LINE = /^\s*(?:export\s+)?((?:A2ACLI|LEGATION)_[A-Z0-9_]+)\s*=\s*(.*)$/;

/**
 * Reads the text of a `.env` file. Lines of other programs are passed over, for such files are shared. A value may be
 * bare (a ` #` begins a comment), in single quotes (verbatim) or in double quotes (`\n`, `\t`, `\"`, `\\`).
 */
export function parseEnvFile(text: string): EnvFile {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const found = LINE.exec(line);
    if (found?.[1] !== undefined) values.set(found[1], parseValue(found[2] ?? ""));
  }
  return values;
}

function parseValue(raw: string): string {
  const single = /^'([^']*)'/.exec(raw);
  if (single !== null) return single[1] ?? "";
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(raw);
  if (double !== null) {
    return (double[1] ?? "").replace(/\\(.)/g, (_, char: string) => (char === "n" ? "\n" : char === "t" ? "\t" : char));
  }
  return raw.replace(/\s+#.*$/, "").trim();
}
