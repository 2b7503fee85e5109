/** What servers of rerankers speak. */
import { msg } from "@lingui/core/macro";
import type { RerankProtocolJson } from "@/gen/echomind/public/v1/reranker_pb";
import type { ProtocolHelp } from "../ServerFields";

/** The protocols that a person can choose. */
export const PROTOCOLS: readonly ProtocolHelp<RerankProtocolJson>[] = [
  { value: "RERANK_PROTOCOL_TEI", label: msg`Hugging Face Text Embeddings Inference`, endpointExample: "http://localhost:8080", modelExample: "BAAI/bge-reranker-v2-m3" },
  { value: "RERANK_PROTOCOL_VLLM", label: msg`vLLM`, endpointExample: "http://localhost:8000", modelExample: "BAAI/bge-reranker-v2-m3" },
  { value: "RERANK_PROTOCOL_COHERE", label: msg`Cohere`, endpointExample: "https://api.cohere.com", modelExample: "rerank-v3.5" },
  { value: "RERANK_PROTOCOL_JINA", label: msg`Jina, or a compatible server (LiteLLM, Infinity)`, endpointExample: "https://api.jina.ai", modelExample: "jina-reranker-v2-base-multilingual" },
];
