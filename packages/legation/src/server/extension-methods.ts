/** The methods that extensions add to JSON-RPC. */
import type { ExtraMethod } from "../bindings/http/binding-options.ts";
import { isJsonObject, type JsonValue } from "../model/json.ts";
import type { Call } from "../operations/call.ts";
import { A2AError, LocalError } from "../operations/errors.ts";
import type { Extension, ExtensionMethod } from "../operations/extension.ts";
import { interceptOne } from "../operations/intercept.ts";
import type { Interceptor } from "../operations/interceptor.ts";
import { METHODS } from "../operations/methods.ts";
import type { Service } from "../operations/service.ts";

/**
 * Finds a method of an extension by its name; undefined where no plug-in has any.
 *
 * A call must ask for the extension, as for everything that it brings, and passes the interceptors of all operations.
 *
 * @throws LocalError CONFIGURATION for a name that the protocol or another extension has
 */
export function extensionMethods(
  plugins: readonly Extension[],
  service: Service,
  interceptors: readonly Interceptor[] = [],
): ((name: string) => ExtraMethod | undefined) | undefined {
  const methods = new Map<string, ExtraMethod>();
  for (const plugin of plugins) {
    for (const [name, method] of Object.entries(plugin.methods ?? {})) {
      if (Object.hasOwn(METHODS, name) || methods.has(name)) {
        throw new LocalError(
          "CONFIGURATION",
          `the method ${name} of the extension ${plugin.uri} is taken; give it a name of its own`,
        );
      }
      const run = guarded(plugin, method, service);
      const carryOut = interceptOne(name, ({ request, call }) => run(request, call), interceptors);
      methods.set(name, carryOut as ExtraMethod);
    }
  }
  return methods.size === 0 ? undefined : (name) => methods.get(name);
}

function guarded(
  { uri }: Extension,
  method: ExtensionMethod,
  service: Service,
): (params: unknown, call: Call) => Promise<JsonValue> {
  return async (params, call) => {
    if (!call.extensions.includes(uri)) {
      throw new A2AError(
        "EXTENSION_SUPPORT_REQUIRED",
        `this method is of the extension ${uri}; send A2A-Extensions: ${uri}`,
        {
          metadata: { requiredExtensions: uri },
        },
      );
    }
    if (!isJsonObject(params)) throw new A2AError("INVALID_PARAMS", "params must be an object");
    call.activeExtensions = [uri];
    return method(params, { call, service });
  };
}
