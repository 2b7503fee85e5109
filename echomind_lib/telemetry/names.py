"""Names of spans and attributes: OpenTelemetry's for generative AI, Langfuse's, and our own.

OpenTelemetry's names for generative AI are in development and still change, so no other module spells them.
"""

from typing import Final

# -- OpenTelemetry: generative AI --------------------------------------------------------------------------------------
OPERATION: Final = "gen_ai.operation.name"
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"
RETRIEVAL: Final = "retrieval"
EMBEDDINGS: Final = "embeddings"

PROVIDER: Final = "gen_ai.provider.name"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENT_ID: Final = "gen_ai.agent.id"
AGENT_NAME: Final = "gen_ai.agent.name"
AGENT_VERSION: Final = "gen_ai.agent.version"
REQUEST_MODEL: Final = "gen_ai.request.model"
RESPONSE_MODEL: Final = "gen_ai.response.model"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
FIRST_CHUNK_SECONDS: Final = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
CACHE_READ_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS: Final = "gen_ai.usage.cache_creation.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_CALL_ID: Final = "gen_ai.tool.call.id"

# Content: only with `ECHOMIND_TELEMETRY__CONTENT`.
SYSTEM_INSTRUCTIONS: Final = "gen_ai.system_instructions"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"
QUERY_TEXT: Final = "gen_ai.retrieval.query.text"

# -- OpenTelemetry: general --------------------------------------------------------------------------------------------
SESSION: Final = "session.id"
USER: Final = "user.id"
ERROR_TYPE: Final = "error.type"
RPC_METHOD: Final = "rpc.method"
RPC_SYSTEM: Final = "rpc.system"
MESSAGING_SYSTEM: Final = "messaging.system"
MESSAGING_DESTINATION: Final = "messaging.destination.name"
SERVICE_NAME: Final = "service.name"
SERVICE_VERSION: Final = "service.version"
ENVIRONMENT: Final = "deployment.environment.name"

# -- Langfuse ----------------------------------------------------------------------------------------------------------
RELEASE: Final = "langfuse.release"
LANGFUSE_ENVIRONMENT: Final = "langfuse.environment"
TAGS: Final = "langfuse.trace.tags"
TRACE_NAME: Final = "langfuse.trace.name"
METADATA: Final = "langfuse.trace.metadata"
"""Followed by a dot and the key of a value."""
OBSERVATION_TYPE: Final = "langfuse.observation.type"
"""Sent where Langfuse does not derive the type from the operation."""
RETRIEVER: Final = "retriever"
COMPLETION_START: Final = "langfuse.observation.completion_start_time"
COST: Final = "langfuse.observation.cost_details"
"""JSON: US dollars by kind."""

# -- EchoMind ----------------------------------------------------------------------------------------------------------
RUN: Final = "echomind.run.id"
EXTERNAL_ID: Final = "langfuse.trace.metadata.external_id"
SESSION_EXTERNAL_ID: Final = "langfuse.trace.metadata.session_external_id"
RUN_KIND: Final = "echomind.run.kind"
RUN_STATUS: Final = "echomind.run.status"
ATTEMPT: Final = "echomind.run.attempt"
RETRIES: Final = "echomind.tool.retries"
HITS: Final = "echomind.retrieval.hits"
TEXTS: Final = "echomind.embeddings.texts"
DOCUMENT: Final = "echomind.document.id"
JOB: Final = "echomind.job.id"
