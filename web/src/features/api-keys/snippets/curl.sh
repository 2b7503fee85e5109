curl ECHOMIND_ADDRESS/v1/chat/completions \
  -H 'Authorization: Bearer API_KEY' -H 'Content-Type: application/json' \
  -d '{"model": "MODEL", "messages": [{"role": "user", "content": "How do I make a backup?"}]}'
