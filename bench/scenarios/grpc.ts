/** SendMessage and SendStreamingMessage over gRPC, against gRPC by hand on node:http2 with precomputed bytes. */
import { connect } from "node:http2";
import { callGrpc, framesOf, runGrpcLoad, sendFrame } from "../load/grpc-load.ts";
import { planText } from "../load/requests.ts";
import { ANSWER, type Behaviour, type StreamPlan } from "../servers/behaviour.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";
import { planOf } from "./stream.ts";
import { warmUp } from "./warm-up.ts";

interface GrpcPlan {
  readonly behaviour: Behaviour;
  readonly method: "SendMessage" | "SendStreamingMessage";
  readonly text: string;
  /** Events of one call that count; 1 for a unary one. */
  readonly events: number;
  readonly perTurn: number;
  readonly operations: { readonly ours: number; readonly bare: number };
  /** Set: a server by hand is measured too whose handler says these chunks, without tasks, store and readers. */
  readonly says?: StreamPlan | undefined;
}

/** The server whose handler speaks. */
const SPEAKER = "by hand with a handler";

async function sample(port: number, plan: GrpcPlan): Promise<string[]> {
  const session = connect(`http://127.0.0.1:${port}`);
  const answer = await callGrpc(session, plan.method, sendFrame(plan.text));
  session.close();
  return framesOf(answer).map((frame) => frame.toString("base64"));
}

async function openGrpc(lab: Lab, plan: GrpcPlan): Promise<readonly Subject[]> {
  const ours = await lab.start("ours", { behaviour: plan.behaviour, store: "memory:" });
  const bare = await lab.start("bare", { behaviour: "echo", store: "memory:" });
  const frames = await sample(ours.port, plan);
  const barePort = (await bare.ask("grpc", { frames, perTurn: plan.perTurn })) as number;
  const subjects = [
    await subject(lab, ours, { name: "ours", port: ours.port }, plan),
    await subject(lab, bare, { name: "bare", port: barePort }, plan),
  ];
  if (plan.says === undefined) return subjects;
  const speaker = await lab.start("bare", { behaviour: "echo", store: "memory:" });
  const port = (await speaker.ask("grpc", { frames, perTurn: 0, says: plan.says })) as number;
  return [...subjects, await subject(lab, speaker, { name: SPEAKER, port }, plan)];
}

async function subject(
  lab: Lab,
  server: ServerProcess,
  { name, port }: { readonly name: string; readonly port: number },
  plan: GrpcPlan,
): Promise<Subject> {
  const operations = lab.scaled(plan.operations[name === "ours" ? "ours" : "bare"]);
  const run = (): Promise<number> =>
    runGrpcLoad(port, { operations, inFlight: 16, method: plan.method, request: () => sendFrame(plan.text) }, () =>
      server.cpuMicros(),
    );
  await warmUp(lab, run);
  return {
    async round() {
      return { [name]: (await run()) / (operations * plan.events) };
    },
  };
}

function scenario(name: string, work: string, unit: string, atMost: number, plan: GrpcPlan): Scenario {
  return {
    name,
    work,
    unit,
    ratios: [
      { what: "ours / by hand", of: "ours", to: "bare", atMost },
      { what: `${SPEAKER} / by hand`, of: SPEAKER, to: "bare" },
    ],
    open: (lab) => openGrpc(lab, plan),
  };
}

const streams = { behaviour: "stream", method: "SendStreamingMessage", events: 100 } as const;

/** The scenarios of this file. */
export const grpcScenarios: readonly Scenario[] = [
  scenario("grpc-send-message", "SendMessage answered by a Message, gRPC, memory", "µs CPU per message", 1.5, {
    behaviour: "echo",
    method: "SendMessage",
    text: ANSWER,
    events: 1,
    perTurn: 0,
    operations: { ours: 8_000, bare: 10_000 },
  }),
  scenario("grpc-stream-100-turn", "16 streams of 100 chunks, one a loop turn, gRPC, memory", "µs CPU per chunk", 1.9, {
    ...streams,
    text: planText(planOf(100, 1)),
    perTurn: 1,
    operations: { ours: 1_000, bare: 1_000 },
  }),
  scenario("grpc-stream-100-burst", "16 streams of 100 chunks in a burst, gRPC, memory", "µs CPU per chunk", 1.9, {
    ...streams,
    text: planText(planOf(100, 0)),
    says: planOf(100, 0),
    perTurn: 0,
    operations: { ours: 1_000, bare: 2_000 },
  }),
];
