/**
 * The `text` format: one `Label: value` a line, and blocks for what does not fit on one line.
 *
 * A block is its `Label:` on a line of its own, the content indented by two spaces, and an empty line that closes it.
 * The indent is what keeps an agent from writing a line that reads like one of our fields, and an empty line inside
 * the content from ending the block. What an agent says is never trusted with the terminal: control characters are
 * written out as text.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029]/g;

/** Makes control characters visible: an escape becomes the five characters `\u{1b}`. Newline and tab stay. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(CONTROLS, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** One field; a newline in the value is written as `\n`. */
export function formatField(label: string, value: string): string {
  return `${label}: ${withoutControls(value).replaceAll("\n", "\\n").replaceAll("\t", " ")}\n`;
}

/** One block. */
export function formatBlock(label: string, content: string): string {
  const lines = withoutControls(content).replace(/\n$/, "").split("\n");
  return `${label}:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}
