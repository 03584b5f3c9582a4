/** The message metadata under this key, `{ "skillId": "…" }`, says which skill is meant. */
export const SKILL_EXTENSION = "urn:legation:extension:skill:v1";

/**
 * Declared by an agent that carries out a message once, however often it is sent under one messageId: a client may
 * then send it again after a lost connection.
 */
export const IDEMPOTENT_SEND_EXTENSION = "urn:legation:extension:idempotent-send:v1";
