// The face "./express": agents as a middleware of an Express application.

export {
  createExpressAgents,
  type ExpressAgents,
  type ExpressAgentsOptions,
} from "./express-agents.ts";
export type { ExpressMiddleware, ExpressRequest } from "./express-middleware.ts";
