import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express, { type RequestHandler } from "express";
import { collect, createFakeService, SEND } from "../../../test/spec/fake-service.ts";
import { createJsonRpcHandler } from "../../bindings/jsonrpc/handler.ts";
import { createRestHandler } from "../../bindings/rest/handler.ts";
import { createRestTransport } from "../../bindings/rest/transport.ts";
import { plainCall } from "../../operations/call.ts";
import { createExpressMiddleware } from "./express-middleware.ts";

const PARSERS: readonly [string, RequestHandler[]][] = [
  ["no parser in front", []],
  ["express.json()", [express.json({ type: ["application/json", "application/a2a+json"] })]],
  ["express.text()", [express.text({ type: () => true })]],
  ["express.raw()", [express.raw({ type: () => true })]],
];

for (const [name, parsers] of PARSERS) {
  test(`a handler is mounted in Express with ${name}`, async (t) => {
    const fake = createFakeService();
    const app = express();
    app.use(...parsers, (_request, _response, next) => next());
    app.use("/rpc", createExpressMiddleware(createJsonRpcHandler(fake)));
    app.use(
      "/agents/planner",
      createExpressMiddleware(createRestHandler(fake), { principal: () => ({ owner: "u-1" }) }),
    );
    app.use((_request, response) => {
      response.status(418).end("next");
    });
    const server: Server = app.listen(0, "127.0.0.1");
    t.after(() => server.close());
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    const client = createRestTransport({ url: `${url}/agents/planner`, tenant: "acme" });
    const { value } = await client.sendMessage(structuredClone(SEND), plainCall());
    assert.deepEqual(value, fake.answers.SendMessage);
    assert.deepEqual(fake.last().request, { ...SEND, tenant: "acme" });
    assert.equal(fake.last().call.principal.owner, "u-1");
    assert.equal((await collect(await client.sendStreamingMessage(structuredClone(SEND), plainCall()))).length, 3);
    await client.cancelTask({ id: "t-1" }, plainCall());

    const rpc = await fetch(`${url}/rpc`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t-1" } }),
    });
    assert.deepEqual(await rpc.json(), { jsonrpc: "2.0", id: 1, result: fake.answers.GetTask });

    assert.equal((await fetch(`${url}/agents/planner/nothing`)).status, 418);
  });
}
