"""Asks a question over gRPC, with the generated stubs.

KEY=$(bin/echomind keys add examples) .venv/bin/python examples/ask_over_grpc.py "How many days of leave do I get?"
"""

import os
import sys

import grpc

from echomind_lib.pb.echomind.public.v1 import chat_message_service_pb2, chat_message_service_pb2_grpc

ADDRESS = os.environ.get("GRPC_ADDRESS", "127.0.0.1:50051")
QUESTION = sys.argv[1] if len(sys.argv) > 1 else "How many days of paid leave do I get?"

with grpc.insecure_channel(ADDRESS) as channel:
    messages = chat_message_service_pb2_grpc.ChatMessageServiceStub(channel)
    request = chat_message_service_pb2.SendMessageRequest(content=QUESTION)
    for event in messages.StreamMessage(request, metadata=[("authorization", f"Bearer {os.environ['KEY']}")]):
        if event.text:
            print(f"· {event.text}", file=sys.stderr)
        if event.HasField("finished"):
            print(event.finished.message.content)
            for citation in event.finished.message.citations:
                print(f"[{citation.number}] {citation.title}: {citation.snippet}")
