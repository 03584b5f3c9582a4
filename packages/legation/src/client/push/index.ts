// The face "./push": receive push notifications.

export type { PushFeed } from "../push-feed.ts";
export {
  createPushReceiver,
  type NodeRequestLike,
  type NodeResponseLike,
  type PushNotification,
  type PushReceiver,
  type PushReceiverOptions,
  type SeenEvents,
} from "../push-receiver.ts";
export type { JwtCheck, PushCredentials, PushVerification, VerifiedJwt } from "../push-verification.ts";
