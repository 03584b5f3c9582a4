/** One connection that is kept alive, as cheap as a client of HTTP/1.1 can be: the load must not be the bottleneck. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** What came back. */
export interface Reply {
  readonly status: number;
  /** Head as it came, without the empty line at its end. */
  readonly head: string;
  /** The body, chunks joined; `""` for a stream that was only counted. */
  readonly body: string;
  /** From sending to the first byte of the body. */
  readonly firstMs: number;
}

/** How to read an answer. */
export interface ReadOptions {
  /** False counts a streamed body instead of keeping it. True by default. */
  readonly keep?: boolean;
  /** Called once, when the first byte of a body is there. */
  readonly onFirst?: (() => void) | undefined;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");
const END_OF_CHUNKS = Buffer.from("0\r\n\r\n");

/** Sends one request at a time. */
export class Connection {
  readonly #socket: Socket;
  #onData: (data: Buffer) => void = () => {};
  #onEnd: (error: Error) => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data: Buffer) => this.#onData(data));
    socket.on("error", (error) => this.#onEnd(error));
    socket.on("close", () => this.#onEnd(new Error("the server closed the connection")));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Connection(socket);
  }

  /** Sends a request and reads its answer to the end. */
  exchange(request: string, options: ReadOptions = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const reader = new ReplyReader(options);
      this.#onEnd = reject;
      this.#onData = (data) => {
        try {
          const reply = reader.take(data);
          if (reply !== undefined) resolve(reply);
        } catch (thrown) {
          reject(thrown);
        }
      };
      this.#socket.write(request, "latin1");
    });
  }

  /** Sends a request and then reads nothing, like a subscriber whose machine sleeps. */
  stall(request: string): void {
    this.#onEnd = () => {};
    this.#socket.pause();
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#onEnd = () => {};
    this.#socket.destroy();
  }
}

class ReplyReader {
  readonly #options: ReadOptions;
  readonly #started = performance.now();
  #pieces: Buffer[] = [];
  #bytes = 0;
  #head: string | undefined;
  #headBytes = 0;
  #length = -1;
  #firstMs = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(options: ReadOptions) {
    this.#options = options;
  }

  take(data: Buffer): Reply | undefined {
    this.#bytes += data.length;
    if (this.#head === undefined || this.#length >= 0 || this.#options.keep !== false) this.#pieces.push(data);
    if (this.#head === undefined && !this.#readHead()) return undefined;
    if (this.#firstMs === 0 && this.#bytes > this.#headBytes) {
      this.#firstMs = performance.now() - this.#started;
      this.#options.onFirst?.();
    }
    const done = this.#length >= 0 ? this.#bytes - this.#headBytes >= this.#length : this.#endsChunks(data);
    return done ? this.#reply() : undefined;
  }

  #readHead(): boolean {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const end = all.indexOf(END_OF_HEAD);
    if (end === -1) return false;
    this.#head = all.toString("latin1", 0, end);
    this.#headBytes = end + END_OF_HEAD.length;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1];
    if (length !== undefined) this.#length = Number(length);
    return true;
  }

  #endsChunks(data: Buffer): boolean {
    const { length } = END_OF_CHUNKS;
    this.#tail = data.length >= length ? data.subarray(-length) : Buffer.concat([this.#tail, data]).subarray(-length);
    return this.#tail.equals(END_OF_CHUNKS);
  }

  #reply(): Reply {
    const head = this.#head ?? "";
    const kept = this.#length >= 0 || this.#options.keep !== false;
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    const raw = kept ? bytes.subarray(this.#headBytes) : Buffer.alloc(0);
    const body = this.#length >= 0 || !kept ? raw.toString("utf8") : joinChunks(raw);
    return { status: Number(head.slice(9, 12)), head, body, firstMs: this.#firstMs };
  }
}

function joinChunks(raw: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at < raw.length; ) {
    const line = raw.indexOf("\r\n", at);
    const size = Number.parseInt(raw.toString("latin1", at, line), 16);
    if (!(size > 0)) break;
    pieces.push(raw.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(pieces).toString("utf8");
}
