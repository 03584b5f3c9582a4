import assert from "node:assert/strict";
import test from "node:test";
import { PUSH_DEFAULTS } from "./push-options.ts";
import { parseRetryAfter, retryDelayMs } from "./push-retry.ts";

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

test("Retry-After is read as seconds or as a date, and as nothing where it is neither", () => {
  const asked: Readonly<Record<string, number>> = {
    "0": 0,
    "120": 120_000,
    " 7 ": 7_000,
    "315360000": 315_360_000_000,
    "99999999999999999999": 999_999_999_999_000,
    "Thu, 01 Jan 2026 00:01:00 GMT": 60_000,
    "Thursday, 01-Jan-26 00:01:00 GMT": 60_000,
    "Thu, 01 Jan 1970 00:00:00 GMT": 0,
    "Fri, 01 Jan 2036 00:00:00 GMT": Date.UTC(2036, 0, 1) - NOW,
    "": 0,
    "-5": 0,
    "1.5": 0,
    "1e9": 0,
    "2099": 2_099_000,
    "2099-12-31": 0,
    "5 seconds": 0,
    soon: 0,
    "Thu, 99 Foo 2026 GMT": 0,
  };
  for (const [header, ms] of Object.entries(asked)) assert.equal(parseRetryAfter(header, NOW), ms, header);
  assert.equal(parseRetryAfter(undefined, NOW), 0);
});

test("the next attempt is anywhere up to the limit, and never before what the server asked for, up to a day", () => {
  assert.equal(
    retryDelayMs(PUSH_DEFAULTS, 1, () => 0),
    1,
  );
  assert.equal(
    retryDelayMs(PUSH_DEFAULTS, 1, () => 0.5),
    1_000,
  );
  assert.equal(
    retryDelayMs(PUSH_DEFAULTS, 3, () => 0.5),
    9_000,
  );
  assert.equal(
    retryDelayMs(PUSH_DEFAULTS, 1, () => 0.5, 60_000),
    60_000,
  );
  assert.equal(
    retryDelayMs(PUSH_DEFAULTS, 1, () => 0.5, 315_360_000_000),
    DAY_MS,
  );
  for (const attempts of [50, 1_000, 100_000]) {
    assert.equal(
      retryDelayMs(PUSH_DEFAULTS, attempts, () => 0),
      1,
    );
    assert.equal(
      retryDelayMs(PUSH_DEFAULTS, attempts, () => 0.999),
      Math.round(0.999 * 7 * DAY_MS),
    );
  }
});
