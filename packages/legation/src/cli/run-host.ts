import type { GrpcHandler } from "../bindings/grpc/handler.ts";
import type { HttpHandler } from "../bindings/http/exchange.ts";
import type { Host, ServeOptions } from "../hosts/node/serve.ts";
import type { ServePush } from "../hosts/node/serve-push.ts";
import type { Agent } from "../server/agent.ts";
import type { CommandContext } from "./command.ts";
import { COMMON_OPTIONS, type OptionName } from "./options.ts";

/** Options of the commands that run a server. */
export const SERVER_OPTIONS: readonly OptionName[] = [
  ...COMMON_OPTIONS,
  "port",
  "host",
  "store",
  "allow-webhooks",
  "webhook-key",
  "no-push",
  "v0_3",
];

/** What a command that runs a server adds. */
export interface RunHostOptions {
  readonly store: string;
  /** Tells who calls; absent: nobody in particular. */
  readonly authenticate?: ServeOptions["authenticate"];
  /** Around the handler of every request. */
  readonly wrap?: (handler: HttpHandler) => HttpHandler;
  /** Around the handler of every call over gRPC. */
  readonly wrapGrpc?: (handler: GrpcHandler) => GrpcHandler;
  /** Called before the first request can come through. */
  readonly onReady?: (host: Host) => void;
}

/**
 * Serves agents until a signal comes, then stops in good order. When the port is open it prints
 * `listening http://127.0.0.1:4000` on stdout, and nothing else there.
 */
export async function runHost(
  context: CommandContext,
  agents: readonly Agent[],
  options: RunHostOptions,
): Promise<void> {
  const { settings, io, signal, messages } = context;
  const { serve } = await import("../hosts/node/serve.ts");
  const compat = settings.flag("v0_3") ? (await import("../compat/v0_3/v0-3.ts")).v0_3() : undefined;
  const host = await serve(agents, {
    port: settings.count("port", 0, 65_535),
    host: settings.text("host"),
    store: options.store,
    authenticate: options.authenticate,
    compat,
    push: settings.flag("no-push") ? false : pushOf(settings),
    ...(options.wrap === undefined ? {} : { wrap: options.wrap }),
    ...(options.wrapGrpc === undefined ? {} : { grpc: { wrap: options.wrapGrpc } }),
  });
  options.onReady?.(host);
  await io.out(`listening ${host.url}\n`);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
  context.report.debug(messages.stopping);
  await host.close();
}

/** Strict, but for what the operator opens: a command that serves calls nothing inside of the network by itself. */
function pushOf(settings: CommandContext["settings"]): ServePush {
  const encryptionKeys = settings.list("webhook-key");
  return { allow: settings.list("allow-webhooks"), ...(encryptionKeys.length === 0 ? {} : { encryptionKeys }) };
}
