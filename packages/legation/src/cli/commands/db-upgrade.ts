import type { Command } from "../command.ts";
import { DATABASE_OPTIONS, withDatabase } from "../open-database.ts";
import { formatField } from "../text-output.ts";

/** `legation db upgrade`: brings the schema of a store up to date, or prints what that takes. */
export const dbUpgrade: Command = {
  path: "db upgrade",
  options: [...DATABASE_OPTIONS, "sql"],
  examples: [
    "db upgrade --store sqlite:./planner.db",
    "db upgrade --store postgres://user:password@host:5432/agents --sql",
  ],
  async run(context) {
    const { report, settings } = context;
    await withDatabase(context, async (database, kind) => {
      if (settings.flag("sql")) {
        const sql = await database.sql();
        await (report.isJson ? report.json(JSON.stringify({ store: kind, sql })) : report.text(sql));
        return;
      }
      const taken = await database.upgrade();
      const { version } = await database.status();
      const steps = taken.map((step) => ({ version: step.version, name: step.name }));
      if (report.isJson) {
        await report.json(JSON.stringify({ store: kind, version, taken: steps }));
        return;
      }
      await report.text(formatField("Store", kind));
      await report.text(formatField("Schema version", String(version)));
      const names = steps.map((step) => `${step.version} ${step.name}`).join(", ");
      await report.text(formatField("Taken", names === "" ? "none" : names));
    });
  },
};
