import type { Catalogue, Command } from "./command.ts";

/** Every command by how it is typed, with the import that loads it. */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["card get", async () => (await import("./commands/card-get.ts")).cardGet],
  ["card lint", async () => (await import("./commands/card-lint.ts")).cardLint],
  ["card upgrade", async () => (await import("./commands/card-upgrade.ts")).cardUpgrade],
  ["config show", async () => (await import("./commands/config-show.ts")).configShow],
  ["conformance", async () => (await import("./commands/conformance.ts")).conformance],
  ["db status", async () => (await import("./commands/db-status.ts")).dbStatus],
  ["db upgrade", async () => (await import("./commands/db-upgrade.ts")).dbUpgrade],
  ["demo-server", async () => (await import("./commands/demo-server.ts")).demoServer],
  ["explain", async () => (await import("./commands/explain.ts")).explain],
  ["help", async () => (await import("./commands/help.ts")).help],
  ["outbox list", async () => (await import("./commands/outbox-list.ts")).outboxList],
  ["outbox redrive", async () => (await import("./commands/outbox-redrive.ts")).outboxRedrive],
  ["outbox show", async () => (await import("./commands/outbox-show.ts")).outboxShow],
  ["replay", async () => (await import("./commands/replay.ts")).replay],
  ["send", async () => (await import("./commands/send.ts")).send],
  ["serve", async () => (await import("./commands/serve.ts")).serveCommand],
  ["task authorize", async () => (await import("./commands/task-authorize.ts")).taskAuthorize],
  ["task cancel", async () => (await import("./commands/task-cancel.ts")).taskCancel],
  ["task fail", async () => (await import("./commands/task-fail.ts")).taskFail],
  ["task get", async () => (await import("./commands/task-get.ts")).taskGet],
  ["task list", async () => (await import("./commands/task-list.ts")).taskList],
  ["task restart-turn", async () => (await import("./commands/task-restart-turn.ts")).taskRestartTurn],
  ["task retry", async () => (await import("./commands/task-retry.ts")).taskRetry],
  ["task subscribe", async () => (await import("./commands/task-subscribe.ts")).taskSubscribe],
  ["version", async () => (await import("./commands/version.ts")).version],
  ["webhook listen", async () => (await import("./commands/webhook-listen.ts")).webhookListen],
]);

/** Other names of commands. */
export const ALIASES: ReadonlyMap<string, string> = new Map([["rehearse", "demo-server"]]);

/** The table for those that must not import it. */
export const CATALOGUE: Catalogue = {
  names: [...COMMANDS.keys()],
  load: async (words) => COMMANDS.get(ALIASES.get(words) ?? words)?.(),
};
