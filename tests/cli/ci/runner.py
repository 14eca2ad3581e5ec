"""A stand-in of GitHub's runner and of its API, as its documentation describes both.

    runner.py ACTION_FOLDER EVENT.json STATE [INPUT=VALUE...]

Runs the steps of a composite action in the current folder, with the variables, files and contexts of a job. STATE is a folder:
"api.json" what GitHub has (comments, pulls, artifacts), "cache" and "artifact" what the actions for these keep, "release" what
can be downloaded. Prints the commands that reached the runner, what was asked of the API, and the outputs.
"""
import base64
import gzip
import http.server
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.parse
import zipfile

import yaml

TOKEN = "token-of-the-job"


class Api(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass

    def handle_any(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if match := re.fullmatch(r"/o/perfevo/releases/download/v[0-9.]+/([^/]+)", url.path):
            path = self.server.state / "release" / match[1]
            return self.answer(200, path.read_bytes()) if path.is_file() else self.answer(404, {})
        if self.headers.get("Authorization") != "Bearer " + TOKEN:
            return self.answer(401, {})
        if self.command != "GET":
            self.server.asked.append(f"{self.command} {url.path}")
        return self.answer(*self.github(url.path, query, json.loads(body) if body else None))

    def github(self, path, query, body):
        have, state = self.server.have, self.server.state
        if self.command != "GET" and have.get("read_only"):
            return 403, {}
        if match := re.fullmatch(r"/repos/o/r/issues/(\d+)/comments", path):
            comments = have["comments"].setdefault(match[1], [])
            if self.command == "POST":
                comments.append({"id": 1000 + len(comments), "user": {"type": "Bot"}, "body": body["body"]})
                return 201, comments[-1]
            size, page = int(query["per_page"]), int(query["page"])
            return 200, comments[(page - 1) * size:page * size]
        if match := re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path):
            for comment in sum(have["comments"].values(), []):
                if comment["id"] == int(match[1]) and self.command == "PATCH":
                    comment["body"] = body["body"]
                    return 200, comment
        if path == "/repos/o/r/pulls":
            return 200, [pull for pull in have["pulls"] if pull["head"]["label"] == query["head"]]
        if path.startswith("/repos/o/r/actions/runs/"):
            there = (state / "artifact").is_dir()
            return 200, {"artifacts": [{"id": 7, "name": "perfevo", "expired": False}] if there else []}
        if path == "/repos/o/r/actions/artifacts/7/zip":
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w") as archive:
                for file in sorted((state / "artifact").iterdir()):
                    archive.writestr(file.name, file.read_bytes())
            return 200, out.getvalue()
        if path == "/repos/o/r/code-scanning/sarifs":
            sarif = json.loads(gzip.decompress(base64.b64decode(body["sarif"])))
            print("sarif", body["ref"], body["commit_sha"], len(sarif["runs"][0]["results"]))
            return 202, {}
        return 404, {}

    do_GET = do_POST = do_PATCH = handle_any


def evaluate(text, contexts, done):
    """An expression of the few forms that the action has."""
    def value(term):
        term = term.strip()
        if term == "always()":
            return True
        if term[0] == "'":
            return term[1:-1]
        if term == "success()":
            return done
        at = contexts
        for key in term.split("."):
            at = (at or {}).get(key)
        return "" if at is None else at

    def holds(term):
        sides = term.split("==")
        return value(term) if len(sides) == 1 else value(sides[0]) == value(sides[1])

    terms = text.split("&&")
    if len(terms) == 1 and "==" not in text:
        return value(text)
    return all(holds(term) for term in terms)


def fill(text, contexts):
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(evaluate(match[1].strip(), contexts, True)), str(text))


def read_settings(path):
    """A file of settings: NAME=VALUE, or NAME<<END with lines until END."""
    found, lines = {}, iter(path.read_text().splitlines())
    for line in lines:
        name, separator, value = re.match(r"([^=<]*)(=|<<)(.*)$", line).groups()
        if separator == "<<":
            value = "\n".join(iter(lambda end=value: next(lines), value))
        found[name] = value
    return found


def main():
    action, state = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    event_path = pathlib.Path(sys.argv[2]).resolve()
    event = json.loads(event_path.read_text())
    name, given = event.pop("_name"), dict(word.split("=", 1) for word in sys.argv[4:])
    definition = yaml.safe_load((action / "action.yml").read_text())
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.state, server.asked, server.have = state, [], json.loads((state / "api.json").read_text())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}"
    temp = state / "temp"
    shutil.rmtree(temp, ignore_errors=True)
    temp.mkdir(parents=True)
    inputs = {key: str(each.get("default", "")) for key, each in definition["inputs"].items()} | given
    # GitHub does not promise "github.action_repository" in composite actions; the folder of the action is where it puts it.
    (temp / "_actions/o/perfevo").mkdir(parents=True)
    (temp / "_actions/o/perfevo/v1").symlink_to(action.parent)
    contexts = {"inputs": inputs, "steps": {}, "runner": {"temp": str(temp), "os": "Linux", "arch": "X64"},
                "github": {"event": event, "event_name": name, "token": TOKEN, "action_repository": "", "sha": "0" * 40}}
    files = {key: temp / key for key in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE")}
    summary = state / "summary"
    summary.write_text("")
    env = dict(os.environ, CI="true", GITHUB_ACTIONS="true", GITHUB_ACTION_PATH=str(temp / "_actions/o/perfevo/v1" / action.name), GITHUB_API_URL=here,
               GITHUB_EVENT_NAME=name, GITHUB_EVENT_PATH=str(event_path), GITHUB_REPOSITORY="o/r", GITHUB_RUN_ID="42",
               GITHUB_SERVER_URL=here, GITHUB_STEP_SUMMARY=str(summary), GITHUB_WORKSPACE=os.getcwd(), RUNNER_ARCH="X64",
               RUNNER_ENVIRONMENT="self-hosted", RUNNER_OS="Linux", RUNNER_TEMP=str(temp), **{k: str(v) for k, v in files.items()})
    pull = event.get("pull_request")
    if pull:
        env |= {"GITHUB_BASE_REF": pull["base"]["ref"], "GITHUB_HEAD_REF": pull["head"]["ref"]}
    done = True
    for step in definition["runs"]["steps"]:
        condition = step.get("if", "success()")
        if not evaluate(condition, contexts, done) or (not done and "always()" not in condition):
            continue
        settings = {key: fill(value, contexts) for key, value in (step.get("with") or {}).items()}
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z/-]+@[0-9a-f]{40}", step["uses"]), step["uses"]
            kind = step["uses"].split("@")[0].removeprefix("actions/")
            kept = {"cache/restore": (state / "cache", settings["path"]), "cache/save": (settings["path"], state / "cache"),
                    "upload-artifact": (settings["path"], state / "artifact")}[kind]
            if pathlib.Path(kept[0]).is_dir():
                print("step", kind)
                shutil.copytree(*kept, dirs_exist_ok=True)
            continue
        for path in files.values():
            path.write_text("")
        mine = env | {key: fill(value, contexts) for key, value in step.get("env", {}).items()}
        assert "${{" not in step["run"] and step["shell"] == "sh"
        ran = subprocess.run(["sh", "-e", "-c", step["run"]], env=mine, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        lines = ran.stdout.decode(errors="replace").splitlines()
        with (state / "log").open("a") as log:
            log.write("\n".join(lines) + "\n")
        for line in lines:
            if line.lstrip().startswith("::") or line.startswith("##["):
                print("command", line.strip()[:300])
        if "id" in step:
            contexts["steps"][step["id"]] = {"outputs": read_settings(files["GITHUB_OUTPUT"])}
        env |= read_settings(files["GITHUB_ENV"])
        env["PATH"] = ":".join(reversed(files["GITHUB_PATH"].read_text().split())) + ":" + env["PATH"]
        if ran.returncode != 0:
            print(f"failed: {step['name']}, status {ran.returncode}")
            done = False
    for line in server.asked:
        print("asked", line)
    for key, output in definition.get("outputs", {}).items():
        print(f"{key}={fill(output['value'], contexts).replace(str(state), 'STATE')}")
    (state / "api.json").write_text(json.dumps(server.have))
    print("job", "succeeded" if done else "failed")


main()
