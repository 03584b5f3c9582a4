/** SDKs that are not tested, and why: the matrix says so, and so does the installation. */
export const UNAVAILABLE_PEERS: readonly { readonly name: string; readonly why: string }[] = [
  {
    name: "a2a-java for 1.0",
    why:
      "org.a2aproject.sdk:a2a-java-sdk-client could not be obtained (the latest, 1.2.0.Final, 1.0.0.Final and 1.0.0.Beta1 " +
      "were asked for); of io.github.a2asdk there is 1.0.0.Alpha3, a draft of 1.0 that sends no A2A-Version",
  },
  { name: "a2a-dotnet", why: "untested" },
];
