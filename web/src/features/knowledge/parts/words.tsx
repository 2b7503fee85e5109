import { Trans } from "@lingui/react/macro";
import { useCurrentUser } from "@/data/users";
import type { KnowledgeEntityJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { Badge } from "@/ui/Badge";
import { formatPercent } from "@/ui/format";

/** Confidence of an entity, in whole percent. */
export function formatConfidence({ confidence = 0 }: KnowledgeEntityJson): string {
  return formatPercent(Math.round(Number(confidence) * 100) / 100);
}

/** Labels of levels and review statuses of entities. */
export function EntityBadges({ entity }: { entity: KnowledgeEntityJson }) {
  const { level, userId, userName = "", reviewStatus, reviewAfter, isVerified } = entity;
  const isOwn = userId === useCurrentUser().id;
  return (
    <>
      {level === "KNOWLEDGE_LEVEL_INDIVIDUAL" ? (
        <Badge tone="neutral">
          {isOwn ? <Trans>Only you</Trans> : <Trans>Only {userName}</Trans>}
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
