import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCitations, type GatedCheck, type GatedRequirement } from "./requirement-citations.ts";

const must: GatedRequirement = { id: "3.1/a", section: "3.1", role: "agent", level: "MUST", observable: true };
const check: GatedCheck = { id: "3.1/one", title: "MUST do it", verifies: ["3.1/a"] };

const cases: readonly (readonly [string, readonly GatedRequirement[], readonly GatedCheck[], RegExp])[] = [
  ["no check cites", [must, { ...must, id: "3.1/b" }], [check], /3\.1\/b is cited by no check/],
  ["cited and unknown", [must], [{ ...check, verifies: ["3.1/a", "3.1/x"] }], /cites 3\.1\/x, which is no requirement/],
  ["twice", [must, must], [check], /requirement 3\.1\/a is there twice/],
  ["a check twice", [must], [check, check], /check 3\.1\/one is there twice/],
  [
    "unseen for no reason",
    [must, { ...must, id: "3.1/b", observable: false }],
    [check],
    /3\.1\/b is not observable, for no reason/,
  ],
  [
    "unseen, yet cited",
    [{ ...must, observable: false, reason: "dark" }],
    [check],
    /is cited by a check, yet it is not observable/,
  ],
  ["observable, with a reason", [{ ...must, reason: "dark" }], [check], /has a reason not to be/],
  ["in another section", [{ ...must, section: "3.2" }], [check], /stands in section 3\.2/],
  ["an id of no section", [must, { ...must, id: "b", section: "b" }], [check], /not of the form/],
  ["a title without a level", [must], [{ ...check, title: "does it" }], /neither MUST nor SHOULD/],
  ["a check of nothing", [must], [check, { ...check, id: "3.1/two", verifies: [] }], /verifies nothing/],
];
for (const [what, requirements, checks, expected] of cases) {
  test(`the requirement gate catches: ${what}`, () => {
    assert.match(checkCitations(requirements, checks).problems.join("\n"), expected);
  });
}

test("requirements of clients and unseen ones need no check", () => {
  const client: GatedRequirement = { ...must, id: "3.1/c", role: "client" };
  const unseen: GatedRequirement = { ...must, id: "3.1/u", observable: false, reason: "dark" };
  const { problems, summary } = checkCitations([must, client, unseen], [check]);
  assert.deepEqual(problems, []);
  assert.match(summary, /requirements: 3, of them 2 of agents; 1 observable \(1 MUST\), 1 cited by 1 checks/);
});

test("the requirement gate refuses to pass on nothing", () => {
  assert.throws(() => checkCitations([], [check]), /read 0 requirements and 1 checks/);
  assert.throws(() => checkCitations([must], []), /read 1 requirements and 0 checks/);
});
