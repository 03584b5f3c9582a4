/** The bindings that a wire speaks. */
export type BindingName = "jsonrpc" | "rest" | "grpc";

/** An answer as it came. */
export interface RawReply {
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  readonly text: string;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
}
