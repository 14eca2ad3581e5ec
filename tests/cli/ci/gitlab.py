"""A stand-in of GitLab's API for the notes of one merge request: gitlab.py PORT_FILE NOTES_FILE.

Somebody else has written the marker already. NOTES_FILE has a line a note after each change.
"""
import http.server
import json
import pathlib
import sys
import urllib.parse

NOTES = "/projects/3/merge_requests/5/notes"
notes = [{"id": 1, "author": {"id": 8}, "body": "<!-- perfevo -->\nof somebody else"}]


class Api(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def handle_any(self):
        path = urllib.parse.urlsplit(self.path).path
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        status, answer = 404, None
        if self.headers.get("PRIVATE-TOKEN") != "secret":
            status = 401
        elif path == "/user":
            status, answer = 200, {"id": 7}
        elif path == NOTES and self.command == "GET":
            status, answer = 200, notes
        elif path == NOTES and self.command == "POST":
            notes.append({"id": len(notes) + 1, "author": {"id": 7}, "body": body["body"]})
            status = 201
        elif path.startswith(NOTES + "/") and self.command == "PUT":
            notes[int(path.rsplit("/", 1)[1]) - 1]["body"] = body["body"]
            status = 200
        pathlib.Path(sys.argv[2]).write_text("".join(json.dumps(note) + "\n" for note in notes))
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = handle_any


server = http.server.HTTPServer(("127.0.0.1", 0), Api)
pathlib.Path(sys.argv[1]).write_text(str(server.server_port))
server.serve_forever()
