/** What `legation replay --check` and `legation serve` are given. */
import type { Agent } from "../../src/server/agent.ts";
import { createDeployAgent } from "./deploy-agents.ts";

export const deploy: Agent = createDeployAgent("3");
