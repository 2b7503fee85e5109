import { plural } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { knowledgeListQuery, proposalsQuery } from "@/data/knowledge";
import { hasRole, useCurrentUser } from "@/data/users";
import { Button } from "@/ui/Button";
import { FilterTabs, SearchBox } from "@/ui/filters";
import { Page } from "@/ui/Page";
import { QueryView } from "@/ui/QueryView";
import { Row, Rows } from "@/ui/Rows";
import { oneOf, text, useSearchState } from "@/ui/search-state";
import { ShowMore } from "@/ui/ShowMore";
import { EntityDialog } from "./EntityDialog";
import { EntityBadges, formatConfidence } from "./parts/words";
import styles from "./knowledge.module.css";

const STATE = { view: oneOf(["all", "own", "learned", "lapsed", "review"], "all"), query: text() };

/** Knowledge beyond documents; each entity has its own page. */
export function KnowledgePage() {
  const { t } = useLingui();
  const [{ view, query }, setState] = useSearchState(STATE);
  const [isAdding, setAdding] = useState(false);
  const reviews = hasRole(useCurrentUser(), "ROLE_SUPERADMIN");
  const words = useDeferredValue(query);
  const isQueue = view === "review" && reviews;
  const filter = {
    own: view === "own",
    lapsed: view === "lapsed",
    query: words,
    ...(view === "learned" && { sourceType: "KNOWLEDGE_SOURCE_TYPE_CONVERSATION" as const }),
  };
  const listed = useInfiniteQuery({ ...knowledgeListQuery(filter), enabled: !isQueue });
  const queue = useInfiniteQuery({ ...proposalsQuery, enabled: isQueue });
  const found = isQueue ? queue : listed;
  const entities = found.data?.pages.flatMap((page) => page.knowledge ?? []);
  return (
    <Page
      title={t`Knowledge`}
      description={t`Rules, ways of working and lessons that assistants use beside documents. What you add, and what they learn from your conversations, is yours until a superadmin approves it for everyone.`}
      actions={
        <Button variant="primary" onClick={() => setAdding(true)}>
          <Plus size={16} /> <Trans>Add knowledge</Trans>
        </Button>
      }
    >
      <div className={styles.filters}>
        <FilterTabs
          label={t`Filter`}
          value={view}
          options={[
            { value: "all", label: t`All` },
            { value: "own", label: t`Mine` },
            { value: "learned", label: t`Learned` },
            { value: "lapsed", label: t`To be verified` },
            ...(reviews ? [{ value: "review" as const, label: t`Review queue` }] : []),
          ]}
          onChange={(value) => setState({ view: value })}
        />
        {!isQueue && <SearchBox label={t`Search knowledge`} value={query} onChange={(value) => setState({ query: value })} />}
      </div>
      <QueryView error={found.error} onRetry={found.refetch} isPending={found.isPending} label={t`Loading knowledge`} />
      {entities && (
        <Rows label={t`Knowledge`} whenEmpty={isQueue ? t`Nothing waits for a review.` : t`No knowledge yet.`}>
          {entities.map((entity) => (
            <Row
              key={entity.id}
              name={entity.title ?? ""}
              href={`/knowledge/${entity.id}`}
              badges={<EntityBadges entity={entity} />}
              facts={[
                entity.category,
                t`confidence ${formatConfidence(entity)}`,
                (entity.usageCount ?? 0) > 0 && plural(entity.usageCount ?? 0, { one: "used once", other: "used # times" }),
              ]}
            >
              <p className={styles.excerpt}>{entity.content}</p>
            </Row>
          ))}
        </Rows>
      )}
      <ShowMore of={found} />
      {isAdding && <EntityDialog onClose={() => setAdding(false)} />}
    </Page>
  );
}
