#!/bin/sh
# Uploads the sample documents and asks a question, with curl.
#
#   export KEY=$(bin/echomind keys add examples)
#   examples/ask.sh "How many days of leave do I get?"
set -eu

url=${ECHOMIND_URL:-http://127.0.0.1:8080}
question=${1:-How many days of paid leave do I get?}
documents=$(dirname "$0")/documents

for file in "$documents"/*; do
    curl -sSf -H "Authorization: Bearer $KEY" -F "file=@$file" "$url/api/v1/documents:upload" > /dev/null
    echo "uploaded $(basename "$file")"
done

# A document can be found as soon as its status is completed.
while curl -sSf -H "Authorization: Bearer $KEY" "$url/api/v1/documents" | grep -qE 'STATUS_(PENDING|PROCESSING)'; do
    sleep 1
done

# Session `-` begins a new conversation. The answer comes as server-sent events; the last one holds all of it.
curl -sSN -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
    -d "{\"content\": \"$question\"}" "$url/api/v1/chat-sessions/-/messages:stream" |
    sed -n 's/^data://p' | tail -n 1
