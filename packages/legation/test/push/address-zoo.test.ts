// §13.2: nothing that a stranger writes reaches a listener inside. Every form is tried against listeners that count
// connections, with the port and http opened, so that only the address can be what stops it.
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import type { PushRequest } from "../../src/engine/push-options.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import { createAddressGuard } from "../../src/outbound/address-rules.ts";
import { createSafeDialler, type SafeDiallerOptions } from "../../src/outbound/safe-dialler.ts";
import { LOCALHOST } from "../grpc/localhost-certificate.ts";
import { LITERALS, NAMES } from "./address-zoo.ts";
import { pushingHost } from "./pushing-host.ts";
import { WebhookServer } from "./webhook-server.ts";

let v4: WebhookServer;
let v6: WebhookServer | undefined;

before(async () => {
  v4 = await WebhookServer.start(() => 204, "0.0.0.0");
  // A machine without IPv6 has no listener there to be reached.
  v6 = await WebhookServer.start(() => 204, "::1", v4.port).catch(() => undefined);
});

after(async () => {
  await v4.close();
  await v6?.close();
});

const reached = (): number => v4.connections + (v6?.connections ?? 0);

function postTo(url: string): PushRequest {
  return {
    url,
    headers: { "content-type": "application/json" },
    body: "{}",
    timeoutMs: 2_000,
    signal: new AbortController().signal,
  };
}

async function refusalOf(url: string, options: SafeDiallerOptions): Promise<string> {
  await using dialler = createSafeDialler({ http: true, ports: [v4.port], ...options });
  const refused = await dialler.deliver(postTo(url)).then(
    ({ status }) => `answered ${status}`,
    (failed: Error) => failed.message,
  );
  const fetched = await dialler.fetch(url).then(
    ({ status }) => `answered ${status}`,
    (failed: Error) => String(failed.cause ?? failed),
  );
  assert.doesNotMatch(fetched, /^answered/, url);
  return refused;
}

describe("the address zoo", () => {
  for (const host of LITERALS) {
    it(`${host} is refused by its text, and not called`, async () => {
      const url = `http://${host}:${v4.port}/`;
      const guard = createAddressGuard({ http: true, ports: [v4.port] });
      assert.match(guard.refuseUrl(new URL(url)) ?? "accepted", /is not public/);
      const before = reached();
      assert.match(await refusalOf(url, {}), /is not public/);
      assert.equal(reached(), before);
    });

    it(`a name that resolves to ${host} is not called`, async () => {
      const address = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "");
      const before = reached();
      const answers: Record<string, readonly string[]> = {
        alone: [address],
        "behind a public one": ["93.184.215.14", address],
        "in front of a public one": [address, "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
      };
      for (const [what, addresses] of Object.entries(answers)) {
        const why = await refusalOf(`http://hook.example.com:${v4.port}/`, { resolve: async () => addresses });
        assert.match(why, /is not public/, what);
      }
      assert.equal(reached(), before);
    });
  }

  for (const host of NAMES) {
    it(`${host} is refused by its text`, () => {
      const guard = createAddressGuard({ http: true, ports: [v4.port] });
      assert.match(guard.refuseUrl(new URL(`http://${host}:${v4.port}/`)) ?? "accepted", /inside of a network/);
    });
  }

  it("public addresses are called, IPv4 and IPv6", () => {
    const guard = createAddressGuard();
    for (const address of [
      "93.184.215.14",
      "8.8.8.8",
      "100.63.255.255",
      "100.128.0.0",
      "2606:4700::1111",
      "::ffff:8.8.8.8",
    ]) {
      assert.equal(guard.refuseAddress(address, "https:", 443), undefined, address);
    }
  });

  it("a name that changes its answer between look and call is not called: it is looked at once", async () => {
    const before = reached();
    let asked = 0;
    const resolve = async (): Promise<readonly string[]> => {
      asked += 1;
      // What a listener is asked for second is where an attacker wants to be.
      return asked === 1 ? ["192.0.2.255"] : ["127.0.0.1"];
    };
    await using dialler = createSafeDialler({ allow: ["192.0.2.0/24"], resolve });
    await assert.rejects(dialler.deliver({ ...postTo(`http://hook.example.com:${v4.port}/`), timeoutMs: 300 }));
    assert.equal(asked, 1);
    await assert.rejects(dialler.deliver(postTo(`http://hook.example.com:${v4.port}/`)), /is not public/);
    assert.equal(reached(), before);
  });

  it("what the operator opens is called, and nothing beside it", async () => {
    await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
    assert.equal((await dialler.deliver(postTo(`http://127.0.0.1:${v4.port}/`))).status, 204);
    await using named = createSafeDialler({ allow: ["127.0.0.0/8"], resolve: async () => ["127.0.0.1"] });
    assert.equal((await named.deliver(postTo(`http://hook.test:${v4.port}/`))).status, 204);
    const before = reached();
    await assert.rejects(dialler.deliver(postTo(`http://[::1]:${v4.port}/`)), /is not public/);
    await assert.rejects(dialler.deliver(postTo("http://93.184.215.14/")), /http is not allowed/);
    assert.equal(reached(), before);
  });

  it("a redirect inward is an answer and not followed", async () => {
    for (const status of [301, 302, 307, 308]) {
      await using front = await WebhookServer.start((_received, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${v4.port}/` }).end();
        return "taken";
      });
      await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
      const before = reached();
      assert.equal((await dialler.deliver(postTo(front.url()))).status, status);
      assert.equal((await dialler.fetch(front.url())).status, status);
      assert.equal(reached(), before);
    }
  });

  it("proxies of the environment are not asked", async () => {
    const before = reached();
    const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const saved = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : `http://127.0.0.1:${v4.port}`;
    try {
      await using dialler = createSafeDialler({ resolve: async () => ["192.0.2.1"], http: true });
      await assert.rejects(dialler.deliver(postTo("http://hook.example.com/")), /is not public/);
    } finally {
      for (const [at, name] of names.entries()) {
        if (saved[at] === undefined) delete process.env[name];
        else process.env[name] = saved[at];
      }
    }
    assert.equal(reached(), before);
  });
});

describe("answers that are traps", () => {
  it("a head that never ends is given up on in time", async () => {
    await using slow = await WebhookServer.start((_received, response) => {
      response.socket?.write("HTTP/1.1 200 OK\r\nx-slow: ");
      const drip = setInterval(() => response.socket?.write("x"), 20);
      response.on("close", () => clearInterval(drip));
      return "taken";
    });
    await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
    await assert.rejects(dialler.deliver({ ...postTo(slow.url()), timeoutMs: 300 }), /no answer within 300 ms/);
    await assert.rejects(dialler.fetch(slow.url(), { timeoutMs: 300 }), /timeout/);
  });

  it("a head that is longer than allowed, and one that is no HTTP, are refused", async () => {
    const heads = [`HTTP/1.1 200 OK\r\nx: ${"x".repeat(20_000)}\r\n\r\n`, "SSH-2.0-OpenSSH_9.6\r\n"];
    await using odd = await WebhookServer.start((_received, response) => {
      response.socket?.write(heads.shift() ?? "");
      return "taken";
    });
    await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
    await assert.rejects(dialler.deliver(postTo(odd.url())), /UND_ERR_HEADERS_OVERFLOW/);
    await assert.rejects(dialler.deliver(postTo(odd.url())), /does not match the HTTP/);
  });

  it("interim answers without end are none", async () => {
    await using interim = await WebhookServer.start((_received, response) => {
      const drip = setInterval(() => response.socket?.write("HTTP/1.1 103 Early Hints\r\n\r\n"), 20);
      response.on("close", () => clearInterval(drip));
      return "taken";
    });
    await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
    await assert.rejects(dialler.deliver({ ...postTo(interim.url()), timeoutMs: 300 }), /no answer within 300 ms/);
  });

  it("a body that is longer than allowed fails while it is read", async () => {
    await using endless = await WebhookServer.start((_received, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x".repeat(65_536)), 1);
      response.on("close", () => clearInterval(drip));
      return "taken";
    });
    await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"] });
    const answer = await dialler.fetch(endless.url(), { method: "POST", maxBytes: 200_000 });
    await assert.rejects(answer.text(), /longer than 200000 bytes/);
  });

  it("a certificate of nobody known, or for another name, is refused before anything is sent", async () => {
    let requests = 0;
    const server = createServer(LOCALHOST, (_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const trusted = tls.getCACertificates();
    try {
      await using dialler = createSafeDialler({ allow: ["127.0.0.0/8"], resolve: async () => ["127.0.0.1"] });
      const { port } = server.address() as AddressInfo;
      await assert.rejects(dialler.deliver(postTo(`https://localhost:${port}/`)), /self-signed/);
      tls.setDefaultCACertificates([...trusted, LOCALHOST.cert]);
      await assert.rejects(dialler.deliver(postTo(`https://hook.example.com:${port}/`)), /ALTNAME|altnames/);
      assert.equal(requests, 0);
      assert.equal((await dialler.deliver(postTo(`https://localhost:${port}/`))).status, 200);
    } finally {
      tls.setDefaultCACertificates(trusted);
      server.close();
      server.closeAllConnections();
    }
  });
});

describe("registration", () => {
  const refused: Readonly<Record<string, { readonly config: Record<string, unknown>; readonly field: string }>> = {
    "an empty URL": { config: { url: "" }, field: "url" },
    "a URL of 10 kB": { config: { url: `https://example.com/${"x".repeat(10_240)}` }, field: "url" },
    "no URL": { config: { url: "not a url" }, field: "url" },
    "a path": { config: { url: "/hook" }, field: "url" },
    ftp: { config: { url: "ftp://example.com/" }, field: "url" },
    file: { config: { url: "file:///etc/passwd" }, field: "url" },
    javascript: { config: { url: "javascript:alert(1)" }, field: "url" },
    "http at a public address": { config: { url: "http://example.com/" }, field: "url" },
    "a port that is not open": { config: { url: "https://example.com:22/" }, field: "url" },
    "credentials in the URL": { config: { url: "https://user:password@example.com/" }, field: "url" },
    "a line break in the URL": { config: { url: "https://example.com/\r\nx: y" }, field: "url" },
    "a line break in the token": { config: { url: "https://example.com/", token: "a\r\nx: y" }, field: "token" },
    "a token of 10 kB": { config: { url: "https://example.com/", token: "x".repeat(10_240) }, field: "token" },
    "a line break in the scheme": {
      config: { url: "https://example.com/", authentication: { scheme: "Bearer\r\nx" } },
      field: "authentication.scheme",
    },
    "a line break in the credentials": {
      config: { url: "https://example.com/", authentication: { scheme: "Bearer", credentials: "a\nb" } },
      field: "authentication.credentials",
    },
    "another alphabet in the credentials": {
      config: { url: "https://example.com/", authentication: { scheme: "Bearer", credentials: "日本" } },
      field: "authentication.credentials",
    },
    "an id of 1,000 characters": { config: { url: "https://example.com/", id: "x".repeat(1_000) }, field: "id" },
  };

  it("refuses by field what cannot be called, also inline and before any task exists", async () => {
    await using pushing = await pushingHost(() => "done", { allow: [] });
    const { client } = pushing;
    const done = await client.send("go");
    assert.ok(done.kind === "task");
    for (const [what, { config, field }] of Object.entries(refused)) {
      await assert.rejects(client.createPushConfig(done.id, config as never), (thrown) => {
        assert.ok(isA2AError(thrown, "INVALID_PARAMS"), `${what}: ${String(thrown)}`);
        assert.equal(thrown.violations[0]?.field, field, what);
        return true;
      });
      await assert.rejects(client.send("go", { push: config as never }), (thrown) => {
        assert.ok(isA2AError(thrown, "INVALID_PARAMS"), what);
        assert.equal(thrown.violations[0]?.field, `configuration.taskPushNotificationConfig.${field}`, what);
        return true;
      });
    }
    for (const host of [...LITERALS, ...NAMES]) {
      await assert.rejects(client.createPushConfig(done.id, { url: `https://${host}/` }), /INVALID_PARAMS|url/, host);
    }
    let tasks = 0;
    for await (const _task of client.tasks()) tasks += 1;
    assert.equal(tasks, 1);
    assert.deepEqual(await client.pushConfigs(done.id), []);
  });

  it("accepts a name that does not resolve today", async () => {
    await using pushing = await pushingHost(() => "done", { allow: [] });
    const done = await pushing.client.send("go");
    assert.ok(done.kind === "task");
    const url = "https://not-yet.example.invalid/hook";
    assert.equal((await pushing.client.createPushConfig(done.id, { url })).url, url);
  });
});
