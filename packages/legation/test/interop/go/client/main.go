// The client of a2a-go in the scenarios: `client <agent url> <binding> <scenarios.json>` prints one JSON report.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const timeout = 20 * time.Second

type sight = map[string]any

type acts struct {
	client  *a2aclient.Client
	scripts map[string][]any
	sent    a2a.TaskID
}

func (a *acts) message(scenario string) *a2a.Message {
	data := map[string]any{"rehearse": a.scripts[scenario]}
	return a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("rehearse "+scenario), a2a.NewDataPart(data))
}

func (a *acts) sendForTask(ctx context.Context, request *a2a.SendMessageRequest) (*a2a.Task, error) {
	answer, err := a.client.SendMessage(ctx, request)
	if err != nil {
		return nil, err
	}
	task, ok := answer.(*a2a.Task)
	if !ok {
		return nil, errors.New("answered by a message")
	}
	return task, nil
}

func (a *acts) start(ctx context.Context, scenario string) (*a2a.Task, error) {
	config := &a2a.SendMessageConfig{ReturnImmediately: true}
	return a.sendForTask(ctx, &a2a.SendMessageRequest{Message: a.message(scenario), Config: config})
}

func (a *acts) run(ctx context.Context, scenario string) (*a2a.Task, error) {
	return a.sendForTask(ctx, &a2a.SendMessageRequest{Message: a.message(scenario)})
}

func (a *acts) send(ctx context.Context) (sight, error) {
	task, err := a.run(ctx, "send")
	if err != nil {
		return nil, err
	}
	a.sent = task.ID
	return sight{"state": short(task.Status.State), "text": statusText(task), "artifacts": texts(task)}, nil
}

func (a *acts) parts(ctx context.Context) (sight, error) {
	task, err := a.run(ctx, "parts")
	if err != nil {
		return nil, err
	}
	seen := sight{}
	for _, artifact := range task.Artifacts {
		part := artifact.Parts[0]
		switch artifact.Name {
		case "bytes":
			seen["bytes"] = base64.StdEncoding.EncodeToString(part.Raw())
		case "data":
			seen["data"] = part.Data()
		case "link":
			seen["link"] = string(part.URL())
		}
	}
	return seen, nil
}

func (a *acts) stream(ctx context.Context) (sight, error) {
	return watch(a.client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: a.message("stream")}))
}

func (a *acts) get(ctx context.Context) (sight, error) {
	task, err := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a.sent})
	if err != nil {
		return nil, err
	}
	none := 0
	bare, err := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: a.sent, HistoryLength: &none})
	if err != nil {
		return nil, err
	}
	asked := ""
	for _, message := range task.History {
		if message.Role == a2a.MessageRoleUser && asked == "" {
			asked = text(message.Parts)
		}
	}
	return sight{
		"same":      task.ID == a.sent,
		"state":     short(task.Status.State),
		"artifacts": texts(task),
		"asked":     asked,
		"bare":      len(bare.History),
	}, nil
}

func (a *acts) list(ctx context.Context) (sight, error) {
	contextID := "interop-" + a2a.NewContextID()
	for range 2 {
		message := a.message("send")
		message.ContextID = contextID
		if _, err := a.sendForTask(ctx, &a2a.SendMessageRequest{Message: message}); err != nil {
			return nil, err
		}
	}
	first, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: contextID, PageSize: 1})
	if err != nil {
		return nil, err
	}
	next := &a2a.ListTasksRequest{ContextID: contextID, PageSize: 1, PageToken: first.NextPageToken}
	second, err := a.client.ListTasks(ctx, next)
	if err != nil {
		return nil, err
	}
	failed, err := a.client.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: contextID, Status: a2a.TaskStateFailed})
	if err != nil {
		return nil, err
	}
	ids := map[a2a.TaskID]bool{}
	for _, task := range append(first.Tasks, second.Tasks...) {
		ids[task.ID] = true
	}
	return sight{
		"total":     first.TotalSize,
		"pages":     []int{len(first.Tasks), len(second.Tasks)},
		"distinct":  len(ids),
		"lastToken": second.NextPageToken,
		"failed":    len(failed.Tasks),
	}, nil
}

func (a *acts) cancel(ctx context.Context) (sight, error) {
	task, err := a.start(ctx, "cancel")
	if err != nil {
		return nil, err
	}
	canceled, err := a.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: task.ID})
	if err != nil {
		return nil, err
	}
	read, err := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if err != nil {
		return nil, err
	}
	return sight{"state": short(canceled.Status.State), "read": short(read.Status.State)}, nil
}

func (a *acts) subscribe(ctx context.Context) (sight, error) {
	task, err := a.start(ctx, "subscribe")
	if err != nil {
		return nil, err
	}
	seen, err := watch(a.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: task.ID}))
	if err != nil {
		return nil, err
	}
	states := seen["states"].([]string)
	last := ""
	if len(states) > 0 {
		last = states[len(states)-1]
	}
	return sight{"first": seen["first"], "last": last, "text": strings.Join(seen["chunks"].([]string), "")}, nil
}

func (a *acts) input(ctx context.Context) (sight, error) {
	asked, err := a.run(ctx, "input")
	if err != nil {
		return nil, err
	}
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, asked, a2a.NewTextPart("the red one"))
	answered, err := a.sendForTask(ctx, &a2a.SendMessageRequest{Message: answer})
	if err != nil {
		return nil, err
	}
	after, err := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: answered.ID})
	if err != nil {
		return nil, err
	}
	isAnswered := false
	for _, message := range after.History {
		isAnswered = isAnswered || text(message.Parts) == "the red one"
	}
	return sight{
		"state":     short(asked.Status.State),
		"question":  statusText(asked),
		"after":     short(answered.Status.State),
		"artifacts": texts(answered),
		"answered":  isAnswered,
	}, nil
}

func (a *acts) errors(ctx context.Context) (sight, error) {
	_, unknown := a.client.GetTask(ctx, &a2a.GetTaskRequest{ID: "no-such-task"})
	_, terminal := a.client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a.sent})
	return sight{"unknown": reason(unknown), "terminal": reason(terminal)}, nil
}

func (a *acts) refused(ctx context.Context) (sight, error) {
	message := a.message("send")
	message.TaskID = "no-such-task"
	_, lost := watch(a.client.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: message}))
	_, ended := watch(a.client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: a.sent}))
	return sight{"lost": reason(lost), "ended": reason(ended)}, nil
}

func (a *acts) reply(ctx context.Context) (sight, error) {
	answer, err := a.client.SendMessage(ctx, &a2a.SendMessageRequest{Message: a.message("message")})
	if err != nil {
		return nil, err
	}
	message, ok := answer.(*a2a.Message)
	if !ok {
		return nil, errors.New("answered by a task")
	}
	return sight{"text": text(message.Parts)}, nil
}

func watch(events iter.Seq2[a2a.Event, error]) (sight, error) {
	first := ""
	states := []string{}
	chunks := []string{}
	see := func(state a2a.TaskState) {
		name := short(state)
		if name != "SUBMITTED" && (len(states) == 0 || states[len(states)-1] != name) {
			states = append(states, name)
		}
	}
	for event, err := range events {
		if err != nil {
			return nil, err
		}
		kind := ""
		switch event := event.(type) {
		case *a2a.Task:
			kind = "task"
			see(event.Status.State)
		case *a2a.TaskStatusUpdateEvent:
			kind = "statusUpdate"
			see(event.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			kind = "artifactUpdate"
			chunks = append(chunks, text(event.Artifact.Parts))
		case *a2a.Message:
			kind = "message"
		}
		if first == "" {
			first = kind
		}
	}
	return sight{"first": first, "states": states, "chunks": chunks}, nil
}

func short(state a2a.TaskState) string { return strings.TrimPrefix(state.String(), "TASK_STATE_") }

func text(parts a2a.ContentParts) string {
	joined := ""
	for _, part := range parts {
		joined += part.Text()
	}
	return joined
}

func statusText(task *a2a.Task) string {
	if task.Status.Message == nil {
		return ""
	}
	return text(task.Status.Message.Parts)
}

func texts(task *a2a.Task) sight {
	byName := sight{}
	for _, artifact := range task.Artifacts {
		byName[artifact.Name] = text(artifact.Parts)
	}
	return byName
}

func reason(err error) string {
	if err == nil {
		return "none"
	}
	return a2a.ErrorReason(err)
}

func main() {
	url, binding, file := os.Args[1], os.Args[2], os.Args[3]
	a := &acts{}
	content, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(content, &a.scripts); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	card, err := agentcard.DefaultResolver.Resolve(ctx, url)
	if err != nil {
		log.Fatal(err)
	}
	preferred := a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{a2a.TransportProtocol(binding)}}
	plaintext := a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
	a.client, err = a2aclient.NewFromCard(ctx, card, a2aclient.WithConfig(preferred), plaintext)
	if err != nil {
		log.Fatal(err)
	}
	scenarios := []struct {
		name string
		act  func(context.Context) (sight, error)
	}{
		{"send", a.send},
		{"parts", a.parts},
		{"stream", a.stream},
		{"get", a.get},
		{"list", a.list},
		{"cancel", a.cancel},
		{"subscribe", a.subscribe},
		{"input", a.input},
		{"errors", a.errors},
		{"refused", a.refused},
		{"message", a.reply},
	}
	report := map[string]sight{}
	for _, scenario := range scenarios {
		bounded, stop := context.WithTimeout(ctx, timeout)
		saw, err := scenario.act(bounded)
		stop()
		if err != nil {
			report[scenario.name] = sight{"error": err.Error()}
			continue
		}
		report[scenario.name] = sight{"saw": saw}
	}
	printed, err := json.Marshal(report)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(printed))
}
