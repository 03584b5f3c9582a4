import { FAULT_FORMS, type Fault, parseFault } from "../testing/rehearsal-faults.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";

/**
 * Reads `--fault`; `none` stands for no fault.
 *
 * @throws A usage error that shows the forms.
 */
export function readFaults({ settings, messages }: CommandContext): readonly Fault[] {
  return settings.list("fault").flatMap((text) => {
    if (text === "none") return [];
    const fault = parseFault(text);
    if (fault === undefined)
      throw usageError(messages.wrongValue("--fault", text, `${messages.aFault} ${FAULT_FORMS}`));
    return [fault];
  });
}
