/** One rule of the specification as data, and the short forms in which the lists of this room write it. */

/** One MUST (or MUST NOT, SHALL) or SHOULD of the specification, in our own words. */
export interface Requirement {
  /** Section and a name, `3.1.5/terminal-not-cancelable`. Stable: checks, reports and known-failures files cite it. */
  readonly id: string;
  /** Section of the specification, `3.1.5`. */
  readonly section: string;
  readonly level: "MUST" | "SHOULD";
  /** Who has to keep it. */
  readonly role: "agent" | "client";
  /** One sentence. */
  readonly text: string;
  /** False where no test over the wire can see whether it is kept. */
  readonly observable: boolean;
  /** Why it cannot be seen; undefined where it can. */
  readonly reason?: string | undefined;
}

function make(level: Requirement["level"], role: Requirement["role"], id: string, text: string): Requirement {
  return { id, section: id.slice(0, id.indexOf("/")), level, role, text, observable: true };
}

/** A MUST of agents. */
export function must(id: string, text: string): Requirement {
  return make("MUST", "agent", id, text);
}

/** A SHOULD of agents. */
export function should(id: string, text: string): Requirement {
  return make("SHOULD", "agent", id, text);
}

/** A MUST of clients. */
export function clientMust(id: string, text: string): Requirement {
  return make("MUST", "client", id, text);
}

/** A SHOULD of clients. */
export function clientShould(id: string, text: string): Requirement {
  return make("SHOULD", "client", id, text);
}

/** Marks requirements that no test over the wire can observe, all for one reason. */
export function unseen(reason: string, ...requirements: readonly Requirement[]): readonly Requirement[] {
  return requirements.map((requirement) => ({ ...requirement, observable: false, reason }));
}
