// needs: peer-python-v03
// The Python SDK that speaks v0.3 alone, both ways: its client against our server, our client against a server made with it.
import { FOREIGN } from "./foreign-peers.ts";
import { testPeer } from "./run-pair.ts";

testPeer(FOREIGN["python-v03"]);
