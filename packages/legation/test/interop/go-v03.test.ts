// needs: peer-go-v03
// The Go SDK that speaks v0.3 alone, both ways: its client against our server, our client against a server made with it.
import { FOREIGN } from "./foreign-peers.ts";
import { testPeer } from "./run-pair.ts";

testPeer(FOREIGN["go-v03"]);
