//! The client of a2a-rs in the scenarios: `client <agent url> <binding> <scenarios.json>` prints one JSON report.
use std::sync::Arc;
use std::time::Duration;

use a2a::{A2AError, SendMessageRequest, SendMessageResponse, StreamResponse, error_reason};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::{A2AClient, A2AClientFactory, BoxStream, Transport};
use a2a_grpc::GrpcTransportFactory;
use futures::{Stream, StreamExt};
use serde_json::{Value, from_value, json, to_value};

const TIMEOUT: Duration = Duration::from_secs(20);
const SCENARIOS: [&str; 11] =
    ["send", "parts", "stream", "get", "list", "cancel", "subscribe", "input", "errors", "refused", "message"];

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

struct Acts {
    client: A2AClient<Box<dyn Transport>>,
    scripts: Value,
    sent: String,
}

impl Acts {
    fn request(&self, scenario: &str, more: Value, configuration: Value) -> Fallible<SendMessageRequest> {
        let parts = json!([
            { "text": format!("rehearse {scenario}") },
            { "data": { "rehearse": self.scripts[scenario] } },
        ]);
        let mut message = json!({ "messageId": a2a::new_message_id(), "role": "ROLE_USER", "parts": parts });
        for (key, value) in more.as_object().into_iter().flatten() {
            message[key] = value.clone();
        }
        Ok(from_value(json!({ "message": message, "configuration": configuration }))?)
    }

    async fn send_for_task(&self, request: SendMessageRequest) -> Fallible<Value> {
        match self.client.send_message(&request).await? {
            SendMessageResponse::Task(task) => Ok(to_value(task)?),
            SendMessageResponse::Message(_) => Err("answered by a message".into()),
        }
    }

    async fn run(&self, scenario: &str) -> Fallible<Value> {
        self.send_for_task(self.request(scenario, json!({}), Value::Null)?).await
    }

    async fn start(&self, scenario: &str) -> Fallible<Value> {
        self.send_for_task(self.request(scenario, json!({}), json!({ "returnImmediately": true }))?).await
    }

    async fn task(&self, request: Value) -> Fallible<Value> {
        Ok(to_value(self.client.get_task(&from_value(request)?).await?)?)
    }

    async fn act(&mut self, scenario: &str) -> Fallible<Value> {
        match scenario {
            "send" => {
                let task = self.run("send").await?;
                self.sent = task["id"].as_str().unwrap_or_default().to_owned();
                Ok(json!({
                    "state": state_of(&task),
                    "text": text_of(&task["status"]["message"]),
                    "artifacts": texts_of(&task),
                }))
            }
            "parts" => {
                let task = self.run("parts").await?;
                let part = |name: &str| {
                    let artifact = list_of(&task["artifacts"]).iter().find(|artifact| artifact["name"] == name);
                    artifact.map(|artifact| artifact["parts"][0].clone()).unwrap_or_default()
                };
                Ok(json!({
                    "bytes": part("bytes")["raw"],
                    "data": part("data")["data"],
                    "link": part("link")["url"],
                }))
            }
            "stream" => {
                let request = self.request("stream", json!({}), Value::Null)?;
                watch(self.client.send_streaming_message(&request).await?).await
            }
            "get" => self.get().await,
            "list" => self.list().await,
            "cancel" => {
                let task = self.start("cancel").await?;
                let canceled = self.client.cancel_task(&from_value(json!({ "id": task["id"] }))?).await?;
                let read = self.task(json!({ "id": task["id"] })).await?;
                Ok(json!({ "state": state_of(&to_value(canceled)?), "read": state_of(&read) }))
            }
            "subscribe" => {
                let task = self.start("subscribe").await?;
                let request = from_value(json!({ "id": task["id"] }))?;
                let seen = watch(self.client.subscribe_to_task(&request).await?).await?;
                let chunks: Vec<&str> = list_of(&seen["chunks"]).iter().filter_map(Value::as_str).collect();
                let last = list_of(&seen["states"]).last();
                Ok(json!({ "first": seen["first"], "last": last, "text": chunks.concat() }))
            }
            "input" => self.input().await,
            "errors" => {
                let unknown = self.client.get_task(&from_value(json!({ "id": "no-such-task" }))?).await;
                let terminal = self.client.cancel_task(&from_value(json!({ "id": self.sent }))?).await;
                Ok(json!({ "unknown": reason_of(unknown), "terminal": reason_of(terminal) }))
            }
            "refused" => {
                let request = self.request("send", json!({ "taskId": "no-such-task" }), Value::Null)?;
                let lost = drain(self.client.send_streaming_message(&request).await).await;
                let request = from_value(json!({ "id": self.sent }))?;
                let ended = drain(self.client.subscribe_to_task(&request).await).await;
                Ok(json!({ "lost": reason_of(lost), "ended": reason_of(ended) }))
            }
            _ => match self.client.send_message(&self.request("message", json!({}), Value::Null)?).await? {
                SendMessageResponse::Message(message) => Ok(json!({ "text": text_of(&to_value(message)?) })),
                SendMessageResponse::Task(_) => Err("answered by a task".into()),
            },
        }
    }

    async fn get(&self) -> Fallible<Value> {
        let task = self.task(json!({ "id": self.sent })).await?;
        let bare = self.task(json!({ "id": self.sent, "historyLength": 0 })).await?;
        let asked = list_of(&task["history"]).iter().find(|message| message["role"] == "ROLE_USER");
        Ok(json!({
            "same": task["id"] == self.sent,
            "state": state_of(&task),
            "artifacts": texts_of(&task),
            "asked": asked.map(text_of),
            "bare": list_of(&bare["history"]).len(),
        }))
    }

    async fn list(&self) -> Fallible<Value> {
        let context_id = format!("interop-{}", a2a::new_context_id());
        for _ in 0..2 {
            self.send_for_task(self.request("send", json!({ "contextId": context_id }), Value::Null)?).await?;
        }
        let page = async |filter: Value| -> Fallible<Value> {
            Ok(to_value(self.client.list_tasks(&from_value(filter)?).await?)?)
        };
        let first = page(json!({ "contextId": context_id, "pageSize": 1 })).await?;
        let token = &first["nextPageToken"];
        let second = page(json!({ "contextId": context_id, "pageSize": 1, "pageToken": token })).await?;
        let failed = page(json!({ "contextId": context_id, "status": "TASK_STATE_FAILED" })).await?;
        let (one, two) = (list_of(&first["tasks"]), list_of(&second["tasks"]));
        let mut ids: Vec<String> = one.iter().chain(two).map(|task| task["id"].to_string()).collect();
        ids.sort();
        ids.dedup();
        Ok(json!({
            "total": first["totalSize"],
            "pages": [one.len(), two.len()],
            "distinct": ids.len(),
            "lastToken": second["nextPageToken"],
            "failed": list_of(&failed["tasks"]).len(),
        }))
    }

    async fn input(&self) -> Fallible<Value> {
        let asked = self.run("input").await?;
        let answer = json!({ "message": {
            "messageId": a2a::new_message_id(),
            "role": "ROLE_USER",
            "taskId": asked["id"],
            "contextId": asked["contextId"],
            "parts": [{ "text": "the red one" }],
        }});
        let answered = self.send_for_task(from_value(answer)?).await?;
        let after = self.task(json!({ "id": answered["id"] })).await?;
        let is_answered = list_of(&after["history"]).iter().any(|message| text_of(message) == "the red one");
        Ok(json!({
            "state": state_of(&asked),
            "question": text_of(&asked["status"]["message"]),
            "after": state_of(&answered),
            "artifacts": texts_of(&answered),
            "answered": is_answered,
        }))
    }
}

async fn watch(mut events: impl Stream<Item = Result<StreamResponse, A2AError>> + Unpin) -> Fallible<Value> {
    let mut first = Value::Null;
    let mut states: Vec<String> = Vec::new();
    let mut chunks: Vec<String> = Vec::new();
    while let Some(event) = events.next().await {
        let event = to_value(event?)?;
        let Some((kind, body)) = event.as_object().and_then(|fields| fields.iter().next()) else { continue };
        if first.is_null() {
            first = json!(kind);
        }
        if kind == "artifactUpdate" {
            chunks.push(text_of(&body["artifact"]));
        } else {
            let state = state_of(body);
            if state != "SUBMITTED" && states.last() != Some(&state) {
                states.push(state);
            }
        }
    }
    Ok(json!({ "first": first, "states": states, "chunks": chunks }))
}

type Opened = Result<BoxStream<'static, Result<StreamResponse, A2AError>>, A2AError>;

async fn drain(opened: Opened) -> Result<(), A2AError> {
    let mut events = opened?;
    while let Some(event) = events.next().await {
        event?;
    }
    Ok(())
}

fn list_of(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn state_of(holder: &Value) -> String {
    holder["status"]["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_").to_owned()
}

fn text_of(holder: &Value) -> String {
    list_of(&holder["parts"]).iter().filter_map(|part| part["text"].as_str()).collect()
}

fn texts_of(task: &Value) -> Value {
    let named = list_of(&task["artifacts"]).iter();
    named.map(|artifact| (artifact["name"].as_str().unwrap_or_default().to_owned(), json!(text_of(artifact)))).collect()
}

fn reason_of<T>(outcome: Result<T, A2AError>) -> &'static str {
    outcome.err().map_or("none", |error| error_reason(error.code))
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, binding, file] = arguments.as_slice() else { return Err("give url, binding and scenarios".into()) };
    let scripts = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let card = AgentCardResolver::new(None).resolve(url).await?;
    let builder = A2AClientFactory::builder().register(Arc::new(GrpcTransportFactory::new()));
    let factory = builder.preferred_bindings(vec![binding.clone()]).build();
    let mut acts = Acts { client: factory.create_from_card(&card).await?, scripts, sent: String::new() };
    let mut report = json!({});
    for scenario in SCENARIOS {
        report[scenario] = match tokio::time::timeout(TIMEOUT, acts.act(scenario)).await {
            Ok(Ok(saw)) => json!({ "saw": saw }),
            Ok(Err(error)) => json!({ "error": error.to_string() }),
            Err(_) => json!({ "error": format!("no end after {TIMEOUT:?}") }),
        };
    }
    println!("{report}");
    Ok(())
}
