/** What is wrong with a card, beyond what the validator says: what is valid and still will not work. */

import { parseGrpcAddress } from "../bindings/grpc/address.ts";
import type { AgentCard, SecurityRequirement } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { explainValue, type Problem } from "./explain-value.ts";

/** Findings about a card. Errors are what the protocol forbids, warnings what will hurt. */
export async function lintCard(
  value: JsonValue,
): Promise<{ readonly version: string; readonly problems: readonly Problem[] } | undefined> {
  const explained = await explainValue(value);
  if (explained?.what !== "AgentCard") return undefined;
  const { version, corrected, problems } = explained;
  const card = corrected as AgentCard | undefined;
  const own = card === undefined ? [] : [...interfaces(card), ...security(card), ...skills(card)];
  return { version, problems: [...problems, ...own] };
}

function warning(field: string, description: string): Problem {
  return { level: "warning", field, description };
}

function interfaces({ supportedInterfaces, provider }: AgentCard): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [index, { url, protocolBinding, protocolVersion }] of supportedInterfaces.entries()) {
    const field = `supportedInterfaces[${index}]`;
    if (!/^\d+\.\d+$/.test(protocolVersion)) {
      problems.push(
        warning(`${field}.protocolVersion`, `${JSON.stringify(protocolVersion)} should be Major.Minor, such as 1.0`),
      );
    }
    if (protocolBinding === "GRPC") {
      if (parseGrpcAddress(url) === undefined)
        problems.push({ level: "error", field: `${field}.url`, description: `${JSON.stringify(url)} is no host:port` });
      continue;
    }
    if (!["JSONRPC", "HTTP+JSON"].includes(protocolBinding)) {
      const known = /^https?:/.test(protocolBinding) ? undefined : "use JSONRPC, HTTP+JSON, GRPC, or a URI of your own";
      if (known !== undefined)
        problems.push(
          warning(`${field}.protocolBinding`, `${JSON.stringify(protocolBinding)} is none that clients know: ${known}`),
        );
      continue;
    }
    if (!URL.canParse(url))
      problems.push({ level: "error", field: `${field}.url`, description: `${JSON.stringify(url)} is not absolute` });
    else if (new URL(url).protocol !== "https:" && !/^(localhost|127\.|\[::1\])/.test(new URL(url).hostname)) {
      problems.push(warning(`${field}.url`, `${url} is not encrypted: use https`));
    }
  }
  if (provider !== undefined && !URL.canParse(provider.url)) problems.push(warning("provider.url", "is no URL"));
  return problems;
}

function security(card: AgentCard): readonly Problem[] {
  const known = Object.keys(card.securitySchemes ?? {});
  const unknown = (requirements: readonly SecurityRequirement[] | undefined, field: string): readonly Problem[] =>
    (requirements ?? []).flatMap(({ schemes }, index) =>
      Object.keys(schemes ?? {})
        .filter((name) => !known.includes(name))
        .map(
          (name): Problem => ({
            level: "error",
            field: `${field}[${index}]`,
            description: `${name} is none of securitySchemes`,
          }),
        ),
    );
  const unused = known.length > 0 && (card.securityRequirements ?? []).length === 0;
  return [
    ...unknown(card.securityRequirements, "securityRequirements"),
    ...card.skills.flatMap((skill, index) =>
      unknown(skill.securityRequirements, `skills[${index}].securityRequirements`),
    ),
    ...(unused
      ? [warning("securityRequirements", "is empty, so that no scheme is asked for: name the ones that are")]
      : []),
  ];
}

function skills({ skills: all }: AgentCard): readonly Problem[] {
  const ids = all.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return [
    ...(twice === undefined ? [] : [warning("skills", `${JSON.stringify(twice)} is the id of two skills`)]),
    ...all.flatMap(({ tags }, index) =>
      tags.length === 0 ? [warning(`skills[${index}].tags`, "is empty: nobody finds the skill")] : [],
    ),
  ];
}
