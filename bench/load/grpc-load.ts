/** Calls over gRPC by hand on node:http2: one connection, many streams, as clients of gRPC do it. */
import { type ClientHttp2Session, connect } from "node:http2";

/** A method that is called again and again. */
export interface GrpcLoad {
  readonly operations: number;
  readonly inFlight: number;
  readonly method: "SendMessage" | "SendStreamingMessage";
  /** A message in its frame. */
  readonly request: () => Buffer;
}

/** Sends it all and gives the answers' bytes of the last one. @throws Error for a status other than 0 */
export async function runGrpcLoad(port: number, load: GrpcLoad, around: () => number): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  let next = 0;
  async function work(): Promise<void> {
    while (next < load.operations) {
      next++;
      await callGrpc(session, load.method, load.request());
    }
  }
  try {
    // The connection is made before.
    await callGrpc(session, load.method, load.request());
    const before = around();
    await Promise.all(Array.from({ length: load.inFlight }, work));
    return around() - before;
  } finally {
    session.close();
  }
}

/** One call. */
export function callGrpc(session: ClientHttp2Session, method: string, request: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": `/lf.a2a.v1.A2AService/${method}`,
      "content-type": "application/grpc+proto",
      te: "trailers",
      "a2a-version": "1.0",
    });
    const chunks: Buffer[] = [];
    let status = "";
    stream.on("trailers", (trailers) => {
      status = `${String(trailers["grpc-status"])} ${String(trailers["grpc-message"] ?? "")}`.trim();
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => {
      if (status === "0") resolve(Buffer.concat(chunks));
      else reject(new Error(`the server refuses: ${status}`));
    });
    stream.end(request);
  });
}

/** The frames of an answer, each with its head. */
export function framesOf(answer: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < answer.length; ) {
    const end = at + 5 + answer.readUInt32BE(at + 1);
    frames.push(answer.subarray(at, end));
    at = end;
  }
  return frames;
}

let messages = 0;

/** A SendMessageRequest of one text in its frame, with a message id of its own. */
export function sendFrame(text: string): Buffer {
  messages += 1;
  const id = `message-${process.pid.toString(36)}-${String(messages).padStart(9, "0")}`;
  const part = field(5, field(1, Buffer.from(text)));
  const message = field(2, Buffer.concat([field(1, Buffer.from(id)), Buffer.from([4 * 8, 1]), part]));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function field(number: number, content: Buffer): Buffer {
  const head = [number * 8 + 2];
  let rest = content.length;
  for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
  return Buffer.concat([Buffer.from([...head, rest]), content]);
}
