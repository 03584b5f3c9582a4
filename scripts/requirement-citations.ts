// Holds the checks of conformance/ to the requirements that they cite.

/** What the gate needs to know of a requirement. */
export interface GatedRequirement {
  readonly id: string;
  readonly section: string;
  readonly role: "agent" | "client";
  readonly level: "MUST" | "SHOULD";
  readonly observable: boolean;
  readonly reason?: string | undefined;
}

/** What the gate needs to know of a check. */
export interface GatedCheck {
  readonly id: string;
  readonly title: string;
  readonly verifies: readonly string[];
}

/** The verdict. */
export interface CitationReport {
  /** One line each; empty when all holds. */
  readonly problems: readonly string[];
  /** One line of numbers. */
  readonly summary: string;
}

function duplicates(ids: readonly string[]): string[] {
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))];
}

function requirementProblems(requirements: readonly GatedRequirement[], cited: ReadonlySet<string>): string[] {
  const problems = duplicates(requirements.map(({ id }) => id)).map((id) => `requirement ${id} is there twice`);
  for (const { id, section, role, observable, reason } of requirements) {
    if (!/^\d+(\.\d+)*\/[a-z0-9-]+$/.test(id)) problems.push(`requirement ${id} is not of the form 3.1.5/name`);
    if (!id.startsWith(`${section}/`)) problems.push(`requirement ${id} stands in section ${section}`);
    if (!observable && (reason ?? "") === "") problems.push(`requirement ${id} is not observable, for no reason`);
    if (observable && reason !== undefined)
      problems.push(`requirement ${id} is observable, and has a reason not to be`);
    if (observable && role === "agent" && !cited.has(id)) problems.push(`requirement ${id} is cited by no check`);
    if (!observable && cited.has(id)) problems.push(`requirement ${id} is cited by a check, yet it is not observable`);
  }
  return problems;
}

function checkProblems(checks: readonly GatedCheck[], known: ReadonlySet<string>): string[] {
  const problems = duplicates(checks.map(({ id }) => id)).map((id) => `check ${id} is there twice`);
  for (const { id, title, verifies } of checks) {
    if (!/^\d+(\.\d+)*\/[\w.-]+$/.test(id)) problems.push(`check ${id} is not of the form 3.1.5/name`);
    if (!/^(MUST|SHOULD)( NOT)? /.test(title)) problems.push(`check ${id} says neither MUST nor SHOULD: ${title}`);
    if (verifies.length === 0) problems.push(`check ${id} verifies nothing`);
    for (const cited of verifies)
      if (!known.has(cited)) problems.push(`check ${id} cites ${cited}, which is no requirement`);
  }
  return problems;
}

/**
 * Checks that every observable requirement of an agent is cited, and nothing else is.
 *
 * @throws Error when there are no requirements or no checks at all: the gate then looks in the wrong place
 */
export function checkCitations(
  requirements: readonly GatedRequirement[],
  checks: readonly GatedCheck[],
): CitationReport {
  if (requirements.length === 0 || checks.length === 0) {
    throw new Error(
      `read ${requirements.length} requirements and ${checks.length} checks: the gate looks in the wrong place`,
    );
  }
  const cited = new Set(checks.flatMap(({ verifies }) => verifies));
  const known = new Set(requirements.map(({ id }) => id));
  const agent = requirements.filter(({ role }) => role === "agent");
  const observable = agent.filter((requirement) => requirement.observable);
  const musts = observable.filter(({ level }) => level === "MUST");
  return {
    problems: [...requirementProblems(requirements, cited), ...checkProblems(checks, known)],
    summary:
      `requirements: ${requirements.length}, of them ${agent.length} of agents; ${observable.length} observable ` +
      `(${musts.length} MUST), ${observable.filter(({ id }) => cited.has(id)).length} cited by ${checks.length} checks`,
  };
}
