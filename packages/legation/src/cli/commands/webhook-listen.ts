import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createPushReceiver, type PushNotification } from "../../client/push-receiver.ts";
import type { PushVerification } from "../../client/push-verification.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { formatBlock, formatField } from "../text-output.ts";

/** `legation webhook listen`: prints the push notifications that come to a port of this machine. */
export const webhookListen: Command = {
  path: "webhook listen",
  options: [...COMMON_OPTIONS, "port", "host", "token", "bearer"],
  examples: ["webhook listen --port 4200", "webhook listen --port 4200 --token s3cret -o json"],
  async run(context) {
    const { settings, signal, report, messages } = context;
    const token = settings.text("token");
    const bearer = settings.text("bearer");
    const verify: PushVerification | "nothing" = (token ?? bearer) === undefined ? "nothing" : { token, bearer };
    if (verify === "nothing") report.warn(messages.believesAll);
    const receiver = createPushReceiver({
      verify,
      onEvent: (notification) => present(context, notification),
      onDuplicate: ({ eventId }) => report.debug(`${eventId} came again`),
      onRefused: (why) => report.warn(why),
    });
    const server = createServer((request, response) => void receiver.node(request, response));
    const port = settings.count("port", 0, 65_535) ?? 0;
    const host = settings.text("host") ?? "127.0.0.1";
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause) => {
        reject(new CliError("LEGATION_ERR_LISTEN", messages.cannotListen(host, port, cause.message), { cause }));
      });
      server.listen(port, host, resolve);
    });
    const name = host.includes(":") ? `[${host}]` : host;
    const listening = `listening http://${name}:${(server.address() as AddressInfo).port}/`;
    // Stdout is for events alone where a program reads them.
    if (report.isJson) report.progress(listening);
    else await report.text(`${listening}\n`);
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    server.close();
    server.closeAllConnections();
  },
};

/** In JSON the wire form of the event, one a line. */
async function present({ report }: CommandContext, { taskId, eventId, event }: PushNotification): Promise<void> {
  if (report.isJson) return report.json(JSON.stringify(event));
  const { task, statusUpdate, artifactUpdate, message } = event;
  let text = formatField("Task", taskId);
  if (eventId !== undefined) text += formatField("Event", eventId);
  const status = task?.status ?? statusUpdate?.status;
  if (status !== undefined) text += formatField("State", status.state);
  const said = status?.message ?? message;
  if (said !== undefined) text += formatBlock("Message", textOf(said.parts));
  if (artifactUpdate !== undefined) {
    const { artifact } = artifactUpdate;
    text += formatBlock(`Artifact ${artifact.name ?? artifact.artifactId}`, textOf(artifact.parts));
  }
  await report.text(`${text}\n`);
}

function textOf(parts: readonly { readonly text?: string; readonly data?: unknown; readonly url?: string }[]): string {
  return parts
    .map(({ text, data, url }) => text ?? url ?? (data === undefined ? "(bytes)" : JSON.stringify(data)))
    .join("");
}
