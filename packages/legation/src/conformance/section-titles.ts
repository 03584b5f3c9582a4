/** The titles of the specification's sections, for titles of checks. */

const TITLES: Readonly<Record<string, string>> = {
  "3.1.1": "Send Message",
  "3.1.2": "Send Streaming Message",
  "3.1.3": "Get Task",
  "3.1.4": "List Tasks",
  "3.1.5": "Cancel Task",
  "3.1.6": "Subscribe to Task",
  "3.1.7": "Create Push Notification Config",
  "3.1.8": "Get Push Notification Config",
  "3.1.9": "List Push Notification Configs",
  "3.1.10": "Delete Push Notification Config",
  "3.1.11": "Get Extended Agent Card",
  "3.2.2": "Send Message Configuration",
  "3.2.4": "History Length Semantics",
  "3.2.6": "Service Parameters",
  "3.3.1": "Idempotency",
  "3.3.2": "Error Handling",
  "3.3.4": "Capability Validation",
  "3.4.1": "Context Identifier Semantics",
  "3.4.2": "Task Identifier Semantics",
  "3.4.3": "Multi-Turn Conversation Patterns",
  "3.5.2": "Streaming Event Delivery",
  "3.6": "Versioning",
  "3.6.1": "Client Responsibilities",
  "3.6.2": "Server Responsibilities",
  "4": "Protocol Data Model",
  "4.1": "Core Objects",
  "4.2": "Streaming Events",
  "4.3.3": "Push Notification Payload",
  "4.4": "Agent Discovery Objects",
  "4.5": "Security Objects",
  "4.6.3": "Extension Versioning and Compatibility",
  "5.1": "Functional Equivalence",
  "5.4": "Error Code Mappings",
  "5.5": "JSON Field Naming Convention",
  "5.6.1": "Timestamps",
  "5.7": "Field Presence and Optionality",
  "5.8": "Custom Binding Identification",
  "7.1": "Protocol Security",
  "7.4": "Server Authentication Responsibilities",
  "7.6.1": "In-Task Authorization",
  "8.2": "Discovery Mechanisms",
  "8.3": "Protocol Declaration Requirements",
  "8.3.2": "Client Protocol Selection",
  "8.4.2": "Signature Format",
  "8.6": "Caching",
  "8.6.2": "Caching, Client Requirements",
  "9.1": "JSON-RPC Protocol Requirements",
  "9.2": "JSON-RPC Service Parameter Transmission",
  "9.3": "JSON-RPC Base Request Structure",
  "9.4": "JSON-RPC Core Methods",
  "9.5": "JSON-RPC Error Handling",
  "10.2": "gRPC Service Parameter Transmission",
  "11.1": "HTTP+JSON Protocol Requirements",
  "11.2": "HTTP+JSON Service Parameter Transmission",
  "11.3": "HTTP+JSON URL Patterns",
  "11.5": "HTTP+JSON Query Parameters",
  "11.6": "HTTP+JSON Error Handling",
  "11.7": "HTTP+JSON Streaming",
  "13.1": "Data Access and Authorization Scoping",
  "13.2": "Push Notification Security",
  "13.3": "Extended Agent Card Access Control",
  "13.4": "General Security Best Practices",
};

/**
 * The title of a check with its section.
 *
 * @throws Error for a section without a title: a check of this room that was forgotten here
 */
export function titleOf({ id, title }: { readonly id: string; readonly title: string }): string {
  const section = id.slice(0, id.indexOf("/"));
  const name = TITLES[section];
  if (name === undefined) throw new Error(`check ${id} stands in section ${section}, which has no title`);
  return `§${section} ${name} › ${title}`;
}
