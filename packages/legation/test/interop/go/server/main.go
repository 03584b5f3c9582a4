// A server made with a2a-go that carries out the scripts of the scenarios. Prints `listening <url>`.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/a2aproject/a2a-go/v2/a2asrv/taskstore"
	"google.golang.org/grpc"
)

type step = map[string]any

type executor struct {
	lock sync.Mutex
	// What is left to do after a question, by task.
	rest map[a2a.TaskID][]step
}

func (e *executor) Execute(ctx context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		steps, err := e.stepsFor(exec)
		if err != nil {
			yield(nil, err)
			return
		}
		if reply, ok := steps[0]["reply"].(string); ok {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart(reply)), nil)
			return
		}
		if exec.StoredTask == nil && !yield(a2a.NewSubmittedTask(exec, exec.Message), nil) {
			return
		}
		for index, step := range steps {
			event, err := carryOut(ctx, exec, step)
			if err != nil {
				yield(nil, err)
				return
			}
			if event == nil {
				continue
			}
			if _, asks := step["ask"]; asks {
				e.lock.Lock()
				e.rest[exec.TaskID] = steps[index+1:]
				e.lock.Unlock()
				yield(event, nil)
				return
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (e *executor) Cancel(_ context.Context, exec *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(exec, a2a.TaskStateCanceled, nil), nil)
	}
}

func (e *executor) stepsFor(exec *a2asrv.ExecutorContext) ([]step, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if rest, ok := e.rest[exec.TaskID]; ok {
		delete(e.rest, exec.TaskID)
		return rest, nil
	}
	for _, part := range exec.Message.Parts {
		data, _ := part.Data().(map[string]any)
		script, ok := data["rehearse"].([]any)
		if !ok {
			continue
		}
		steps := make([]step, 0, len(script))
		for _, entry := range script {
			steps = append(steps, entry.(step))
		}
		return steps, nil
	}
	return nil, errors.New("the message holds no script")
}

func carryOut(ctx context.Context, exec *a2asrv.ExecutorContext, step step) (a2a.Event, error) {
	if artifact, ok := step["artifact"].(map[string]any); ok {
		return artifactEvent(exec, artifact)
	}
	if ms, ok := step["wait"].(float64); ok {
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if question, ok := step["ask"].(string); ok {
		return statusEvent(exec, a2a.TaskStateInputRequired, question), nil
	}
	state, ok := step["state"].(string)
	if !ok {
		state, _ = step["end"].(string)
	}
	text, _ := step["text"].(string)
	return statusEvent(exec, a2a.TaskState("TASK_STATE_"+state), text), nil
}

func statusEvent(exec *a2asrv.ExecutorContext, state a2a.TaskState, text string) a2a.Event {
	var message *a2a.Message
	if text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, exec, a2a.NewTextPart(text))
	}
	return a2a.NewStatusUpdateEvent(exec, state, message)
}

func artifactEvent(exec *a2asrv.ExecutorContext, step map[string]any) (a2a.Event, error) {
	name, _ := step["name"].(string)
	part := a2a.NewDataPart(step["data"])
	if text, ok := step["text"].(string); ok {
		part = a2a.NewTextPart(text)
	} else if raw, ok := step["rawBase64"].(string); ok {
		content, err := base64.StdEncoding.DecodeString(raw)
		if err != nil {
			return nil, err
		}
		part = a2a.NewRawPart(content)
	} else if url, ok := step["url"].(string); ok {
		part = a2a.NewFileURLPart(a2a.URL(url), "")
	}
	event := a2a.NewArtifactUpdateEvent(exec, a2a.ArtifactID(name), part)
	event.Artifact.Name = name
	event.Append, _ = step["append"].(bool)
	event.LastChunk, _ = step["lastChunk"].(bool)
	return event, nil
}

func main() {
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	rpc, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	url := "http://" + web.Addr().String()
	card := &a2a.AgentCard{
		Name:        "Scripted by a2a-go",
		Description: "Carries out the scripts of the scenarios.",
		Version:     "1.0.0",
		SupportedInterfaces: []*a2a.AgentInterface{
			{URL: url + "/jsonrpc", ProtocolBinding: a2a.TransportProtocolJSONRPC, ProtocolVersion: a2a.Version},
			{URL: url + "/rest", ProtocolBinding: a2a.TransportProtocolHTTPJSON, ProtocolVersion: a2a.Version},
			{URL: rpc.Addr().String(), ProtocolBinding: a2a.TransportProtocolGRPC, ProtocolVersion: a2a.Version},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{
			{ID: "rehearse", Name: "Rehearse", Description: "Carries out a script.", Tags: []string{"test"}},
		},
	}
	// The store lists nothing for callers without a name; here everybody has the same one.
	anybody := func(context.Context) (string, error) { return "anybody", nil }
	store := taskstore.NewInMemory(&taskstore.InMemoryStoreConfig{Authenticator: anybody})
	executor := &executor{rest: map[a2a.TaskID][]step{}}
	handler := a2asrv.NewHandler(executor, a2asrv.WithTaskStore(store))
	calls := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(calls)
	go func() { log.Fatal(calls.Serve(rpc)) }()
	mux := http.NewServeMux()
	mux.Handle("/.well-known/agent-card.json", a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/jsonrpc", a2asrv.NewJSONRPCHandler(handler))
	mux.Handle("/rest/", http.StripPrefix("/rest", a2asrv.NewRESTHandler(handler)))
	fmt.Println("listening", url)
	log.Fatal(http.Serve(web, mux))
}
