import { Trans } from "@lingui/react/macro";
import type { KnowledgeEntityJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { Badge } from "@/ui/Badge";

/** Who finds an entity, and how far its review is, in a word each. */
export function EntityBadges({ entity }: { entity: KnowledgeEntityJson }) {
  const { level, reviewStatus, reviewAfter, isVerified } = entity;
  return (
    <>
      {level === "KNOWLEDGE_LEVEL_INDIVIDUAL" ? (
        <Badge tone="neutral">
          <Trans>Only you</Trans>
        </Badge>
      ) : (
        <Badge tone="accent">{level === "KNOWLEDGE_LEVEL_PUBLIC" ? <Trans>Public</Trans> : <Trans>Everyone</Trans>}</Badge>
      )}
      {reviewStatus === "KNOWLEDGE_REVIEW_STATUS_PROPOSED" && (
        <Badge tone="warn">
          <Trans>Waits for review</Trans>
        </Badge>
      )}
      {reviewStatus === "KNOWLEDGE_REVIEW_STATUS_REJECTED" && (
        <Badge tone="danger">
          <Trans>Rejected</Trans>
        </Badge>
      )}
      {reviewAfter && !isVerified && (
        <Badge tone="warn">
          <Trans>Review has lapsed</Trans>
        </Badge>
      )}
    </>
  );
}
