// `npx node packages/legation/test/interop/install-peers.ts [js-v03] [python] [python-v03] [go] [go-v03] [rust] [java-v03]`: installs the SDKs that the
// interop tests meet beside the one of the workspace, all that this machine has the toolchain for when none is named. A line each says what came
// of it. One that is named and fails is an error; of all, those that fail are left out, and so are their tests.
import { install, LANGUAGES } from "./peer-build.ts";
import { UNAVAILABLE_PEERS } from "./unavailable-peers.ts";

const named = process.argv.slice(2);
const unknown = named.find((name) => !LANGUAGES.some((language) => language === name));
if (unknown !== undefined) {
  console.error(`no peer ${unknown}: give some of ${LANGUAGES.join(", ")}`);
  process.exit(2);
}
for (const language of LANGUAGES.filter((each) => named.length === 0 || named.includes(each))) {
  try {
    console.log(install(language));
  } catch (thrown) {
    if (named.length > 0) throw thrown;
    console.log(`${language}: not installed, ${thrown instanceof Error ? thrown.message.trim() : thrown}`);
  }
}
if (named.length === 0) for (const { name, why } of UNAVAILABLE_PEERS) console.log(`${name}: not installed, ${why}`);
