/** Knowledge beyond documents. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { pagedQuery } from "@/api/pages";
import type { ChatMessageJson } from "@/gen/echomind/public/v1/chat_message_pb";
import type { KnowledgeEntityJson, KnowledgeFeedbackJson } from "@/gen/echomind/public/v1/knowledge_pb";
import {
  approveKnowledge,
  createKnowledge,
  deleteKnowledge,
  deleteKnowledgeFeedback,
  getKnowledge,
  getKnowledgeReview,
  listKnowledge,
  listKnowledgeProposals,
  listKnowledgeRevisions,
  proposeKnowledge,
  rejectKnowledge,
  setKnowledgeFeedback,
  updateKnowledge,
  verifyKnowledge,
  withdrawKnowledge,
} from "@/gen/echomind/public/v1/knowledge_service_client";
import type { ListKnowledgeRequestJson } from "@/gen/echomind/public/v1/knowledge_service_pb";
import { changesOf } from "./changes";

const ALL = ["knowledge"] as const;

/** The entities that a filter leaves. */
export const knowledgeListQuery = (filter: ListKnowledgeRequestJson) =>
  pagedQuery([...ALL, "list", filter], listKnowledge, { ...filter, pageSize: 50 });

/** The proposals that wait; for superadmins. */
export const proposalsQuery = pagedQuery([...ALL, "proposals"], listKnowledgeProposals, { pageSize: 50 });

const CITED = /\[K\d/;
const NO_KNOWLEDGE: KnowledgeEntityJson[] = [];

/** The entities that an answer may cite: those found by runs of its conversation that the user may still read. */
export function useCitedKnowledge({ id = "", chatSessionId = 0, content = "" }: ChatMessageJson): readonly KnowledgeEntityJson[] {
  const { data } = useQuery({
    queryKey: [...ALL, "cited", id],
    queryFn: ({ signal }) => listKnowledge({ foundInSessionId: chatSessionId, pageSize: 200 }, { signal }),
    enabled: chatSessionId > 0 && CITED.test(content),
    staleTime: Infinity,
  });
  return data?.knowledge ?? NO_KNOWLEDGE;
}

/** The caller's lessons from a failed run. */
export const lessonsQuery = (runId: string) =>
  queryOptions({ queryKey: [...ALL, "lessons", runId], queryFn: ({ signal }) => listKnowledge({ runId }, { signal }) });

/** One entity. */
export const knowledgeQuery = (id: string) =>
  queryOptions({ queryKey: [...ALL, id], queryFn: ({ signal }) => getKnowledge({ id }, { signal }) });

/** A proposal with similar entities; for superadmins. */
export const knowledgeReviewQuery = (id: string) =>
  queryOptions({ queryKey: [...ALL, id, "review"], queryFn: ({ signal }) => getKnowledgeReview({ id }, { signal }) });

/** The revisions of an entity, newest first; for those who manage it. */
export const knowledgeRevisionsQuery = (id: string) =>
  pagedQuery([...ALL, id, "revisions"], listKnowledgeRevisions, { id, pageSize: 20 });

const useChange = changesOf(ALL);

/** Adds an entity, which may keep an answer, or changes the one with this id. */
export function useSaveKnowledge(messageId = "0") {
  return useChange(({ id, ...knowledge }: KnowledgeEntityJson) =>
    id ? updateKnowledge({ id, knowledge }) : createKnowledge({ knowledge, messageId }),
  );
}

/** Removes an entity permanently. */
export function useDeleteKnowledge() {
  return useChange((id: string) => deleteKnowledge({ id }));
}

/** Sets the feedback on an entity; without an opinion it is deleted. */
export function useKnowledgeOpinion() {
  return useChange(({ id, feedback }: { id: string; feedback: KnowledgeFeedbackJson | undefined }) =>
    feedback ? setKnowledgeFeedback({ id, feedback }) : deleteKnowledgeFeedback({ id }),
  );
}

/** Proposes an own entity for everybody, or withdraws the proposal. */
export function useProposal() {
  return useChange(({ id, isProposed, note = "" }: { id: string; isProposed: boolean; note?: string }) =>
    isProposed ? proposeKnowledge({ id, note }) : withdrawKnowledge({ id }),
  );
}

/** A superadmin's decision on a proposal. */
export type Decision =
  | { id: string; kind: "approve"; revision: number; replacedId?: string }
  | { id: string; kind: "reject"; comment: string }
  | { id: string; kind: "verify" };

/** Approves or rejects a proposal, or verifies an entity. */
export function useKnowledgeDecision() {
  return useChange((decision: Decision) => {
    if (decision.kind === "approve") {
      const { id, revision, replacedId = "0" } = decision;
      return approveKnowledge({ id, revision, replacedId });
    }
    return decision.kind === "reject" ? rejectKnowledge({ id: decision.id, comment: decision.comment }) : verifyKnowledge({ id: decision.id });
  });
}
