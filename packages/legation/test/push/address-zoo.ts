/** Every form in which an address inside can be written. */

/** Hosts of URLs that mean loopback, or another place that is not to be called. */
export const LITERALS: readonly string[] = [
  ...[
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
  ],
  ...["127.255.255.254", "0.0.0.0", "0", "１２７.0.0.1", "127。0。0。1"],
  ...[
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
  ],
  ...["[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001::7f00:1]", "[100::1]", "[2001:db8::1]"],
  ...["[fe80::1]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[4000::1]"],
  ...["10.0.0.1", "100.64.0.1", "100.100.100.200", "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255"],
  ...["192.168.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
  ...["224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16"],
];

/** Names that lead inside, wherever they resolve to. */
export const NAMES: readonly string[] = [
  ...["localhost", "localhost.", "LOCALHOST", "a.localhost", "localhost.localdomain", "printer.local", "intranet"],
  ...["metadata.google.internal", "router.lan", "nas.home.arpa"],
];
