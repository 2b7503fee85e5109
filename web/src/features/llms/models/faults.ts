/** Advice when a model does not answer, by error. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type { LlmFaultJson } from "@/gen/echomind/public/v1/llm_service_pb";
import { type ByMember, ofMember } from "@/ui/members";

const ADVICE: ByMember<LlmFaultJson, MessageDescriptor> = {
  LLM_FAULT_SETTINGS: msg`Check the endpoint and the limits below.`,
  LLM_FAULT_UNREACHABLE: msg`Check that the server runs and that this machine can reach it. In a container, localhost is the container itself.`,
  LLM_FAULT_KEY: msg`Check the API key and its permissions.`,
  LLM_FAULT_QUOTA: msg`Add credit to the account at the provider, or use another key.`,
  LLM_FAULT_RATE: msg`Wait a moment and test again, or ask the provider for a higher limit.`,
  LLM_FAULT_REFUSED: msg`Check the name of the model and the endpoint. Most endpoints end in /v1.`,
  LLM_FAULT_PROTOCOL: msg`Check that the endpoint belongs to the provider that is chosen.`,
};

/** Returns advice on a fault. */
export function adviceOn(fault: LlmFaultJson | undefined): MessageDescriptor | undefined {
  return ofMember(ADVICE, fault);
}
