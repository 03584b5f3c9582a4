/** Who calls a rehearsal by its token, and the fuller card that those who are known get. */
import { sha256Hex } from "../engine/digest.ts";
import type { AgentCard } from "../model/gen/types.ts";
import { ANONYMOUS, type Principal } from "../operations/call.ts";
import type { AgentOptions } from "../server/agent-options.ts";

/** What the card says of {@link rehearsalCaller}: a token may be brought, and need not. */
export const REHEARSAL_SECURITY: Pick<AgentOptions, "securitySchemes" | "securityRequirements"> = {
  securitySchemes: {
    bearer: {
      httpAuthSecurityScheme: {
        scheme: "Bearer",
        description: "Any token: who brings the same one is the same caller.",
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }, {}],
};

/** One example for each thing that a script can do. */
const EXAMPLES: readonly string[] = [
  '{"rehearse":[{"reply":"a message and no task"}]}',
  '{"rehearse":[{"state":"WORKING","text":"half way"},{"wait":500},{"end":"COMPLETED","text":"done"}]}',
  '{"rehearse":[{"stream":{"name":"a.txt","chunks":10,"bytes":16,"everyMs":100}}]}',
  '{"rehearse":[{"requestAuth":"may I?"},{"step":"once"},{"end":"REJECTED"}]}',
  '{"rehearse":[{"refuseCancel":true},{"ignoreAbort":true},{"wait":5000},{"throw":"on purpose"}]}',
];

/** Tells callers by any Bearer token, by its hash; who brings none is nobody in particular, and may do as much. */
export async function rehearsalCaller(request: { header(name: string): string | undefined }): Promise<Principal> {
  const token = /^bearer\s+(.+)$/i.exec(request.header("authorization") ?? "")?.[1];
  if (token === undefined) return ANONYMOUS;
  return { owner: await sha256Hex(new TextEncoder().encode(token)), scheme: "bearer" };
}

/** The fuller card: the public one, with an example of everything that a script can do. */
export function extendedRehearsalCard(_caller: Principal, card: AgentCard): AgentCard {
  const skills = card.skills.map((skill) =>
    skill.id === "rehearse" ? { ...skill, examples: [...(skill.examples ?? []), ...EXAMPLES] } : skill,
  );
  return { ...card, skills };
}
