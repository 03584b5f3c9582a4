/** What is said to bytes that are no request of HTTP/1.1, which node:http answers without a body. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { encodeErrorBody } from "../../bindings/rest/errors.ts";
import { A2AError } from "../../operations/errors.ts";

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const BY_CODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    reason: "Request Header Fields Too Large",
    message: "the headers are larger than 16 KiB, the limit of this host; send less in them",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    reason: "Payload Too Large",
    message: "the chunk extensions are larger than 16 KiB; send none",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    reason: "Request Timeout",
    message: "the request did not arrive in time; send it again",
  },
};

const MALFORMED: Refusal = {
  status: 400,
  reason: "Bad Request",
  message:
    "these bytes are no request of HTTP/1.1; gRPC and HTTP/2 begin with their preface, TLS has a port of its own",
};

const NO_EXPECTATION: Refusal = {
  status: 417,
  reason: "Expectation Failed",
  message: "the header Expect asks for something that this host does not know; send 100-continue or none",
};

/**
 * Answers them with an error in the shape of HTTP+JSON, for no binding can be known, and closes the connection.
 *
 * @param server of node:http or node:https
 */
export function answerBadRequests(server: Pick<Server, "on">): void {
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const { status, message } = NO_EXPECTATION;
    const body = encodeErrorBody(new A2AError("INVALID_REQUEST", message), status);
    const length = Buffer.byteLength(body);
    response.writeHead(status, { "content-type": "application/json", "content-length": length, connection: "close" });
    response.end(body);
  });
  server.on("clientError", (thrown: NodeJS.ErrnoException, socket: Socket) => {
    // An answer that is under way must not be cut in two by another.
    const { _httpMessage: open } = socket as { readonly _httpMessage?: ServerResponse | null };
    if (thrown.code === "ECONNRESET" || !socket.writable || open?.headersSent === true) {
      socket.destroy();
      return;
    }
    const { status, reason, message } = BY_CODE[thrown.code ?? ""] ?? MALFORMED;
    const body = encodeErrorBody(new A2AError("INVALID_REQUEST", message), status);
    const head = [
      `HTTP/1.1 ${status} ${reason}`,
      "connection: close",
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}
