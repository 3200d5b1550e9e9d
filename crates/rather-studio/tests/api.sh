#!/usr/bin/env bash
# The API as strangers try it: its OpenAPI document must validate, and generated requests must never find a status of 500, an
# undocumented answer, or one that is not as documented.
#
#   crates/rather-studio/tests/api.sh [PROGRAM] [EXAMPLES]
#
# PROGRAM is `rather` (target/debug/rather unless told otherwise), EXAMPLES the number of requests for each operation and
# phase (25). Needs python3; the tools are installed into a virtual environment below target/.
set -euo pipefail
cd "$(dirname "$0")/../../.."

program=${1:-target/debug/rather}
examples=${2:-25}
tools=target/api-tools
work=$(mktemp -d)
# The studio writes until it has ended.
trap 'if [ -n "${studio:-}" ]; then kill "$studio" 2>/dev/null || true; wait "$studio" 2>/dev/null || true; fi; rm -rf "$work"' EXIT

if [ ! -x "$tools/bin/schemathesis" ]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "schemathesis==4.32.5" "openapi-spec-validator==0.9.0"
fi

"$program" studio "$work/studio.db" --listen 127.0.0.1:0 --json >"$work/where.json" &
studio=$!
for _ in $(seq 100); do
    [ -s "$work/where.json" ] && break
    sleep 0.1
done
url=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["url"].rstrip("/"))' "$work/where.json")

# Studies with answers, so that looking at results finds something: one of items beside the demo's two of parameters.
python3 - "$url/api/v1" <<'PYTHON'
import json, sys, urllib.request

def post(path, body):
    request = urllib.request.Request(sys.argv[1] + path, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request))

studies = [post("/studies", {"toml": 'title = "Teas"\nitems = ["Assam", "Oolong", "Sencha", "Mate"]\n'})["id"]]
studies += [s["id"] for s in json.load(urllib.request.urlopen(sys.argv[1] + "/studies"))["studies"] if s["demo"]]
for study in studies:
    turn = post(f"/studies/{study}/ask", {})
    for i in range(6):
        turn = post(f"/studies/{study}/tell", {"duel": turn["next"]["duel"], "answer": "left" if i % 2 else "right"})
PYTHON

echo "== the OpenAPI document"
curl --silent --fail "$url/api/v1/openapi.json" >"$work/openapi.json"
"$tools/bin/openapi-spec-validator" "$work/openapi.json"

echo "== generated requests"
"$tools/bin/schemathesis" run "$url/api/v1/openapi.json" --url "$url/api/v1" \
    --phases examples,coverage,fuzzing --seed 1 --max-examples "$examples" --request-timeout 30 \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance

kill -0 "$studio" || { echo "the studio has ended"; exit 1; }
