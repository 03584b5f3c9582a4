import { serve } from "legation/node";
import { createAgent } from "legation/server";

/** The card of the specification's route planner (§8.5): modes of the agent, overridden by its skills. */
const geo = createAgent({
  name: "GeoSpatial Route Planner Agent",
  description: "Plans routes and draws maps of points of interest.",
  version: "1.2.0",
  provider: { organization: "Example Geo Services Inc.", url: "https://www.examplegeoservices.com" },
  documentationUrl: "https://docs.examplegeoservices.com/georoute-agent/api",
  modes: { input: ["application/json", "text/plain"], output: ["application/json", "image/png"] },
  skills: [
    {
      id: "route-optimizer-traffic",
      name: "Traffic-Aware Route Optimizer",
      description: "The fastest way between two places.",
      tags: ["maps", "routing"],
      outputModes: ["application/json", "application/vnd.geo+json", "text/html"],
    },
    {
      id: "custom-map-generator",
      name: "Personalized Map Generator",
      description: "A map of points of interest.",
      tags: ["maps", "visualization"],
      inputModes: ["application/json"],
      outputModes: ["image/png", "image/svg+xml", "application/json"],
    },
  ],
  async onTask(task, message) {
    if (message.skillId === "custom-map-generator") {
      const mode = task.chooseOutputMode(["image/svg+xml", "application/json"]);
      if (mode === "image/svg+xml")
        await task.artifact("map", { text: "<svg xmlns='http://www.w3.org/2000/svg'/>", mediaType: mode });
      else await task.artifact("map", { data: { points: message.data ?? [] } });
      return;
    }
    const mode = task.chooseOutputMode(["application/vnd.geo+json", "application/json"]);
    const line = {
      type: "LineString",
      coordinates: [
        [-122.084, 37.422],
        [-122.4194, 37.7749],
      ],
    };
    await task.artifact("route", { data: line, mediaType: mode });
  },
});

const host = await serve(geo, { port: Number(process.env["PORT"] ?? 4000), log: false });
console.log(`route planner listens on ${host.url}`);
