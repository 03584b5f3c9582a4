/** §3.1 and §3.2: the operations and their parameters. */
import { clientMust, clientShould, must, type Requirement, should, unseen } from "./requirement.ts";

const SEND: readonly Requirement[] = [
  must("3.1.1/task-or-message", "SendMessage answers with exactly one of a Task and a Message."),
  must(
    "3.1.1/content-type",
    "A message with a media type that the agent does not read gets ContentTypeNotSupportedError.",
  ),
  must("3.1.1/terminal-task", "A message to a task in a terminal state gets UnsupportedOperationError."),
  must("3.1.1/unknown-task", "A message to a task that does not exist or is not the caller's gets TaskNotFoundError."),

  must("3.1.2/opens-stream", "SendStreamingMessage opens a stream of updates."),
  must("3.1.2/message-stream", "A stream that answers with a Message holds exactly that one Message and then closes."),
  must("3.1.2/begins-with-task", "A stream of a task begins with the Task object."),
  must("3.1.2/only-updates-follow", "After its Task a stream holds status and artifact updates and nothing else."),
  must("3.1.2/closes-at-terminal", "The stream closes when the task reaches a terminal state."),
  must("3.1.2/immediate-feedback", "Progress and intermediate results are sent while the agent still works."),
  must("3.1.2/terminal-task", "A streamed message to a terminal task gets UnsupportedOperationError."),
  must("3.1.2/unknown-task", "A streamed message to an unknown task gets TaskNotFoundError."),
  must("3.1.2/content-type", "A streamed message with an unreadable media type gets ContentTypeNotSupportedError."),
];

const TASKS: readonly Requirement[] = [
  must("3.1.3/current-state", "GetTask gives the current state and the artifacts of the task."),
  must("3.1.3/unknown-task", "GetTask of an unknown task gets TaskNotFoundError."),

  must(
    "3.1.4/artifacts-omitted",
    "Without includeArtifacts no listed task has an artifacts field, not even an empty one.",
  ),
  should("3.1.4/artifacts-included", "With includeArtifacts the listed tasks carry their artifacts."),
  must("3.1.4/next-page-token-present", "nextPageToken is present in every answer of ListTasks."),
  must("3.1.4/next-page-token-empty", "On the last page nextPageToken is the empty string."),
  must("3.1.4/visible-tasks-only", "ListTasks gives only tasks that the authenticated caller may see."),
  must("3.1.4/cursor-pagination", "Following nextPageToken gives every task once."),
  must("3.1.4/newest-first", "Listed tasks are ordered by the time of their status, the newest first."),
  must("3.1.4/page-size-bounds", "pageSize is 1 to 100, and a page never holds more tasks than it says."),
  must("3.1.4/page-size-default", "Without pageSize a page holds at most 50 tasks."),
  must("3.1.4/filter-context", "contextId gives the tasks of that context alone."),
  must("3.1.4/filter-status", "status gives the tasks in that state alone."),
  must("3.1.4/filter-time", "statusTimestampAfter gives the tasks whose status is not older than that time."),
  must("3.1.4/total-size", "totalSize counts the tasks that match before they are cut into pages."),
  clientShould("3.1.4/checks-empty-token", "A client takes the empty nextPageToken for the end of the list."),

  must("3.1.5/returns-task", "CancelTask gives the task with its updated state."),
  must("3.1.5/terminal-not-cancelable", "Cancelling a task that has ended otherwise gets TaskNotCancelableError."),
  must("3.1.5/unknown-task", "Cancelling an unknown task gets TaskNotFoundError."),

  must("3.1.6/begins-with-task", "A subscription begins with the Task as it is at that time."),
  must("3.1.6/ends-at-terminal", "A subscription ends when the task reaches a terminal state."),
  must("3.1.6/terminal-task", "Subscribing to a terminal task gets UnsupportedOperationError."),
  must("3.1.6/unknown-task", "Subscribing to an unknown task gets TaskNotFoundError."),
  must("3.1.6/any-open-task", "Any task that is not terminal can be subscribed to."),
];

const PUSH: readonly Requirement[] = [
  must("3.1.7/creates", "CreateTaskPushNotificationConfig gives the created configuration with its id."),
  must("3.1.7/delivers", "Updates of the task are posted to the configured webhook."),
  must("3.1.7/persists", "A configuration stays until the task completes or the configuration is deleted."),
  must("3.1.7/unknown-task", "A configuration for an unknown task gets TaskNotFoundError."),
  must("3.1.8/returns-details", "GetTaskPushNotificationConfig gives the webhook URL and the settings."),
  must("3.1.8/unknown-config", "Getting a configuration that does not exist, or is not the caller's, fails."),
  must("3.1.9/lists-all", "ListTaskPushNotificationConfigs gives every active configuration of the task."),
  must("3.1.9/unknown-task", "Listing the configurations of an unknown task gets TaskNotFoundError."),
  must("3.1.10/removes", "A deleted configuration is gone for good."),
  must("3.1.10/idempotent", "Deleting a configuration again has the same effect as deleting it once."),
  must("3.1.10/unknown-task", "Deleting a configuration of an unknown task gets TaskNotFoundError."),
];

const EXTENDED_CARD: readonly Requirement[] = [
  must("3.1.11/returns-card", "GetExtendedAgentCard gives a complete card to an authenticated caller."),
  clientMust(
    "3.1.11/authenticates",
    "A client authenticates by a scheme of the public card when it asks for the extended one.",
  ),
  clientShould(
    "3.1.11/replaces-card",
    "A client puts the extended card in the place of the public one that it has cached.",
  ),
];

const PARAMETERS: readonly Requirement[] = [
  must("3.2.2/waits-for-end", "A blocking send waits until the task is terminal."),
  must("3.2.2/waits-for-interruption", "A blocking send also returns when the task waits for input or authorisation."),
  must("3.2.2/latest-state", "A blocking send answers with the latest state, its status and all artifacts."),
  must(
    "3.2.2/returns-immediately",
    "With returnImmediately the send answers when the task is made, though it still runs.",
  ),
  must("3.2.2/immediately-not-for-messages", "returnImmediately changes nothing where a Message is the answer."),
  must("3.2.2/immediately-not-for-streams", "returnImmediately changes nothing on a stream."),
  ...unseen(
    "what an agent could have written otherwise cannot be told from what it wrote",
    should("3.2.2/output-modes", "The agent fits its output to the media types that the client accepts."),
  ),

  should("3.2.4/zero-omits", "With historyLength 0 the history field is left out."),
  must("3.2.4/at-most", "No more than historyLength messages are returned, the most recent ones."),

  must("3.2.6/case-insensitive-names", "The names of service parameters are read in any case."),
  ...unseen(
    "a rule for the documents of custom bindings",
    must("3.2.6/custom-binding", "A custom binding says how service parameters travel."),
  ),
];

/** Every requirement of §3.1 and §3.2. */
export const OPERATIONS: readonly Requirement[] = [...SEND, ...TASKS, ...PUSH, ...EXTENDED_CARD, ...PARAMETERS];
