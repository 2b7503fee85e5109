/** What servers of embedding models speak. */
import { msg } from "@lingui/core/macro";
import type { EmbeddingProtocolJson } from "@/gen/echomind/public/v1/embedding_model_pb";
import type { ProtocolHelp } from "../ServerFields";

/** The protocols that a person can choose. */
export const PROTOCOLS: readonly ProtocolHelp<EmbeddingProtocolJson>[] = [
  {
    value: "EMBEDDING_PROTOCOL_OPENAI",
    label: msg`OpenAI, or a compatible server (vLLM, Ollama, LiteLLM)`,
    endpointExample: "http://localhost:8000/v1",
    modelExample: "intfloat/multilingual-e5-large",
  },
  {
    value: "EMBEDDING_PROTOCOL_TEI",
    label: msg`Hugging Face Text Embeddings Inference`,
    endpointExample: "http://localhost:8080",
    modelExample: "BAAI/bge-m3",
  },
];
