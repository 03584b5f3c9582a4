import type { Artifact, Message, Part } from "../model/gen/types.ts";
import { formatBlock, formatField } from "./text-output.ts";

/**
 * Parts in the text format: text and data as blocks, files by name, media type and size. No part is left out.
 *
 * @param prefix - First word of the labels: `Artifact`, `Message`, `Status`.
 */
export function renderParts(prefix: string, parts: readonly Part[], isVerbose: boolean): string {
  return parts.map((part) => renderPart(prefix, part, isVerbose)).join("");
}

function renderPart(prefix: string, part: Part, isVerbose: boolean): string {
  const details = isVerbose ? renderDetails(prefix, part) : "";
  if (part.text !== undefined) return details + formatBlock(`${prefix} text`, part.text);
  if (part.raw !== undefined) {
    const bytes = Math.floor((part.raw.replace(/=+$/, "").length * 3) / 4);
    return details + formatField(`${prefix} file`, describeFile(part.filename ?? "(no name)", part, `${bytes} bytes`));
  }
  if (part.url !== undefined) {
    const name = part.filename === undefined ? part.url : `${part.filename} at ${part.url}`;
    return details + formatField(`${prefix} file`, describeFile(name, part, "size unknown"));
  }
  return details + formatBlock(`${prefix} data`, JSON.stringify(part.data, null, 2));
}

function describeFile(name: string, part: Part, size: string): string {
  return `${name} (${part.mediaType ?? "application/octet-stream"}, ${size})`;
}

function renderDetails(prefix: string, part: Part): string {
  const named = part.raw === undefined && part.url === undefined;
  let text = "";
  if (part.mediaType !== undefined && named) text += formatField(`${prefix} media type`, part.mediaType);
  if (part.filename !== undefined && named) text += formatField(`${prefix} filename`, part.filename);
  if (part.metadata !== undefined) text += formatField(`${prefix} part metadata`, JSON.stringify(part.metadata));
  return text;
}

/** An artifact, or a chunk of one. */
export function renderArtifact(artifact: Artifact, isVerbose: boolean): string {
  let text = formatField("Artifact", artifact.name ?? artifact.artifactId);
  if (isVerbose || artifact.name === undefined) text += formatField("Artifact ID", artifact.artifactId);
  if (artifact.description !== undefined) text += formatField("Artifact description", artifact.description);
  if (isVerbose && artifact.metadata !== undefined) {
    text += formatField("Artifact metadata", JSON.stringify(artifact.metadata));
  }
  return text + renderParts("Artifact", artifact.parts ?? [], isVerbose);
}

/** A message under labels that begin with `prefix`. */
export function renderMessage(prefix: string, message: Message, isVerbose: boolean): string {
  let text = "";
  if (isVerbose) {
    text += formatField(`${prefix} ID`, message.messageId);
    text += formatField(`${prefix} role`, message.role.replace(/^ROLE_/, "").toLowerCase());
    if (message.metadata !== undefined) text += formatField(`${prefix} metadata`, JSON.stringify(message.metadata));
  }
  return text + renderParts(prefix, message.parts ?? [], isVerbose);
}
