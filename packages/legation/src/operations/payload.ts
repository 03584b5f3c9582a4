/**
 * A value of the model together with its canonical JSON, each made from the other at most once.
 *
 * The engine stores JSON and the bindings send JSON: on that way no value is parsed or serialised again. Code that
 * looks inside asks for `value`, and pays for it then.
 */
export interface Payload<T> {
  /** Canonical ProtoJSON text. */
  readonly json: string;
  /** The value; treat it as frozen, it may be shared. */
  readonly value: T;
}

class JsonPayload<T> implements Payload<T> {
  readonly json: string;
  #value: T | undefined;

  constructor(json: string) {
    this.json = json;
  }

  get value(): T {
    this.#value ??= JSON.parse(this.json) as T;
    return this.#value;
  }
}

class ValuePayload<T> implements Payload<T> {
  readonly value: T;
  #json: string | undefined;

  constructor(value: T) {
    this.value = value;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.value);
    return this.#json;
  }
}

/** Wraps canonical JSON text; it is parsed when `value` is first read. */
export function payloadOfJson<T>(json: string): Payload<T> {
  return new JsonPayload<T>(json);
}

/** Wraps a canonical value; it is serialised when `json` is first read. */
export function payloadOfValue<T>(value: T): Payload<T> {
  return new ValuePayload<T>(value);
}
