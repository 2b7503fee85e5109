import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { knowledgeQuery, useDeleteKnowledge, useKnowledgeDecision, useProposal } from "@/data/knowledge";
import { hasRole, useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { ConfirmDialog } from "@/ui/ConfirmDialog";
import { formatMoment } from "@/ui/format";
import { LoadFailure } from "@/ui/LoadFailure";
import { Notice } from "@/ui/Notice";
import { Page } from "@/ui/Page";
import { Spinner } from "@/ui/Spinner";
import { showFailure, showToast } from "@/ui/toasts";
import { EntityDialog } from "./EntityDialog";
import { History } from "./parts/History";
import { Opinion } from "./parts/Opinion";
import { Review } from "./parts/Review";
import { EntityBadges, formatConfidence } from "./parts/words";
import styles from "./knowledge.module.css";

/** An entity: its content, confidence, feedback, review and history. */
export function EntityPage({ id }: { id: string }) {
  const { t } = useLingui();
  const [, navigate] = useLocation();
  const { data: entity, error, refetch } = useQuery(knowledgeQuery(id));
  const user = useCurrentUser();
  const [dialog, setDialog] = useState<"edit" | "remove">();
  const remove = useDeleteKnowledge();
  const proposal = useProposal();
  const decision = useKnowledgeDecision();
  if (!entity) {
    return (
      <Page title={t`Knowledge`} parents={[{ href: "/knowledge", label: t`Knowledge` }]}>
        {error ? <LoadFailure error={error} onRetry={refetch} /> : <Spinner label={t`Loading knowledge`} />}
      </Page>
    );
  }
  const { title = "", content, category, tags = [], sources = [], userName, usageCount = 0, reviewAfter, isVerified, reviewComment } = entity;
  const { sourceType, sourceSessionId, sourceRunId } = entity;
  const isIndividual = entity.level === "KNOWLEDGE_LEVEL_INDIVIDUAL";
  const isProposed = entity.reviewStatus === "KNOWLEDGE_REVIEW_STATUS_PROPOSED";
  const isOwn = entity.userId === user.id;
  const isReviewer = hasRole(user, "ROLE_SUPERADMIN");
  const propose = (isProposed: boolean) =>
    proposal.mutate(
      { id, isProposed },
      {
        onError: showFailure,
        onSuccess: () =>
          showToast({
            message: isProposed ? t`Proposed for everyone; a superadmin decides.` : t`The proposal was withdrawn.`,
            action: { label: t`Undo`, run: () => propose(!isProposed) },
          }),
      },
    );
  return (
    <Page
      title={title}
      parents={[{ href: "/knowledge", label: t`Knowledge` }]}
      actions={
        <div className={styles.actions}>
          {isOwn && isIndividual && (
            <Button onClick={() => propose(!isProposed)}>{isProposed ? <Trans>Withdraw proposal</Trans> : <Trans>Propose for everyone</Trans>}</Button>
          )}
          {isReviewer && !isIndividual && (
            <Button onClick={() => decision.mutate({ id, kind: "verify" }, { onError: showFailure, onSuccess: () => showToast({ message: t`Verified for 90 days.` }) })}>
              <Trans>Still valid</Trans>
            </Button>
          )}
          {entity.canManage && (
            <>
              <Button onClick={() => setDialog("edit")}>
                <Trans>Edit</Trans>
              </Button>
              <Button onClick={() => setDialog("remove")}>
                <Trans>Remove</Trans>
              </Button>
            </>
          )}
        </div>
      }
    >
      <div className={styles.badges}>
        <EntityBadges entity={entity} />
      </div>
      {reviewComment && entity.reviewStatus === "KNOWLEDGE_REVIEW_STATUS_REJECTED" && (
        <Notice tone="warn">
          <Trans>A superadmin rejected it: {reviewComment}</Trans>
        </Notice>
      )}
      <p className={styles.content}>{content}</p>
      <dl className={styles.facts}>
        <Fact label={t`Confidence`}>{formatConfidence(entity)}</Fact>
        <Fact label={t`Used by assistants`}>{usageCount}</Fact>
        {userName && <Fact label={t`From`}>{userName}</Fact>}
        {category && <Fact label={t`Category`}>{category}</Fact>}
        {tags.length > 0 && <Fact label={t`Tags`}>{tags.join(", ")}</Fact>}
        {reviewAfter && <Fact label={isVerified ? t`Verified until` : t`Was verified until`}>{formatMoment(reviewAfter)}</Fact>}
        {(sourceSessionId ?? 0) > 0 && (
          <Fact label={sourceType === "KNOWLEDGE_SOURCE_TYPE_CONVERSATION" ? t`Learned from` : t`Saved from`}>
            <Link href={`/chat/${sourceSessionId ?? 0}`} className={styles.source}>
              <Trans>A conversation of yours</Trans>
            </Link>
            {sourceRunId && (
              <Link href={`/runs/${sourceRunId}`} className={styles.source}>
                <Trans>The run that failed</Trans>
              </Link>
            )}
          </Fact>
        )}
        <Fact label={t`Changed`}>{formatMoment(entity.lastUpdate ?? entity.creationDate)}</Fact>
        {sources.length > 0 && (
          <Fact label={t`Documents`}>
            {sources.map((source) => (
              <Link key={source.documentId} href={`/documents/${source.documentId}`} className={styles.source}>
                {source.title || t`Document ${source.documentId ?? ""}`}
              </Link>
            ))}
          </Fact>
        )}
      </dl>
      <Opinion entity={entity} />
      {isReviewer && isProposed && <Review id={id} onDone={(next) => navigate(`/knowledge/${next}`)} />}
      {entity.canManage && (entity.revision ?? 1) > 1 && <History id={id} />}
      {dialog === "edit" && <EntityDialog entity={entity} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <ConfirmDialog
          title={t`Remove ${title}?`}
          text={t`It is removed permanently, with all feedback on it. Assistants will no longer use it.`}
          action={t`Remove`}
          onConfirm={async () => {
            await remove.mutateAsync(id);
            navigate("/knowledge");
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Page>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
