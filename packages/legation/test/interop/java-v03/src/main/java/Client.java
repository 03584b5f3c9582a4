import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.a2a.A2A;
import io.a2a.client.ClientEvent;
import io.a2a.client.MessageEvent;
import io.a2a.client.TaskEvent;
import io.a2a.client.TaskUpdateEvent;
import io.a2a.client.config.ClientConfig;
import io.a2a.client.transport.grpc.GrpcTransport;
import io.a2a.client.transport.grpc.GrpcTransportConfig;
import io.a2a.client.transport.jsonrpc.JSONRPCTransport;
import io.a2a.client.transport.jsonrpc.JSONRPCTransportConfig;
import io.a2a.client.transport.rest.RestTransport;
import io.a2a.client.transport.rest.RestTransportConfig;
import io.a2a.spec.AgentCard;
import io.a2a.spec.Artifact;
import io.a2a.spec.DataPart;
import io.a2a.spec.FilePart;
import io.a2a.spec.FileWithBytes;
import io.a2a.spec.FileWithUri;
import io.a2a.spec.Message;
import io.a2a.spec.Part;
import io.a2a.spec.Task;
import io.a2a.spec.TaskArtifactUpdateEvent;
import io.a2a.spec.TaskIdParams;
import io.a2a.spec.TaskNotCancelableError;
import io.a2a.spec.TaskNotFoundError;
import io.a2a.spec.TaskQueryParams;
import io.a2a.spec.TaskStatusUpdateEvent;
import io.a2a.spec.TextPart;
import io.grpc.ManagedChannelBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * The client of a2a-java in the scenarios that v0.3 has: {@code Client <agent url> <binding> <scenarios.json>} prints one
 * JSON report.
 */
public final class Client {
  private static final long SCENARIO_SECONDS = 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final AgentCard card;
  private final String binding;
  private final JsonNode scripts;
  private final io.a2a.client.Client blocking;
  private final io.a2a.client.Client polling;
  private final io.a2a.client.Client streaming;
  private String sentId = "";

  private Client(AgentCard card, String binding, JsonNode scripts) throws Exception {
    this.card = card;
    this.binding = binding;
    this.scripts = scripts;
    blocking = open(new ClientConfig.Builder().setStreaming(false).setPolling(false).build());
    polling = open(new ClientConfig.Builder().setStreaming(false).setPolling(true).build());
    streaming = open(new ClientConfig.Builder().setStreaming(true).build());
  }

  public static void main(String[] args) throws Exception {
    Client client = new Client(A2A.getAgentCard(args[0]), args[1], JSON.readTree(Files.readString(Path.of(args[2]))));
    Map<String, Callable<Object>> acts = new LinkedHashMap<>();
    acts.put("send", client::send);
    acts.put("parts", client::parts);
    acts.put("stream", client::stream);
    acts.put("get", client::get);
    acts.put("cancel", client::cancel);
    acts.put("subscribe", client::subscribe);
    acts.put("input", client::input);
    acts.put("errors", client::errors);
    acts.put("message", client::message);
    ExecutorService executor = Executors.newCachedThreadPool();
    Map<String, Object> report = new LinkedHashMap<>();
    for (Map.Entry<String, Callable<Object>> act : acts.entrySet()) {
      try {
        report.put(act.getKey(), Map.of("saw", executor.submit(act.getValue()).get(SCENARIO_SECONDS, TimeUnit.SECONDS)));
      } catch (Exception failed) {
        Throwable why = failed.getCause() == null ? failed : failed.getCause();
        report.put(act.getKey(), Map.of("error", why + (why.getCause() == null ? "" : " <- " + why.getCause())));
      }
    }
    System.out.println(JSON.writeValueAsString(report));
    // Connections that nobody closes for us keep the process.
    System.exit(0);
  }

  private io.a2a.client.Client open(ClientConfig config) throws Exception {
    io.a2a.client.ClientBuilder builder = io.a2a.client.Client.builder(card).clientConfig(config);
    switch (binding) {
      case "GRPC" -> builder.withTransport(GrpcTransport.class, new GrpcTransportConfig(
          target -> ManagedChannelBuilder.forTarget(target).usePlaintext().build()));
      case "HTTP+JSON" -> builder.withTransport(RestTransport.class, new RestTransportConfig());
      default -> builder.withTransport(JSONRPCTransport.class, new JSONRPCTransportConfig());
    }
    return builder.build();
  }

  private Message.Builder messageFor(String scenario) {
    List<Object> script = JSON.convertValue(scripts.get(scenario), List.class);
    return new Message.Builder()
        .role(Message.Role.USER)
        .messageId(UUID.randomUUID().toString())
        .parts(new TextPart("rehearse " + scenario), new DataPart(Map.of("rehearse", script)));
  }

  /** What a client that does not stream is told of one message. */
  private ClientEvent answerOf(io.a2a.client.Client client, Message message) throws Exception {
    List<ClientEvent> events = new ArrayList<>();
    client.sendMessage(message, List.of((event, from) -> events.add(event)), null, null);
    return events.get(events.size() - 1);
  }

  private Task taskOf(io.a2a.client.Client client, Message message) throws Exception {
    ClientEvent answer = answerOf(client, message);
    if (answer instanceof TaskEvent found) return found.getTask();
    throw new IllegalStateException("answered by a " + answer.getClass().getSimpleName());
  }

  /** Everything that a stream tells, to the event that ends the task. */
  private List<ClientEvent> follow(Opening opening) throws Exception {
    LinkedBlockingQueue<Object> told = new LinkedBlockingQueue<>();
    opening.open(List.of((event, from) -> told.add(event)), told::add);
    List<ClientEvent> events = new ArrayList<>();
    while (true) {
      Object next = told.poll(SCENARIO_SECONDS, TimeUnit.SECONDS);
      if (next instanceof Throwable failed) throw new IllegalStateException("the stream failed", failed);
      if (next == null) throw new IllegalStateException("the stream did not end");
      ClientEvent event = (ClientEvent) next;
      events.add(event);
      Task task = event instanceof TaskUpdateEvent update ? update.getTask() : ((TaskEvent) event).getTask();
      if (task.getStatus().state().isFinal()) return events;
    }
  }

  private interface Opening {
    void open(List<BiConsumer<ClientEvent, AgentCard>> consumers, java.util.function.Consumer<Throwable> onError)
        throws Exception;
  }

  private Object send() throws Exception {
    Task task = taskOf(blocking, messageFor("send").build());
    sentId = task.getId();
    return Map.of("state", stateOf(task), "text", textOf(task.getStatus().message()), "artifacts", textsOf(task));
  }

  private Object parts() throws Exception {
    Map<String, Object> saw = new LinkedHashMap<>();
    for (Artifact artifact : taskOf(blocking, messageFor("parts").build()).getArtifacts()) {
      Part<?> part = artifact.parts().get(0);
      if (part instanceof DataPart data) saw.put("data", data.getData());
      else if (((FilePart) part).getFile() instanceof FileWithBytes file) saw.put("bytes", file.bytes());
      else saw.put("link", ((FileWithUri) ((FilePart) part).getFile()).uri());
    }
    return saw;
  }

  private Object stream() throws Exception {
    Message message = messageFor("stream").build();
    List<ClientEvent> events = follow((consumers, onError) -> streaming.sendMessage(message, consumers, onError, null));
    List<String> states = new ArrayList<>();
    List<String> chunks = new ArrayList<>();
    for (ClientEvent event : events) {
      if (!(event instanceof TaskUpdateEvent update)) continue;
      if (update.getUpdateEvent() instanceof TaskArtifactUpdateEvent one) chunks.add(textOf(one.getArtifact().parts()));
      if (update.getUpdateEvent() instanceof TaskStatusUpdateEvent one) {
        String state = one.getStatus().state().name();
        boolean isRepeated = !states.isEmpty() && states.get(states.size() - 1).equals(state);
        if (!state.equals("SUBMITTED") && !isRepeated) states.add(state);
      }
    }
    return Map.of("first", kindOf(events.get(0)), "states", states, "chunks", chunks);
  }

  private Object get() throws Exception {
    Task task = blocking.getTask(new TaskQueryParams(sentId, 10), null);
    Message asked = task.getHistory().stream().filter(each -> each.getRole() == Message.Role.USER).findFirst().get();
    return Map.of("same", task.getId().equals(sentId), "state", stateOf(task), "artifacts", textsOf(task),
        "asked", textOf(asked));
  }

  private Object cancel() throws Exception {
    Task task = taskOf(polling, messageFor("cancel").build());
    Task canceled = polling.cancelTask(new TaskIdParams(task.getId()), null);
    return Map.of("state", stateOf(canceled),
        "read", stateOf(polling.getTask(new TaskQueryParams(task.getId()), null)));
  }

  private Object subscribe() throws Exception {
    Task task = taskOf(polling, messageFor("subscribe").build());
    TaskIdParams id = new TaskIdParams(task.getId());
    List<ClientEvent> events = follow((consumers, onError) -> streaming.resubscribe(id, consumers, onError, null));
    StringBuilder text = new StringBuilder();
    for (ClientEvent event : events) {
      if (event instanceof TaskUpdateEvent update && update.getUpdateEvent() instanceof TaskArtifactUpdateEvent one) {
        text.append(textOf(one.getArtifact().parts()));
      }
    }
    TaskUpdateEvent last = (TaskUpdateEvent) events.get(events.size() - 1);
    return Map.of("first", kindOf(events.get(0)), "last", stateOf(last.getTask()), "text", text.toString());
  }

  private Object input() throws Exception {
    Task asked = taskOf(blocking, messageFor("input").build());
    Message reply = messageFor("input").taskId(asked.getId()).contextId(asked.getContextId())
        .parts(new TextPart("the red one")).build();
    Task answered = taskOf(blocking, reply);
    Task after = blocking.getTask(new TaskQueryParams(asked.getId(), 10), null);
    return Map.of("state", stateOf(asked), "question", textOf(asked.getStatus().message()), "after", stateOf(answered),
        "artifacts", textsOf(answered),
        "answered", after.getHistory().stream().anyMatch(each -> textOf(each).equals("the red one")));
  }

  private Object errors() {
    return Map.of("unknown", reasonOf(() -> blocking.getTask(new TaskQueryParams("no-such-task"), null)),
        "terminal", reasonOf(() -> blocking.cancelTask(new TaskIdParams(sentId), null)));
  }

  private Object message() throws Exception {
    ClientEvent answer = answerOf(blocking, messageFor("message").build());
    if (answer instanceof MessageEvent found) return Map.of("text", textOf(found.getMessage()));
    throw new IllegalStateException("answered by a " + answer.getClass().getSimpleName());
  }

  private static String reasonOf(Callable<?> call) {
    try {
      call.call();
      return "none";
    } catch (Throwable thrown) {
      for (Throwable why = thrown; why != null; why = why.getCause()) {
        if (why instanceof TaskNotFoundError) return "TASK_NOT_FOUND";
        if (why instanceof TaskNotCancelableError) return "TASK_NOT_CANCELABLE";
      }
      return thrown + (thrown.getCause() == null ? "" : " <- " + thrown.getCause());
    }
  }

  private static String kindOf(ClientEvent event) {
    return event instanceof TaskEvent ? "task" : event instanceof MessageEvent ? "message" : "update";
  }

  private static String stateOf(Task task) {
    return task.getStatus().state().name();
  }

  private static String textOf(Message message) {
    return message == null ? "" : textOf(message.getParts());
  }

  private static String textOf(List<Part<?>> parts) {
    StringBuilder text = new StringBuilder();
    for (Part<?> part : parts) if (part instanceof TextPart one) text.append(one.getText());
    return text.toString();
  }

  private static Map<String, String> textsOf(Task task) {
    Map<String, String> texts = new LinkedHashMap<>();
    for (Artifact artifact : task.getArtifacts()) texts.put(artifact.name(), textOf(artifact.parts()));
    return texts;
  }
}
