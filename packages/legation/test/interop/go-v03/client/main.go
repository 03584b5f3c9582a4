// The client of a2a-go 0.3 in the scenarios that v0.3 has: `client <agent url> <binding> <scenarios.json>` prints one
// JSON report.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"os"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
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
	return a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: "rehearse " + scenario}, a2a.DataPart{Data: data})
}

func (a *acts) sendForTask(ctx context.Context, message *a2a.Message, blocking bool) (*a2a.Task, error) {
	config := &a2a.MessageSendConfig{Blocking: &blocking}
	answer, err := a.client.SendMessage(ctx, &a2a.MessageSendParams{Message: message, Config: config})
	if err != nil {
		return nil, err
	}
	task, ok := answer.(*a2a.Task)
	if !ok {
		return nil, errors.New("answered by a message")
	}
	return task, nil
}

func (a *acts) task(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	length := 10
	return a.client.GetTask(ctx, &a2a.TaskQueryParams{ID: id, HistoryLength: &length})
}

func (a *acts) send(ctx context.Context) (sight, error) {
	task, err := a.sendForTask(ctx, a.message("send"), true)
	if err != nil {
		return nil, err
	}
	a.sent = task.ID
	return sight{"state": short(task.Status.State), "text": statusText(task), "artifacts": texts(task)}, nil
}

func (a *acts) parts(ctx context.Context) (sight, error) {
	task, err := a.sendForTask(ctx, a.message("parts"), true)
	if err != nil {
		return nil, err
	}
	seen := sight{}
	for _, artifact := range task.Artifacts {
		switch part := artifact.Parts[0].(type) {
		case a2a.DataPart:
			seen["data"] = part.Data
		case a2a.FilePart:
			switch file := part.File.(type) {
			case a2a.FileBytes:
				seen["bytes"] = file.Bytes
			case a2a.FileURI:
				seen["link"] = file.URI
			}
		}
	}
	return seen, nil
}

func (a *acts) stream(ctx context.Context) (sight, error) {
	return watch(a.client.SendStreamingMessage(ctx, &a2a.MessageSendParams{Message: a.message("stream")}))
}

func (a *acts) get(ctx context.Context) (sight, error) {
	task, err := a.task(ctx, a.sent)
	if err != nil {
		return nil, err
	}
	asked := ""
	for _, message := range task.History {
		if message.Role == a2a.MessageRoleUser && asked == "" {
			asked = text(message.Parts)
		}
	}
	return sight{"same": task.ID == a.sent, "state": short(task.Status.State), "artifacts": texts(task), "asked": asked}, nil
}

func (a *acts) cancel(ctx context.Context) (sight, error) {
	task, err := a.sendForTask(ctx, a.message("cancel"), false)
	if err != nil {
		return nil, err
	}
	canceled, err := a.client.CancelTask(ctx, &a2a.TaskIDParams{ID: task.ID})
	if err != nil {
		return nil, err
	}
	read, err := a.task(ctx, task.ID)
	if err != nil {
		return nil, err
	}
	return sight{"state": short(canceled.Status.State), "read": short(read.Status.State)}, nil
}

func (a *acts) subscribe(ctx context.Context) (sight, error) {
	task, err := a.sendForTask(ctx, a.message("subscribe"), false)
	if err != nil {
		return nil, err
	}
	seen, err := watch(a.client.ResubscribeToTask(ctx, &a2a.TaskIDParams{ID: task.ID}))
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
	asked, err := a.sendForTask(ctx, a.message("input"), true)
	if err != nil {
		return nil, err
	}
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, asked, a2a.TextPart{Text: "the red one"})
	answered, err := a.sendForTask(ctx, answer, true)
	if err != nil {
		return nil, err
	}
	after, err := a.task(ctx, answered.ID)
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
	_, unknown := a.client.GetTask(ctx, &a2a.TaskQueryParams{ID: "no-such-task"})
	_, terminal := a.client.CancelTask(ctx, &a2a.TaskIDParams{ID: a.sent})
	return sight{"unknown": reason(unknown), "terminal": reason(terminal)}, nil
}

func (a *acts) reply(ctx context.Context) (sight, error) {
	answer, err := a.client.SendMessage(ctx, &a2a.MessageSendParams{Message: a.message("message")})
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
			kind = "status"
			see(event.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			kind = "artifact"
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

func short(state a2a.TaskState) string {
	return strings.ToUpper(strings.ReplaceAll(string(state), "-", "_"))
}

func text(parts a2a.ContentParts) string {
	joined := ""
	for _, part := range parts {
		if part, ok := part.(a2a.TextPart); ok {
			joined += part.Text
		}
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

// Over gRPC the SDK gives the status as it came.
func reason(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, a2a.ErrTaskNotFound), status.Code(err) == codes.NotFound:
		return "TASK_NOT_FOUND"
	case errors.Is(err, a2a.ErrTaskNotCancelable), status.Code(err) == codes.FailedPrecondition:
		return "TASK_NOT_CANCELABLE"
	}
	return err.Error()
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
	plaintext := a2aclient.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials()))
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
		{"cancel", a.cancel},
		{"subscribe", a.subscribe},
		{"input", a.input},
		{"errors", a.errors},
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
