"""The calls about assistants and models."""

from typing import Any

from tests.factories.permissions.rows import ANYTHING, EVERYONE, HIDDEN, OK, SUPERADMINS, Row, by_id, empty, patch
from tests.factories.world import World, name


def first_version(assistant: Any) -> dict[str, Any]:
    return {"id": assistant, "version": 1}


USED = {
    "visible": EVERYONE,
    "hidden": (HIDDEN, HIDDEN, OK),
    "group": EVERYONE,
    "foreign group": (HIDDEN, HIDDEN, OK),
}

ROWS: dict[str, Row] = {
    "AssistantService/ListAssistants": Row(World.nothing, empty, ANYTHING),
    "AssistantService/GetAssistant": Row(World.assistant, by_id, USED),
    "AssistantService/CreateAssistant": Row(
        World.nothing, lambda _: {"assistant": {"name": name()}}, {"": SUPERADMINS}
    ),
    "AssistantService/UpdateAssistant": Row(
        World.assistant, patch("assistant", "name", name), {"visible": SUPERADMINS}
    ),
    "AssistantService/DuplicateAssistant": Row(
        World.assistant, lambda item: {"id": item, "name": name()}, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/SaveAssistantDraft": Row(
        World.assistant, lambda item: {"id": item, "assistant": {"name": name()}}, {"visible": SUPERADMINS}
    ),
    "AssistantService/ListAssistantTools": Row(World.assistant, by_id, USED),
    "AssistantService/ListAssistantVersions": Row(
        World.versioned_assistant, by_id, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/GetAssistantVersion": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/DiffAssistantVersions": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/RestoreAssistantVersion": Row(
        World.versioned_assistant, first_version, {"visible": SUPERADMINS, "hidden": SUPERADMINS}
    ),
    "AssistantService/DeleteAssistant": Row(World.assistant, by_id, {"visible": SUPERADMINS}),
    "EmbeddingModelService/ListEmbeddingModels": Row(World.nothing, empty, ANYTHING),
    "EmbeddingModelService/GetEmbeddingModel": Row(World.embedding_model, by_id, ANYTHING),
    "EmbeddingModelService/CreateEmbeddingModel": Row(
        World.nothing,
        lambda _: {
            "embeddingModel": {
                "modelName": name(),
                "modelId": "m",
                "protocol": "EMBEDDING_PROTOCOL_TEI",
                "endpoint": "http://127.0.0.1:9",
            }
        },
        {"": SUPERADMINS},
    ),
    "EmbeddingModelService/UpdateEmbeddingModel": Row(
        World.embedding_model, patch("embeddingModel", "endpoint", lambda: "http://127.0.0.1:9"), {"": SUPERADMINS}
    ),
    "EmbeddingModelService/DeleteEmbeddingModel": Row(World.embedding_model, by_id, {"": SUPERADMINS}),
    "EmbeddingModelService/TestEmbeddingModel": Row(World.embedding_model, by_id, {"": SUPERADMINS}),
    "EmbeddingModelService/ActivateEmbeddingModel": Row(World.embedding_model, by_id, {"": SUPERADMINS}),
    "EmbeddingModelService/DropEmbeddingIndex": Row(World.embedding_model, by_id, {"": SUPERADMINS}),
    "EmbeddingModelService/GetEmbeddingIndexProgress": Row(World.embedding_model, by_id, {"": SUPERADMINS}),
    "RerankerService/ListRerankers": Row(World.nothing, empty, {"": SUPERADMINS}),
    "RerankerService/GetReranker": Row(World.reranker, by_id, {"": SUPERADMINS}),
    "RerankerService/CreateReranker": Row(
        World.nothing,
        lambda _: {
            "reranker": {
                "name": name(),
                "modelId": "m",
                "protocol": "RERANK_PROTOCOL_TEI",
                "endpoint": "http://127.0.0.1:9",
            }
        },
        {"": SUPERADMINS},
    ),
    "RerankerService/UpdateReranker": Row(World.reranker, patch("reranker", "name", name), {"": SUPERADMINS}),
    "RerankerService/DeleteReranker": Row(World.reranker, by_id, {"": SUPERADMINS}),
    "RerankerService/TestReranker": Row(World.reranker, by_id, {"": SUPERADMINS}),
    "LlmService/ListLlms": Row(World.nothing, empty, ANYTHING),
    "LlmService/GetLlm": Row(World.llm, by_id, ANYTHING),
    "LlmService/CreateLlm": Row(
        World.nothing,
        lambda _: {"llm": {"name": name(), "provider": "LLM_PROVIDER_OPENAI", "modelId": "m"}},
        {"": SUPERADMINS},
    ),
    "LlmService/UpdateLlm": Row(World.llm, patch("llm", "name", name), {"": SUPERADMINS}),
    "LlmService/DeleteLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "LlmService/TestLlm": Row(World.llm, by_id, {"": SUPERADMINS}),
    "LlmService/TestLlmSettings": Row(
        World.nothing,
        lambda _: {
            "llm": {"name": "m", "provider": "LLM_PROVIDER_VLLM", "modelId": "m", "endpoint": "http://127.0.0.1:9"}
        },
        {"": SUPERADMINS},
    ),
    "LlmService/ListOfferedModels": Row(
        World.nothing,
        lambda _: {"provider": "LLM_PROVIDER_VLLM", "endpoint": "http://127.0.0.1:9"},
        {"": SUPERADMINS},
    ),
}
