// needs: peer-rust
// The Rust SDK both ways: its client against our server, our client against a server made with it.
import { FOREIGN } from "./foreign-peers.ts";
import { testPeer } from "./run-pair.ts";

testPeer(FOREIGN.rust);
