//! A server made with a2a-rs that carries out the scripts of the scenarios. Prints `listening <url>`.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use a2a::{A2AError, Message, StreamResponse};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::rest::rest_router;
use a2a_server::{AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, StaticAgentCard};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, from_value, json, to_value};
use tokio::task::AbortHandle;
use tokio_stream::wrappers::TcpListenerStream;

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

#[derive(Default)]
struct State {
    /// What is left to do after a question, by task.
    rest: HashMap<String, Vec<Value>>,
    running: HashMap<String, AbortHandle>,
}

#[derive(Clone, Default)]
struct ScriptExecutor {
    state: Arc<Mutex<State>>,
}

#[async_trait::async_trait]
impl AgentExecutor for ScriptExecutor {
    fn execute(&self, ctx: ExecutorContext) -> Events {
        let (sender, receiver) = unbounded();
        let (task_id, state) = (ctx.task_id.clone(), self.state.clone());
        let running = tokio::spawn(carry_out(self.state.clone(), ctx, sender));
        state.lock().unwrap().running.insert(task_id, running.abort_handle());
        receiver.boxed()
    }

    fn cancel(&self, ctx: ExecutorContext) -> Events {
        if let Some(running) = self.state.lock().unwrap().running.remove(&ctx.task_id) {
            running.abort();
        }
        stream::iter([status_event(&ctx, "CANCELED", &Value::Null)]).boxed()
    }
}

async fn carry_out(
    state: Arc<Mutex<State>>,
    ctx: ExecutorContext,
    sender: UnboundedSender<Result<StreamResponse, A2AError>>,
) {
    let steps = state.lock().unwrap().rest.remove(&ctx.task_id).unwrap_or_else(|| script_of(ctx.message.as_ref()));
    let send = |event| drop(sender.unbounded_send(event));
    if let Some(reply) = steps.first().and_then(|step| step["reply"].as_str()) {
        return send(message_event(&ctx, reply));
    }
    if ctx.stored_task.is_none() {
        send(task_event(&ctx));
    }
    for (index, step) in steps.iter().enumerate() {
        if step["artifact"].is_object() {
            send(artifact_event(&ctx, &step["artifact"]));
        } else if let Some(ms) = step["wait"].as_f64() {
            tokio::time::sleep(Duration::from_millis(ms as u64)).await;
        } else if step["ask"].is_string() {
            state.lock().unwrap().rest.insert(ctx.task_id.clone(), steps[index + 1..].to_vec());
            return send(status_event(&ctx, "INPUT_REQUIRED", &step["ask"]));
        } else {
            let name = step["state"].as_str().or(step["end"].as_str()).unwrap_or_default();
            send(status_event(&ctx, name, &step["text"]));
        }
    }
}

fn script_of(message: Option<&Message>) -> Vec<Value> {
    let parts = message.and_then(|message| to_value(&message.parts).ok()).unwrap_or_default();
    let scripts = parts.as_array().into_iter().flatten().filter_map(|part| part["data"]["rehearse"].as_array());
    scripts.flatten().cloned().collect()
}

fn parse(event: Value) -> Result<StreamResponse, A2AError> {
    from_value(event).map_err(|error| A2AError::internal(error.to_string()))
}

fn text_message(ctx: &ExecutorContext, text: &str) -> Value {
    json!({
        "messageId": a2a::new_message_id(),
        "role": "ROLE_AGENT",
        "contextId": ctx.context_id,
        "parts": [{ "text": text }],
    })
}

fn message_event(ctx: &ExecutorContext, text: &str) -> Result<StreamResponse, A2AError> {
    parse(json!({ "message": text_message(ctx, text) }))
}

fn task_event(ctx: &ExecutorContext) -> Result<StreamResponse, A2AError> {
    let status = json!({ "state": "TASK_STATE_SUBMITTED" });
    let task = json!({ "id": ctx.task_id, "contextId": ctx.context_id, "status": status, "history": [ctx.message] });
    parse(json!({ "task": task }))
}

fn status_event(ctx: &ExecutorContext, state: &str, text: &Value) -> Result<StreamResponse, A2AError> {
    let mut status = json!({ "state": format!("TASK_STATE_{state}") });
    if let Some(text) = text.as_str() {
        status["message"] = text_message(ctx, text);
        status["message"]["taskId"] = json!(ctx.task_id);
    }
    parse(json!({ "statusUpdate": { "taskId": ctx.task_id, "contextId": ctx.context_id, "status": status } }))
}

fn artifact_event(ctx: &ExecutorContext, step: &Value) -> Result<StreamResponse, A2AError> {
    let arms = [("text", "text"), ("data", "data"), ("url", "url"), ("rawBase64", "raw")];
    let mut part = json!({});
    for (key, arm) in arms {
        if !step[key].is_null() {
            part[arm] = step[key].clone();
        }
    }
    parse(json!({ "artifactUpdate": {
        "taskId": ctx.task_id,
        "contextId": ctx.context_id,
        "artifact": { "artifactId": step["name"], "name": step["name"], "parts": [part] },
        "append": step["append"].as_bool().unwrap_or(false),
        "lastChunk": step["lastChunk"].as_bool().unwrap_or(false),
    }}))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let calls = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let card = from_value(json!({
        "name": "Scripted by a2a-rs",
        "description": "Carries out the scripts of the scenarios.",
        "version": "1.0.0",
        "supportedInterfaces": [
            { "url": format!("{url}/jsonrpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
            { "url": format!("{url}/rest"), "protocolBinding": "HTTP+JSON", "protocolVersion": "1.0" },
            { "url": calls.local_addr()?.to_string(), "protocolBinding": "GRPC", "protocolVersion": "1.0" },
        ],
        "capabilities": { "streaming": true },
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{ "id": "rehearse", "name": "Rehearse", "description": "Carries out a script.", "tags": ["test"] }],
    }))?;
    let handler = Arc::new(DefaultRequestHandler::new(ScriptExecutor::default(), InMemoryTaskStore::new()));
    let app = agent_card_router(Arc::new(StaticAgentCard::new(card)))
        .nest("/jsonrpc", jsonrpc_router(handler.clone()))
        .nest("/rest", rest_router(handler.clone()));
    let service = A2aServiceServer::new(GrpcHandler::new(handler));
    let grpc = tonic::transport::Server::builder().add_service(service);
    tokio::spawn(grpc.serve_with_incoming(TcpListenerStream::new(calls)));
    println!("listening {url}");
    Ok(axum::serve(listener, app).await?)
}
