import { Trans, useLingui } from "@lingui/react/macro";
import * as Tooltip from "@radix-ui/react-tooltip";
import { Link } from "wouter";
import type { KnowledgeEntityJson } from "@/gen/echomind/public/v1/knowledge_pb";
import { Badge } from "@/ui/Badge";
import { classes } from "@/ui/classes";
import styles from "./CitationChip.module.css";

/** A citation of an entity of knowledge. Hovering shows its content, clicking opens it. */
export function KnowledgeChip({ entity }: { entity: KnowledgeEntityJson }) {
  const { t } = useLingui();
  const { id = "", title = "", content = "" } = entity;
  return (
    <Tooltip.Provider delayDuration={150}>
      <Tooltip.Root>
        <Tooltip.Trigger asChild>
          <Link href={`/knowledge/${id}`} className={classes(styles.chip, styles.knowledge)} aria-label={t`Knowledge K${id}: ${title}`}>
            K{id}
          </Link>
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content aria-label={content} className={styles.card} side="top" sideOffset={6} collisionPadding={12}>
            <p className={styles.title}>{title}</p>
            <p className={styles.meta}>
              <Badge tone="accent">
                <Trans>Knowledge</Trans>
              </Badge>
              {entity.category}
            </p>
            <blockquote className={styles.snippet}>{content}</blockquote>
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>
  );
}
