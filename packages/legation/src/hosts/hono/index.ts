// The face "./hono": an agent as a route of a Hono application.

export { createHonoHandler, type HonoContext, type HonoOptions } from "./hono-handler.ts";
