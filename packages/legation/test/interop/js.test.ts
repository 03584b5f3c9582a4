// The JavaScript SDK both ways: its client against our server, our client against a server made with it.
import { JS } from "./js/peer-js.ts";
import { testPeer } from "./run-pair.ts";

testPeer(JS);
