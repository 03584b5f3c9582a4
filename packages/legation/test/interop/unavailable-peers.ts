/** SDKs that are not tested, and why: the matrix says so, and so does the installation. */
export const UNAVAILABLE_PEERS: readonly { readonly name: string; readonly why: string }[] = [
  {
    name: "a2a-java",
    why: "org.a2aproject.sdk:a2a-java-sdk-client could not be obtained (1.2.0.Final, 1.0.0.Final and 1.0.0.Beta1 were asked for)",
  },
  { name: "a2a-dotnet", why: "untested" },
];
