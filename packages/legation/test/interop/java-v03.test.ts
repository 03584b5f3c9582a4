// needs: peer-java-v03
// The Java SDK of v0.3 both ways: its client against our server, our client against a server made with its handlers.
import { FOREIGN } from "./foreign-peers.ts";
import { testPeer } from "./run-pair.ts";

testPeer(FOREIGN["java-v03"]);
