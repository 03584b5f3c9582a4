// The face "./fastify": agents as a plugin of a Fastify application.

export {
  createFastifyPlugin,
  type FastifyInstance,
  type FastifyOptions,
  type FastifyPlugin,
  type FastifyReply,
  type FastifyRequest,
} from "./fastify-plugin.ts";
