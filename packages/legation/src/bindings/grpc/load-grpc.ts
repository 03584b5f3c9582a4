/** Loads the gRPC client library, which is an optional peer: nobody pays for it who does not call over gRPC. */
import { LocalError } from "../../operations/errors.ts";

/** The library as this room uses it. */
export type GrpcLibrary = typeof import("@grpc/grpc-js");

const PACKAGE = "@grpc/grpc-js";

/** True where the library is installed. Nothing is loaded. */
export function isGrpcInstalled(): boolean {
  try {
    import.meta.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** Loads the library. @throws LocalError CONFIGURATION that names the package where it is not installed */
export async function loadGrpc(): Promise<GrpcLibrary> {
  try {
    return await import("@grpc/grpc-js");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new LocalError("CONFIGURATION", `calling over GRPC needs ${PACKAGE}; npm install ${PACKAGE}`, {
      metadata: { package: PACKAGE },
      cause,
    });
  }
}
