/** Writes the body of a streamed response, piece by piece. */
import type { ServerResponse } from "node:http";

/** A body under way. */
export interface StreamBody {
  /** Headers that the body needs, names and values in turn. */
  readonly head: readonly string[];
  /** To be called when the head is written and no piece yet. */
  begin(): void;
  /** Writes a piece that is not empty; false when the socket is full, until `drain`. */
  write(piece: string): boolean;
  end(last?: string): void;
}

/** A body that node frames: right for every response, and for frameworks that put their own `write` on it. */
export function framedByNode(target: ServerResponse): StreamBody {
  return {
    head: [],
    begin() {},
    write: (piece) => target.write(piece),
    end(last) {
      if (last === undefined) target.end();
      else target.end(last);
    },
  };
}

/**
 * A body in chunks (RFC 9112 §7.1) that are framed here: node makes four writes of a chunk and gathers them again, which
 * costs more than the rest of sending it. Only for a response of HTTP/1.1 that nobody else writes to.
 */
export function framedHere(target: ServerResponse): StreamBody {
  return {
    head: ["transfer-encoding", "chunked"],
    begin() {
      // Node has seen the header and keeps the connection; it frames nothing more.
      target.chunkedEncoding = false;
    },
    write: (piece) => target.write(chunkOf(piece)),
    end: (last = "") => {
      target.end(last === "" ? LAST_CHUNK : chunkOf(last) + LAST_CHUNK);
    },
  };
}

const LAST_CHUNK = "0\r\n\r\n";

function chunkOf(piece: string): string {
  return `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
}
