/**
 * What is decided about a request before anything is stored: nothing of a refused request is kept.
 */
import type { Scope } from "../engine/engine.ts";
import type { Hooks, InlineHook } from "../engine/push-hooks.ts";
import type { DedupeKey } from "../engine/store.ts";
import type { Message, SendMessageRequest } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import type { Call } from "../operations/call.ts";
import { invalidField } from "../operations/errors.ts";
import { activeExtensions, requireExtensions } from "../operations/extensions.ts";
import { hasInputModes, requireInputModes } from "../operations/media-type.ts";
import type { AgentOptions } from "./agent-options.ts";
import { DEFAULT_MODES, declaredExtensions, skillsOf } from "./card.ts";
import type { AdmittedSkill } from "./extended-skills.ts";
import { admitMetadata, pluginsOf } from "./extension-stamps.ts";
import { skillIdOf } from "./message-handle.ts";
import { encodeMessageMeta } from "./message-meta.ts";
import { admitInlineHook } from "./push-operations.ts";
import { hashJson } from "./request-hash.ts";

/** A send request that may be carried out. */
export interface Admitted {
  readonly scope: Scope;
  readonly message: Message;
  /** Kept beside the message. */
  readonly meta: JsonObject;
  /** Undefined when the agent wants every request to run. */
  readonly dedupe: DedupeKey | undefined;
  readonly historyLength: number | undefined;
  /** The webhook that is registered with it. */
  readonly hook: InlineHook | undefined;
}

/** Decides about the requests to one agent. */
export interface Admission {
  /** What is the caller's, in the store of the agent. */
  scope(tenant: string | undefined, call: Call): Scope;
  /**
   * Sets the active extensions of a call and refuses it when it lacks a required one.
   *
   * @throws EXTENSION_SUPPORT_REQUIRED
   */
  extensions(call: Call): readonly string[];
  /** True when a message may be of a skill that only the extended card of its caller has. */
  needsExtendedSkills(message: Message, call: Call): boolean;
  /**
   * Decides whether a send request may be carried out.
   *
   * @param given what takes a while to find out, where it was needed
   * @throws EXTENSION_SUPPORT_REQUIRED, INVALID_PARAMS, CONTENT_TYPE_NOT_SUPPORTED, PUSH_NOTIFICATION_NOT_SUPPORTED
   */
  message(request: SendMessageRequest, call: Call, given?: FoundForAdmission): Admitted;
}

/** What is found out about a request before it is decided upon. */
export interface FoundForAdmission {
  /** The message as {@link digestLongTexts} gives it, where it has such texts. */
  readonly digested?: object | undefined;
  /** The skills of the extended card that the caller may see, where the public ones do not admit the message. */
  readonly extended?: readonly AdmittedSkill[] | undefined;
}

/**
 * Makes the admission of an agent.
 *
 * @param hooks where webhooks are registered; undefined where there are none
 */
export function createAdmission(options: AgentOptions, hooks: Hooks | undefined): Admission {
  const declared = declaredExtensions(options);
  const plugins = pluginsOf(options.extensions);
  const byDefault = options.modes?.input ?? DEFAULT_MODES;
  const skills = skillsOf(options).map(({ id, inputModes = byDefault }): AdmittedSkill => ({ id, inputModes }));
  const all = modesOf(byDefault, skills);

  function scope(tenant: string | undefined, call: Call): Scope {
    // Reading needs no extension, but what was asked for is echoed all the same (§4.6).
    call.activeExtensions ??= activeExtensions(call.extensions, declared);
    return { tenant: tenant ?? "", owner: call.principal.owner, agent: options.name };
  }

  function extensions(call: Call): readonly string[] {
    requireExtensions(call.extensions, declared);
    const active = activeExtensions(call.extensions, declared);
    call.activeExtensions = active;
    return active;
  }

  /** The media types that the agent reads in a message: those of the skill that it names, else of all skills together. */
  function inputModes(message: Message, extended: readonly AdmittedSkill[]): readonly string[] {
    const skillId = skillIdOf(message);
    if (skillId === undefined) return extended.length === 0 ? all : modesOf(all, extended);
    const isNamed = ({ id }: AdmittedSkill): boolean => id === skillId;
    const skill = skills.find(isNamed) ?? extended.find(isNamed);
    if (skill !== undefined) return skill.inputModes;
    const known = [...new Set([...skills, ...extended].map(({ id }) => id))].join(", ");
    throw invalidField(
      "message.metadata",
      `names the unknown skill ${JSON.stringify(skillId)}; skills of this agent: ${known}`,
    );
  }

  return {
    scope,
    extensions,
    needsExtendedSkills(message, call) {
      if (options.extendedCard === undefined || call.principal.owner === "") return false;
      const skillId = skillIdOf(message);
      return skillId === undefined ? !hasInputModes(message, all) : !skills.some(({ id }) => id === skillId);
    },
    message(request, call, { digested, extended = [] } = {}) {
      const active = extensions(call);
      const { message, configuration } = request;
      if (message.role !== "ROLE_USER") {
        throw invalidField("message.role", `${message.role} is what the agent says; send ROLE_USER`);
      }
      admitHistoryLength("configuration.historyLength", configuration?.historyLength);
      const hook = admitInlineHook(request, call, hooks);
      admitMetadata(plugins, active, message);
      requireInputModes(message, inputModes(message, extended));
      const own = scope(request.tenant, call);
      return {
        scope: own,
        message,
        meta: encodeMessageMeta(request, call.principal, active),
        dedupe: dedupeKeyOf(options, own, request, digested),
        historyLength: configuration?.historyLength,
        hook,
      };
    },
  };
}

/** What can be read in all, no type twice. */
function modesOf(modes: readonly string[], skills: readonly AdmittedSkill[]): readonly string[] {
  return [...new Set([...modes, ...skills.flatMap(({ inputModes }) => inputModes)])];
}

/** @throws INVALID_PARAMS for a history length below 0 (§3.2.4) */
export function admitHistoryLength(field: string, historyLength: number | undefined): void {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return;
  throw invalidField(field, `${historyLength} is not a number of messages; send 0 or more, or leave it out for all`);
}

function dedupeKeyOf(
  options: AgentOptions,
  scope: Scope,
  request: SendMessageRequest,
  digested: object = request.message,
): DedupeKey | undefined {
  const { dedupe = true } = options;
  const { message, metadata } = request;
  if (dedupe === false || (typeof dedupe === "function" && !dedupe(message))) return undefined;
  // The agent is part of the hash: two agents of one host may get messages of one id.
  const hash = hashJson({ agent: scope.agent, message: digested, metadata });
  return { tenant: scope.tenant, owner: scope.owner, messageId: message.messageId, hash, text: undefined };
}
