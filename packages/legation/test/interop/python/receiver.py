"""A webhook made with a2a-sdk: takes StreamResponses as its model reads them, and refuses everything else."""

import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from a2a.types.a2a_pb2 import StreamResponse
from google.protobuf.json_format import MessageToDict, ParseDict

TOKEN = sys.argv[1]


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = 200
        if not hmac.compare_digest(self.headers.get("X-A2A-Notification-Token", ""), TOKEN):
            status = 401
        else:
            try:
                event = ParseDict(json.loads(body), StreamResponse())
                print(json.dumps({"which": event.WhichOneof("payload"), "event": MessageToDict(event)}), flush=True)
            except Exception as refused:  # whatever the model does not take is what the test is about
                print(json.dumps({"refused": str(refused)}), flush=True)
                status = 400
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
