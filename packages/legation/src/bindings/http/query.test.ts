import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeQuery, parseQuery, percentDecode, queryValue } from "./query.ts";

const FIELDS = {
  contextId: "string",
  status: "enum",
  pageSize: "number",
  statusTimestampAfter: "timestamp",
  includeArtifacts: "boolean",
} as const;

test("§11.5 a query is read by the types of its fields, in both spellings", () => {
  assert.deepEqual(
    parseQuery(
      "context_id=a+b%26&status=2&page_size=7&statusTimestampAfter=2026-01-02T03:04:05+01:00&include_artifacts=true&x=1",
      FIELDS,
    ),
    {
      contextId: "a b&",
      status: 2,
      pageSize: "7",
      statusTimestampAfter: "2026-01-02T03:04:05+01:00",
      includeArtifacts: true,
    },
  );
});

test("empty values are unset, unknown parameters and inherited names are ignored", () => {
  assert.deepEqual(parseQuery("contextId=&includeArtifacts=&pageSize&constructor=1&__proto__=2&&=", FIELDS), {});
});

test("what cannot be read is INVALID_PARAMS with the field", () => {
  const rows: [string, string][] = [
    ["includeArtifacts=yes", 'includeArtifacts: "yes" is no boolean; use true or false'],
    ["contextId=%E0%A4", "contextId: is not valid percent-encoding of UTF-8"],
    ["contextId=a&context_id=b", "contextId: is given twice with different values"],
  ];
  for (const [query, message] of rows)
    assert.throws(() => parseQuery(query, FIELDS), { code: "INVALID_PARAMS", message });
  assert.deepEqual(parseQuery("contextId=a&contextId=a", FIELDS), { contextId: "a" });
});

test("one parameter is found by its name in any case", () => {
  assert.equal(queryValue("a=1&A2A-Version=1.0", "a2a-version"), "1.0");
  assert.equal(queryValue("a2a-version", "a2a-version"), "");
  assert.equal(queryValue("b=1", "a2a-version"), undefined);
});

test("writing and decoding are exact", () => {
  assert.equal(
    encodeQuery({ contextId: "a b&+", pageSize: 0, status: undefined, pageToken: "" }, [
      "contextId",
      "pageSize",
      "status",
      "pageToken",
    ]),
    "?contextId=a%20b%26%2B&pageSize=0",
  );
  assert.equal(encodeQuery({}, ["contextId"]), "");
  assert.equal(percentDecode("%"), undefined);
});
