// The face "./v0_3": A2A 0.3 beside 1.0, and its objects in the form of 1.0 and back. Runs wherever JavaScript does.

export { methodOfOld, oldNameOf } from "./old-methods.ts";
export { OLD_VERSION, type OldForm, readRole, readState, writeRole, writeState } from "./old-words.ts";
export { type OldFault, readArtifact, readMessage, readPart, readStreamResponse, readTask } from "./read-old.ts";
export { readOldRequest } from "./read-old-request.ts";
export { upgradeCard } from "./upgrade-card.ts";
export { v0_3 } from "./v0-3.ts";
export { writeArtifact, writeMessage, writePart, writeStreamResponse, writeTask } from "./write-old.ts";
export { hybridCard, writeOldCard } from "./write-old-card.ts";
