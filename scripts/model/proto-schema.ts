/** What a proto file says, as plain data: the input of every emitter. */
export interface ProtoFile {
  readonly package: string;
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly services: readonly ProtoService[];
}

/** A message and its fields in the order of the file. */
export interface ProtoMessage {
  readonly name: string;
  readonly comment: string;
  readonly fields: readonly ProtoField[];
  readonly oneofs: readonly string[];
}

/** Scalar types that the file may use. */
export type ScalarType = "string" | "bytes" | "bool" | "int32";

/** Well-known types that have a JSON form of their own. */
export type WellKnownType = "Struct" | "Value" | "Timestamp" | "Empty";

/** The type of a field, resolved: what a name refers to is known. */
export type FieldType =
  | { readonly kind: "scalar"; readonly name: ScalarType }
  | { readonly kind: "wellKnown"; readonly name: WellKnownType }
  | { readonly kind: "message"; readonly name: string }
  | { readonly kind: "enum"; readonly name: string }
  | { readonly kind: "map"; readonly value: FieldType };

/** One field. `jsonName` is its name in ProtoJSON: in lowerCamelCase, or what `json_name` says. */
export interface ProtoField {
  readonly name: string;
  readonly jsonName: string;
  readonly number: number;
  readonly type: FieldType;
  readonly repeated: boolean;
  /** Written `optional`: set and default are different things. */
  readonly optional: boolean;
  /** Marked `(google.api.field_behavior) = REQUIRED`. */
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly oneof: string | undefined;
  readonly comment: string;
}

/** An enum and its values in the order of the file. */
export interface ProtoEnum {
  readonly name: string;
  readonly comment: string;
  readonly values: readonly { readonly name: string; readonly number: number; readonly comment: string }[];
}

/** A service and its methods in the order of the file. */
export interface ProtoService {
  readonly name: string;
  readonly methods: readonly ProtoMethod[];
}

/** One rpc with its HTTP rules, the main one first. */
export interface ProtoMethod {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  readonly serverStreaming: boolean;
  readonly http: readonly { readonly verb: string; readonly path: string; readonly body: string | undefined }[];
  readonly signature: string | undefined;
  readonly comment: string;
}

/**
 * The ProtoJSON name of a field.
 *
 * @param name - A snake_case field name.
 * @returns The lowerCamelCase form: `oauth2_metadata_url` → `oauth2MetadataUrl`.
 */
export function jsonNameOf(name: string): string {
  return name.replace(/_+(.)/g, (_, letter: string) => letter.toUpperCase());
}
