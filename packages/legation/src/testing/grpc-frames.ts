/** The frames of gRPC in what a server writes. */
import { FRAME_HEAD } from "../bindings/grpc/binary-writer.ts";

/** Cuts a piece of a body into its frames, heads included; what is not a whole frame is left out. */
export function wholeFrames(piece: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + FRAME_HEAD <= piece.length) {
    const end = at + FRAME_HEAD + piece.readUInt32BE(at + 1);
    if (end > piece.length) break;
    frames.push(piece.subarray(at, end));
    at = end;
  }
  return frames;
}
