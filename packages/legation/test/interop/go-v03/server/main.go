// A server made with a2a-go 0.3 that carries out the scripts of the scenarios. Prints `listening <url>`.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"google.golang.org/grpc"
)

type step = map[string]any

type executor struct {
	lock sync.Mutex
	// What is left to do after a question, by task.
	rest map[a2a.TaskID][]step
}

func (e *executor) Execute(ctx context.Context, request *a2asrv.RequestContext, queue eventqueue.Queue) error {
	steps, err := e.stepsFor(request)
	if err != nil {
		return err
	}
	if reply, ok := steps[0]["reply"].(string); ok {
		message := a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: reply})
		message.ContextID = request.ContextID
		return queue.Write(ctx, message)
	}
	if request.StoredTask == nil {
		if err := queue.Write(ctx, a2a.NewSubmittedTask(request, request.Message)); err != nil {
			return err
		}
	}
	for index, step := range steps {
		event, err := carryOut(ctx, request, step)
		if err != nil {
			return err
		}
		if event == nil {
			continue
		}
		if _, asks := step["ask"]; asks {
			e.lock.Lock()
			e.rest[request.TaskID] = steps[index+1:]
			e.lock.Unlock()
			return queue.Write(ctx, event)
		}
		if err := queue.Write(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func (e *executor) Cancel(ctx context.Context, request *a2asrv.RequestContext, queue eventqueue.Queue) error {
	event := a2a.NewStatusUpdateEvent(request, a2a.TaskStateCanceled, nil)
	event.Final = true
	return queue.Write(ctx, event)
}

func (e *executor) stepsFor(request *a2asrv.RequestContext) ([]step, error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if rest, ok := e.rest[request.TaskID]; ok {
		delete(e.rest, request.TaskID)
		return rest, nil
	}
	for _, part := range request.Message.Parts {
		data, ok := part.(a2a.DataPart)
		if !ok {
			continue
		}
		script, ok := data.Data["rehearse"].([]any)
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

func carryOut(ctx context.Context, request *a2asrv.RequestContext, step step) (a2a.Event, error) {
	if artifact, ok := step["artifact"].(map[string]any); ok {
		return artifactEvent(request, artifact), nil
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
		return statusEvent(request, "INPUT_REQUIRED", question, true), nil
	}
	state, isMiddle := step["state"].(string)
	if !isMiddle {
		state, _ = step["end"].(string)
	}
	text, _ := step["text"].(string)
	return statusEvent(request, state, text, !isMiddle), nil
}

func statusEvent(request *a2asrv.RequestContext, name string, text string, final bool) a2a.Event {
	var message *a2a.Message
	if text != "" {
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, request, a2a.TextPart{Text: text})
	}
	state := a2a.TaskState(strings.ToLower(strings.ReplaceAll(name, "_", "-")))
	event := a2a.NewStatusUpdateEvent(request, state, message)
	event.Final = final
	return event
}

func artifactEvent(request *a2asrv.RequestContext, step map[string]any) a2a.Event {
	name, _ := step["name"].(string)
	var part a2a.Part
	if text, ok := step["text"].(string); ok {
		part = a2a.TextPart{Text: text}
	} else if raw, ok := step["rawBase64"].(string); ok {
		part = a2a.FilePart{File: a2a.FileBytes{Bytes: raw}}
	} else if url, ok := step["url"].(string); ok {
		part = a2a.FilePart{File: a2a.FileURI{URI: url}}
	} else {
		data, _ := step["data"].(map[string]any)
		part = a2a.DataPart{Data: data}
	}
	event := a2a.NewArtifactUpdateEvent(request, a2a.ArtifactID(name), part)
	event.Artifact.Name = name
	event.Append, _ = step["append"].(bool)
	event.LastChunk, _ = step["lastChunk"].(bool)
	return event
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
		Name:               "Scripted by a2a-go 0.3",
		Description:        "Carries out the scripts of the scenarios.",
		Version:            "1.0.0",
		ProtocolVersion:    "0.3.0",
		URL:                url + "/jsonrpc",
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		AdditionalInterfaces: []a2a.AgentInterface{
			{URL: url + "/jsonrpc", Transport: a2a.TransportProtocolJSONRPC},
			{URL: rpc.Addr().String(), Transport: a2a.TransportProtocolGRPC},
		},
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{
			{ID: "rehearse", Name: "Rehearse", Description: "Carries out a script.", Tags: []string{"test"}},
		},
	}
	handler := a2asrv.NewHandler(&executor{rest: map[a2a.TaskID][]step{}})
	calls := grpc.NewServer()
	a2agrpc.NewHandler(handler).RegisterWith(calls)
	go func() { log.Fatal(calls.Serve(rpc)) }()
	mux := http.NewServeMux()
	mux.Handle("/.well-known/agent-card.json", a2asrv.NewStaticAgentCardHandler(card))
	mux.Handle("/jsonrpc", a2asrv.NewJSONRPCHandler(handler))
	fmt.Println("listening", url)
	log.Fatal(http.Serve(web, mux))
}
