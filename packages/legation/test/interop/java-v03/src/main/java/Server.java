import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.a2a.server.ServerCallContext;
import io.a2a.server.agentexecution.AgentExecutor;
import io.a2a.server.agentexecution.RequestContext;
import io.a2a.server.auth.UnauthenticatedUser;
import io.a2a.server.events.EventQueue;
import io.a2a.server.events.InMemoryQueueManager;
import io.a2a.server.requesthandlers.DefaultRequestHandler;
import io.a2a.server.tasks.InMemoryPushNotificationConfigStore;
import io.a2a.server.tasks.InMemoryTaskStore;
import io.a2a.server.tasks.TaskUpdater;
import io.a2a.spec.AgentCapabilities;
import io.a2a.spec.AgentCard;
import io.a2a.spec.AgentInterface;
import io.a2a.spec.AgentSkill;
import io.a2a.spec.Artifact;
import io.a2a.spec.CancelTaskRequest;
import io.a2a.spec.DataPart;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.FileWithUri;
import io.a2a.spec.GetTaskRequest;
import io.a2a.spec.JSONRPCErrorResponse;
import io.a2a.spec.Message;
import io.a2a.spec.MethodNotFoundError;
import io.a2a.spec.Part;
import io.a2a.spec.SendMessageRequest;
import io.a2a.spec.SendStreamingMessageRequest;
import io.a2a.spec.Task;
import io.a2a.spec.TaskArtifactUpdateEvent;
import io.a2a.spec.TaskNotCancelableError;
import io.a2a.spec.TaskResubscriptionRequest;
import io.a2a.spec.TaskState;
import io.a2a.spec.TaskStatus;
import io.a2a.spec.TextPart;
import io.a2a.transport.jsonrpc.handler.JSONRPCHandler;
import io.a2a.transport.rest.handler.RestHandler;
import io.a2a.util.Utils;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.function.Function;

/**
 * An agent made with a2a-java that takes the scripts of the scenarios, by its handlers behind the HTTP server of the JDK;
 * prints {@code listening <url>}.
 */
public final class Server implements AgentExecutor {
  /** Scripts of tasks that wait for an answer: what is still to be done. */
  private final Map<String, List<Map<String, Object>>> waiting = new ConcurrentHashMap<>();
  private final Set<String> canceled = ConcurrentHashMap.newKeySet();

  public static void main(String[] args) throws Exception {
    // It would look for the Quarkus servers of the SDK on the class path.
    System.setProperty("io.a2a.transport.skipValidation", "true");
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    Executor executor = Executors.newCachedThreadPool();
    server.setExecutor(executor);
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    AgentCard card = cardAt(url);
    InMemoryTaskStore tasks = new InMemoryTaskStore();
    DefaultRequestHandler handler = DefaultRequestHandler.create(new Server(), tasks, new InMemoryQueueManager(tasks),
        new InMemoryPushNotificationConfigStore(), task -> {}, executor);
    JSONRPCHandler rpc = new JSONRPCHandler(card, handler, executor);
    RestHandler rest = new RestHandler(card, handler, executor);
    server.createContext("/.well-known/agent-card.json", exchange -> answer(exchange, 200, Utils.toJsonString(card)));
    server.createContext("/v1/", exchange -> answerRest(rest, exchange));
    server.createContext("/", exchange -> answerRpc(rpc, exchange));
    server.start();
    System.out.println("listening " + url);
  }

  private static AgentCard cardAt(String url) {
    return new AgentCard.Builder()
        .name("a2a-java").description("Takes scripts.").version("1.0.0").url(url).protocolVersion("0.3.0")
        .preferredTransport("JSONRPC")
        .additionalInterfaces(List.of(new AgentInterface("JSONRPC", url), new AgentInterface("HTTP+JSON", url)))
        .capabilities(new AgentCapabilities.Builder().streaming(true).build())
        .defaultInputModes(List.of("text/plain", "application/json"))
        .defaultOutputModes(List.of("text/plain", "application/json"))
        .skills(List.of(new AgentSkill.Builder().id("rehearse").name("Rehearse").description("Takes scripts.")
            .tags(List.of("test")).build()))
        .build();
  }

  private static ServerCallContext context() {
    return new ServerCallContext(UnauthenticatedUser.INSTANCE, new ConcurrentHashMap<>(), Set.of());
  }

  private static void answerRpc(JSONRPCHandler rpc, HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    JsonNode request = Utils.OBJECT_MAPPER.readTree(body);
    switch (request.path("method").asText()) {
      case "message/send" -> answer(exchange, 200, Utils.toJsonString(
          rpc.onMessageSend(Utils.unmarshalFrom(body, new TypeReference<SendMessageRequest>() {}), context())));
      case "tasks/get" -> answer(exchange, 200, Utils.toJsonString(
          rpc.onGetTask(Utils.unmarshalFrom(body, new TypeReference<GetTaskRequest>() {}), context())));
      case "tasks/cancel" -> answer(exchange, 200, Utils.toJsonString(
          rpc.onCancelTask(Utils.unmarshalFrom(body, new TypeReference<CancelTaskRequest>() {}), context())));
      case "message/stream" -> stream(exchange, Utils::toJsonString, rpc.onMessageSendStream(
          Utils.unmarshalFrom(body, new TypeReference<SendStreamingMessageRequest>() {}), context()));
      case "tasks/resubscribe" -> stream(exchange, Utils::toJsonString, rpc.onResubscribeToTask(
          Utils.unmarshalFrom(body, new TypeReference<TaskResubscriptionRequest>() {}), context()));
      default -> answer(exchange, 200, Utils.toJsonString(
          new JSONRPCErrorResponse(request.path("id").asText(), new MethodNotFoundError())));
    }
  }

  private static void answerRest(RestHandler rest, HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String path = exchange.getRequestURI().getPath().substring("/v1/".length());
    RestHandler.HTTPRestResponse response;
    if (path.equals("message:send")) response = rest.sendMessage(body, context());
    else if (path.equals("message:stream")) response = rest.sendStreamingMessage(body, context());
    else if (path.endsWith(":cancel")) response = rest.cancelTask(idOf(path), context());
    else if (path.endsWith(":subscribe")) response = rest.resubscribeTask(idOf(path), context());
    else if (path.startsWith("tasks/")) response = rest.getTask(idOf(path), lengthOf(exchange), context());
    else response = rest.createErrorResponse(new MethodNotFoundError());
    if (response instanceof RestHandler.HTTPRestStreamingResponse streaming) {
      stream(exchange, Function.identity(), streaming.getPublisher());
    } else {
      answer(exchange, response.getStatusCode(), response.getBody());
    }
  }

  private static String idOf(String path) {
    return path.replaceFirst("^tasks/", "").replaceFirst(":(cancel|subscribe)$", "");
  }

  private static int lengthOf(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query == null || !query.startsWith("historyLength=") ? 0 : Integer.parseInt(query.substring(14));
  }

  private static void answer(HttpExchange exchange, int status, String json) throws IOException {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private static <T> void stream(HttpExchange exchange, Function<T, String> write, Flow.Publisher<T> events)
      throws IOException {
    exchange.getResponseHeaders().set("content-type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    CountDownLatch ended = new CountDownLatch(1);
    OutputStream out = exchange.getResponseBody();
    events.subscribe(new Flow.Subscriber<T>() {
      private Flow.Subscription subscription;

      @Override
      public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        begun.request(1);
      }

      @Override
      public void onNext(T event) {
        try {
          out.write(("data: " + write.apply(event) + "\n\n").getBytes(StandardCharsets.UTF_8));
          out.flush();
          subscription.request(1);
        } catch (IOException gone) {
          subscription.cancel();
          ended.countDown();
        }
      }

      @Override
      public void onError(Throwable failed) {
        ended.countDown();
      }

      @Override
      public void onComplete() {
        ended.countDown();
      }
    });
    try {
      ended.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    out.close();
  }

  @Override
  public void execute(RequestContext request, EventQueue queue) {
    TaskUpdater task = new TaskUpdater(request, queue);
    List<Map<String, Object>> script = waiting.remove(String.valueOf(request.getTaskId()));
    if (script == null) script = scriptOf(request.getMessage());
    if (request.getTask() == null && !script.get(0).containsKey("reply")) {
      queue.enqueueEvent(new Task.Builder().id(task.getTaskId()).contextId(task.getContextId())
          .status(new TaskStatus(TaskState.SUBMITTED)).history(List.of(request.getMessage())).build());
    }
    for (int at = 0; at < script.size(); at++) {
      Map<String, Object> step = script.get(at);
      if (step.containsKey("reply")) {
        queue.enqueueEvent(new Message.Builder().role(Message.Role.AGENT).messageId(UUID.randomUUID().toString())
            .contextId(request.getContextId()).parts(new TextPart((String) step.get("reply"))).build());
        return;
      }
      if (step.containsKey("ask")) {
        waiting.put(task.getTaskId(), script.subList(at + 1, script.size()));
        task.requiresInput(task.newAgentMessage(List.of(new TextPart((String) step.get("ask"))), null));
        return;
      }
      if (!carryOut(step, task, queue)) return;
    }
  }

  /** False when the task was canceled meanwhile. */
  private boolean carryOut(Map<String, Object> step, TaskUpdater task, EventQueue queue) {
    if (step.containsKey("state")) task.startWork();
    if (step.get("artifact") instanceof Map<?, ?> artifact) queue.enqueueEvent(artifactOf(artifact, task));
    if (step.get("wait") instanceof Integer ms) {
      for (int waited = 0; waited < ms && !canceled.contains(task.getTaskId()); waited += 20) pause(20);
      return !canceled.contains(task.getTaskId());
    }
    if (step.containsKey("end")) {
      Object text = step.get("text");
      task.complete(text == null ? null : task.newAgentMessage(List.of(new TextPart((String) text)), null));
    }
    return true;
  }

  private static TaskArtifactUpdateEvent artifactOf(Map<?, ?> artifact, TaskUpdater task) {
    Part<?> part;
    if (artifact.get("text") instanceof String text) part = new TextPart(text);
    else if (artifact.get("data") instanceof Map<?, ?> data) part = new DataPart((Map<String, Object>) data);
    else if (artifact.get("rawBase64") instanceof String raw) part = new FilePart(new FileWithBytes("", "", raw));
    else part = new FilePart(new FileWithUri("", "", (String) artifact.get("url")));
    String name = (String) artifact.get("name");
    // One id for one name, so that pieces find what they belong to.
    Artifact made = new Artifact(task.getTaskId() + name, name, null, List.of(part), null, null);
    return new TaskArtifactUpdateEvent(task.getTaskId(), made, task.getContextId(),
        Boolean.TRUE.equals(artifact.get("append")), Boolean.TRUE.equals(artifact.get("lastChunk")), null);
  }

  private static List<Map<String, Object>> scriptOf(Message message) {
    for (Part<?> part : message.getParts()) {
      if (part instanceof DataPart data) return (List<Map<String, Object>>) data.getData().get("rehearse");
    }
    throw new IllegalArgumentException("no script");
  }

  private static void pause(long ms) {
    try {
      Thread.sleep(ms);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void cancel(RequestContext request, EventQueue queue) {
    if (request.getTask().getStatus().state().isFinal()) throw new TaskNotCancelableError();
    canceled.add(request.getTaskId());
    new TaskUpdater(request, queue).cancel();
  }
}
