// The face "./testing": test agents, clients and stores.

export { createFakeClock, type FakeClock } from "./fake-clock.ts";
export { type Pair, type PairOptions, pair } from "./pair.ts";
export type { PairPush } from "./pair-push.ts";
export {
  createRehearsalAgent,
  REHEARSAL_EXTENSION,
  type RehearsalAgent,
  type RehearsalOptions,
} from "./rehearsal-agent.ts";
export { type StoreContractOptions, storeContract } from "./store-contract.ts";
