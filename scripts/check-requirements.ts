// `npm run check` runs this: every requirement of an agent that can be observed is cited by a check, and no check
// cites what is no requirement.

import { CHECKS } from "../packages/legation/src/conformance/checks.ts";
import { REQUIREMENTS } from "../packages/legation/src/conformance/requirements.ts";
import { checkCitations } from "./requirement-citations.ts";

const { problems, summary } = checkCitations(REQUIREMENTS, CHECKS);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(summary);
